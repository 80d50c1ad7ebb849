// Which format a result file gets: its name tells.
#include <string_view>

#include "result_writers.hpp"

namespace pregel {

std::uint64_t write_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                            const std::string& path) {
  const bool hdf5 = std::string_view(path).ends_with(".h5") || std::string_view(path).ends_with(".hdf5");
  return hdf5 ? write_hdf5_results(comm, table, names, path) : write_text_results(comm, table, names, path);
}

} // namespace pregel
