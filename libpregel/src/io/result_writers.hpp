// The two formats behind write_results. The last argument is there for tests: short stretches reach the paths of many
// rounds cheaply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "pregel/io/results.hpp"
#include "result_stretches.hpp"

namespace pregel {

enum class TextLayout {
  plain, ///< blanks between values
  csv,   ///< commas, and a header: id and the names of the columns
};

/// Both: collective; return the bytes written by all ranks; `names` may be null.
std::uint64_t write_text_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                                 const std::string& path, TextLayout layout,
                                 std::size_t rows_per_stretch = kRowsPerStretch);
std::uint64_t write_hdf5_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                                 const std::string& path, std::size_t rows_per_stretch = kRowsPerStretch);

} // namespace pregel
