// Parameters keyed by 64-bit ids, most of which never occur: features of sparse linear models, rows of embeddings. The
// key space 0 .. 2^64-1 is cut into as many ranges as there are servers; `largest_key` says how much of it is used, so
// that keys below a few thousand do not all land on the first server. A key's values come into being at the first push.
//
// A hash table cannot be written by accumulates alone (inserting needs more than one word to change at once), so
// requests travel as messages that a server answers in its loop: serve(). A rank that waits for an answer serves
// meanwhile, if it is a server itself: two of them may wait for each other. It serves this table; what else it owes to
// others in the meantime, say so with while_waiting(). For the same reason a server must not wait in core::barrier
// while others may still ask: barrier() of the table waits and serves.
//
// A server answers one message after the other, so all that one message carries for a key is applied as a whole. Calls
// with more than about a megabyte for one server are several messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "ps/table/dense_table.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

struct SparseTableOptions {
  std::size_t width = 1; ///< values per key
  std::uint64_t largest_key = ~std::uint64_t{0};
  UpdateOptions
      update; ///< the same on all ranks; applied to each pushed gradient, per key; adam counts the steps of a key
};

/// Rows of a sparse table with all that belongs to them: what a checkpoint stores. A row is a key.
template <class T>
struct SparseContent {
  std::vector<std::uint64_t> keys;  ///< ascending
  std::vector<T> values;            ///< keys x width
  std::vector<std::uint64_t> steps; ///< pushes that each key has had
  struct State {
    std::string name;      ///< as in UpdateRule::state()
    std::vector<T> values; ///< keys x width
  };
  std::vector<State> states;
};

template <class T>
class SparseTable {
 public:
  /// Throws on all ranks when servers or options are impossible, or not the same on all. Collective, as is the
  /// destructor, which waits like barrier().
  SparseTable(const core::Communicator& comm, std::vector<int> servers, SparseTableOptions options);
  ~SparseTable();
  SparseTable(const SparseTable&) = delete;
  SparseTable& operator=(const SparseTable&) = delete;

  /// keys.size() x width values in the order asked; zeros for keys that nobody has pushed; a key may occur several
  /// times. Throws PsError for a key above largest_key and for spans that do not match. Local; returns when servers
  /// have answered, serving while it waits if this rank is a server too.
  void pull(std::span<const std::uint64_t> keys, std::span<T> values);
  /// A gradient for each key; the server's rule is applied to each. Repeated keys are applied one after the other, in
  /// the order given. Returns when servers have applied them. Otherwise like pull().
  void push(std::span<const std::uint64_t> keys, std::span<const T> gradients);

  /// A server's loop body: answers what has arrived, some dozens of messages at most. Returns the number of messages
  /// answered. Local.
  std::size_t serve();
  /// Is called again and again while pull(), push() and barrier() wait, but not in the destructor. It must not call
  /// those of this table. Local.
  void while_waiting(std::function<void()> duty);
  /// Returns when every rank has called it, and serves until then. Collective.
  void barrier();

  /// This server's keys, ascending, and their values (keys x width). Local.
  [[nodiscard]] std::vector<std::uint64_t> keys() const;
  [[nodiscard]] std::vector<T> values() const;
  /// The same with the rule's state. Local.
  [[nodiscard]] SparseContent<T> content() const;
  /// Takes over those of the rows that are in this server's range, replacing what it has of them: hand the whole
  /// content of a checkpoint to every server, of any number of them. Throws PsError when the content does not fit the
  /// options. Local.
  void restore(const SparseContent<T>& content);

  /// The rank that holds a key. Throws PsError for a key above largest_key. Local.
  [[nodiscard]] int owner_of(std::uint64_t key) const;
  /// Bytes pushed are those of requests: the keys of pulls and pushes, and gradients; bytes pulled, values.
  [[nodiscard]] const Traffic& traffic() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  int exceptions_at_construction_;
};

extern template class SparseTable<float>;
extern template class SparseTable<double>;

} // namespace ps
