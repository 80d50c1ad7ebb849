// Finds out what kind of source it is, has every rank read its part, and agrees on what all must know.
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "data/digits.hpp"
#include "data/idx_reader.hpp"
#include "data/labels.hpp"
#include "data/libsvm_reader.hpp"
#include "data/part.hpp"
#include "data/synthetic.hpp"
#include "data/worker_rows.hpp"
#include "ps/data/dataset.hpp"

namespace ps {
namespace {

constexpr std::string_view kSynthetic = "synthetic:";

template <class T>
Part<T> read_part(const DataOptions& options, const std::string& path, const WorkerRows& rows) {
  if (path.starts_with(kSynthetic)) return make_synthetic<T>(parse_synthetic(path), options, rows);
  if (rows.shares() == 0) return {}; // a server: nothing to read, and the file need not be there
  if (looks_like_idx(path)) return read_idx<T>(path, options, rows);
  if (options.test_part) throw core::InputError(fmt::format("{}: a libsvm file has no held-out part", path));
  return read_libsvm<T>(path, options, rows);
}

/// Rank 0 looks for the digits, so that all ranks read the same ones.
std::string resolve(const core::Communicator& comm, const std::string& source) {
  if (source != "digits") return source;
  const std::string mine = core::agree(comm, [&] { return comm.rank() == 0 ? find_digits() : std::string(); });
  return core::broadcast_string(comm, mine, 0);
}

std::string describe(const std::string& name, const DataShape& shape, bool sparse) {
  std::string text = fmt::format("{}: {} rows, ", name, shape.rows);
  if (shape.image_rows != 0)
    text += fmt::format("{} x {} pixels", shape.image_rows, shape.image_columns);
  else
    text += fmt::format("{} features, {}", shape.features, sparse ? "sparse" : "dense");
  if (shape.classes != 0) text += fmt::format(", {} classes", shape.classes);
  return text;
}

/// Greatest over the ranks; those that read nothing hold 0.
std::size_t agreed(const core::Communicator& comm, std::size_t value) {
  return core::all_reduce_value(comm, value, core::Reduce::max);
}

} // namespace

template <class T>
Dataset<T> load_dataset(const core::Communicator& comm, const DataOptions& options,
                        std::span<const std::size_t> my_workers, std::size_t workers) {
  const std::string path = resolve(comm, options.source);
  Part<T> part = core::agree(comm, [&] { return read_part<T>(options, path, WorkerRows(my_workers, workers)); });
  Dataset<T> data;
  data.shape.rows = agreed(comm, part.rows);
  if (data.shape.rows == 0) throw core::InputError(fmt::format("{}: no rows", path));
  if (data.shape.rows < workers && !options.empty_shares) {
    throw core::InputError(
        fmt::format("{}: {} rows for {} workers; each needs at least one", path, data.shape.rows, workers));
  }
  data.shape.features = options.features != 0 ? options.features : agreed(comm, part.features);
  data.shape.image_rows = agreed(comm, part.image_rows);
  data.shape.image_columns = agreed(comm, part.image_columns);
  data.shape.channels = agreed(comm, part.channels);
  data.shape.classes = settle_labels(comm, options, path, part);
  const bool sparse = agreed(comm, !part.shares.empty() && part.shares.front().is_sparse() ? 1 : 0) != 0;
  // Some rank has read something and knows what it was; the others learn it.
  const int reader = core::all_reduce_value(comm, part.name.empty() ? 0 : comm.rank(), core::Reduce::max);
  data.description = describe(core::broadcast_string(comm, part.name, reader), data.shape, sparse);
  data.shares = std::move(part.shares);
  for (Examples<T>& share : data.shares) share.features = data.shape.features;
  data.optimum = std::move(part.optimum);
  return data;
}

template Dataset<float> load_dataset(const core::Communicator&, const DataOptions&, std::span<const std::size_t>,
                                     std::size_t);
template Dataset<double> load_dataset(const core::Communicator&, const DataOptions&, std::span<const std::size_t>,
                                      std::size_t);

} // namespace ps
