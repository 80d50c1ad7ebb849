// What the index knows of a part: enough to find every dataset in the file without HDF5, and to tell whether it is what
// was written. Stored as JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"

namespace core::checkpoint {

/// A stretch of the file.
struct DatasetRecord {
  std::uint64_t offset = 0;
  std::uint64_t elements = 0;
  std::uint32_t checksum = 0;
};

struct ColumnRecord {
  std::string name;
  ElementType type;
  bool is_list = false;
  DatasetRecord values;
  DatasetRecord counts; ///< lists only
};

struct TableRecord {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<ColumnRecord> columns;
};

struct PartRecord {
  std::string file; ///< relative to the index
  std::uint64_t bytes = 0;
  std::uint32_t structure = 0; ///< checksum of what is in the file beside the datasets
  std::vector<TableRecord> tables;
};

void to_json(nlohmann::json& json, const PartRecord& part);
void from_json(const nlohmann::json& json, PartRecord& part);

/// The names of a column's datasets in the file.
[[nodiscard]] std::string values_path(const TableRecord& table, const ColumnRecord& column);
[[nodiscard]] std::string counts_path(const TableRecord& table, const ColumnRecord& column);

} // namespace core::checkpoint
