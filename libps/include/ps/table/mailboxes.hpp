// Gradients that wait for a server: for rules that one accumulate cannot express (momentum, Adam), and for folding in
// worker order. At each server every worker has one slot, as long as the shard, written by put and announced by an
// atomic flag. A slot is full from its deposit until the server releases it, so a worker is never more than one deposit
// ahead of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "core/window.hpp"
#include "ps/table/dense_table.hpp"
#include "ps/table/shard_map.hpp"

namespace ps {

template <class T>
class Mailboxes {
 public:
  /// Slots of `workers` at each of the ranks `servers` of `comm`, for gradients of `size` elements in all. Collective,
  /// as is the destructor; all else is local.
  Mailboxes(const core::Communicator& comm, std::size_t size, std::vector<int> servers, std::size_t workers);

  // For workers.

  /// True when every server has released the worker's last deposit.
  [[nodiscard]] bool is_free(std::size_t worker);
  /// Puts the gradient into the worker's slots; they must be free. Returns when it is there and announced.
  /// `version_read`: of the parameters that it was computed from.
  void deposit(std::size_t worker, std::span<const T> gradient, std::int64_t version_read);
  /// The same without the announcement: part [first, first + length of the span) only, for sending what is ready. The
  /// caller announces when all parts are in.
  void start_deposit(std::size_t worker, std::size_t first, std::span<const T> part);
  void announce(std::size_t worker, std::int64_t version_read);

  // For a server, about its own slots.

  struct Letter {
    std::size_t worker;
    std::int64_t version_read;
    std::span<const T> gradient; ///< this server's part; valid until release()
  };
  /// The slots that are full, in worker order. Gives MPI an opportunity to progress.
  [[nodiscard]] std::vector<Letter> full();
  void release(std::size_t worker);

  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  std::vector<int> servers_;
  ShardMap map_;
  std::size_t workers_;
  std::size_t shard_index_;
  core::Window<T> slots_;
  core::Window<std::int64_t> flags_; // by worker: 0 free, 1 full; then the versions
  Traffic traffic_;
};

extern template class Mailboxes<float>;
extern template class Mailboxes<double>;

} // namespace ps
