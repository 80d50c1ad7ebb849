// The index of a checkpoint: checkpoint.h5.
//
// Its first 512 bytes, an HDF5 user block, are text: what the file is, the version of the format, and size and checksum
// of the rest. So a reader knows that the index is whole before HDF5, which does not expect damage, looks at it; HDF5's
// tools skip the block. The rest is an HDF5 file, made and read in memory: the disk sees plain writes and reads.
//
//   attributes   format_version, number, byte_order, checksum (the algorithm), meta and parts (JSON)
//   /TABLE/...   a virtual dataset for each column, over all parts
//
// All functions are local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "record.hpp"

namespace core::checkpoint {

inline constexpr const char* kIndexName = "checkpoint.h5";

struct Index {
  std::uint64_t number = 0;
  nlohmann::json meta;
  std::vector<PartRecord> parts;
};

/// An index as text, to be sent to other ranks.
[[nodiscard]] std::string index_to_text(const Index& index);
[[nodiscard]] Index index_from_text(const std::string& text);

/// Throws core::Error when `meta` has something that JSON text does not keep: a real that is not finite, a string that
/// is not UTF-8.
void require_storable(const nlohmann::json& meta);

/// Writes the index into `directory`, synced and under its final name, and returns its size. The directory is left to
/// sync_directory(). Throws core::Error, also when the parts do not agree on the types of a table.
[[nodiscard]] std::uint64_t write_index(const std::string& directory, const Index& index);

/// Reads and verifies the index in `directory`. Throws core::Error naming the file when it is missing, damaged or of a
/// newer version.
[[nodiscard]] Index read_index(const std::string& directory);

} // namespace core::checkpoint
