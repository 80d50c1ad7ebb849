// Rows of features with their labels: what a worker trains on, and the batches it takes from them.
//
// T is float or double. A label is a number: a target (ridge), 0 or 1 (logistic), a class 0 .. C-1 (softmax and
// networks). Features are a dense matrix or, where most are zero, compressed sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ps {

/// Some rows, by reference. Either `dense` holds rows x features numbers, row by row, or row r's entries are
/// [row_begin[r], row_begin[r + 1]) of `keys` (feature numbers from 0, ascending within a row) and `values`.
template <class T>
struct Batch {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::span<const T> dense;
  std::span<const std::size_t> row_begin;
  std::span<const std::uint64_t> keys;
  std::span<const T> values;
  std::span<const T> labels; ///< one per row

  [[nodiscard]] bool is_sparse() const noexcept { return !row_begin.empty(); }
};

/// The same, owned.
template <class T>
struct Examples {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<T> dense;
  std::vector<std::size_t> row_begin; ///< rows + 1 entries when sparse, else empty
  std::vector<std::uint64_t> keys;
  std::vector<T> values;
  std::vector<T> labels;

  [[nodiscard]] bool is_sparse() const noexcept { return !row_begin.empty(); }
  /// All rows. Local.
  [[nodiscard]] Batch<T> view() const noexcept { return {rows, features, dense, row_begin, keys, values, labels}; }
};

/// Copies chosen rows next to each other. Keeps its memory from batch to batch; a batch is valid until the next call.
template <class T>
class BatchBuilder {
 public:
  /// The rows `which` of `examples`, in that order; a row may occur several times. Local.
  [[nodiscard]] Batch<T> gather(const Examples<T>& examples, std::span<const std::size_t> which);

 private:
  Examples<T> rows_;
};

extern template class BatchBuilder<float>;
extern template class BatchBuilder<double>;

} // namespace ps
