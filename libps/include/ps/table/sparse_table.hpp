// Parameters keyed by 64-bit ids, most of which never occur: features of sparse linear models, rows of embeddings. The
// key space 0 .. 2^64-1 is cut into as many ranges as there are servers; `key_limit` says how much of it is used, so
// that keys below a few thousand do not all land on the first server. A key's values come into being at the first push.
//
// A hash table cannot be written by accumulates alone (inserting needs more than one word to change at once), so
// requests travel as messages that a server answers in its loop: serve().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "ps/table/dense_table.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

struct SparseTableOptions {
  std::size_t width = 1; ///< values per key
  std::uint64_t largest_key = ~std::uint64_t{0};
  UpdateOptions update; ///< applied to each pushed gradient, per key
};

template <class T>
class SparseTable {
 public:
  /// Collective, as is the destructor.
  SparseTable(const core::Communicator& comm, std::vector<int> servers, SparseTableOptions options);
  ~SparseTable();
  SparseTable(const SparseTable&) = delete;
  SparseTable& operator=(const SparseTable&) = delete;

  /// keys.size() x width values in the order asked; zeros for keys that nobody has pushed; a key may occur several
  /// times. Throws PsError for a key above largest_key. Local; returns when servers have answered, serving while it
  /// waits if this rank is a server too.
  void pull(std::span<const std::uint64_t> keys, std::span<T> values);
  /// A gradient for each key; the server's rule is applied to each. Repeated keys are applied one after the other.
  void push(std::span<const std::uint64_t> keys, std::span<const T> gradients);

  /// A server's loop body: answers what has arrived. Returns the number of requests answered. Local.
  std::size_t serve();

  /// This server's keys, ascending, and their values (keys x width). Local.
  [[nodiscard]] std::vector<std::uint64_t> keys() const;
  [[nodiscard]] std::vector<T> values() const;
  [[nodiscard]] const Traffic& traffic() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class SparseTable<float>;
extern template class SparseTable<double>;

} // namespace ps
