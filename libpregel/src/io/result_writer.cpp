// Which format a result file gets: its name tells.
#include "result_writers.hpp"

namespace pregel {

std::uint64_t write_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                            const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return write_hdf5_results(comm, table, names, path);
  const TextLayout layout = path.ends_with(".csv") ? TextLayout::csv : TextLayout::plain;
  return write_text_results(comm, table, names, path, layout);
}

} // namespace pregel
