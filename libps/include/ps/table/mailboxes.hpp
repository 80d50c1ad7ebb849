// Gradients that wait for a server: for rules that one accumulate cannot express (momentum, Adam), and for folding in
// worker order. At each server every worker has one slot, as long as the shard, written by put and announced by an
// atomic flag. A slot is full from its deposit until the server releases it, so a worker is never more than one deposit
// ahead of a server.
//
// One word is flag and version at once: 0 is free, v + 1 says that the slot holds a gradient computed from version v.
// The worker flushes the slot before it writes the word, so whoever reads the word finds the gradient complete.
// Servers whose shard is empty get announcements too: every server sees every deposit.
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
  /// as is the destructor; all else is local. A rank may carry several workers; all deposits of a worker come from the
  /// same rank.
  Mailboxes(const core::Communicator& comm, std::size_t size, std::vector<int> servers, std::size_t workers);

  // For workers. A worker that does not exist, and a gradient of a wrong length, throw PsError.

  /// True when every server has released the worker's last deposit. Asks only those of whom that is not known.
  [[nodiscard]] bool is_free(std::size_t worker);
  /// Puts the gradient into the worker's slots. Returns when it is there and announced. Throws PsError when the slots
  /// are not free. `version_read`: of the parameters that it was computed from, 0 or more.
  void deposit(std::size_t worker, std::span<const T> gradient, std::int64_t version_read);
  /// The same without the announcement: part [first, first + length of the span) only, for sending what is ready. The
  /// caller announces when all parts are in; until then the parts must stay in place. For programs of one's own on a
  /// network: on one node a put is a copy that nothing hides, so the strategies of consistency/ deposit the whole.
  void start_deposit(std::size_t worker, std::size_t first, std::span<const T> part);
  void announce(std::size_t worker, std::int64_t version_read);

  // For a server, about its own slots.

  struct Letter {
    std::size_t worker;
    std::int64_t version_read;
    std::span<const T> gradient; ///< this server's part; valid until release()
  };
  /// The slots that are full, in worker order; none on a rank that is no server. Gives MPI an opportunity to progress.
  [[nodiscard]] std::vector<Letter> full();
  /// Makes a full slot free for the worker's next deposit. Throws PsError when it is free already.
  void release(std::size_t worker);

  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }
  [[nodiscard]] const ShardMap& shards() const noexcept { return map_; }
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  void require_worker(std::size_t worker) const;
  /// Throws PsError unless all slots of the worker are free.
  void require_free(std::size_t worker);
  [[nodiscard]] bool serves() const noexcept { return shard_index_ < servers_.size(); }

  std::vector<int> servers_;
  ShardMap map_;
  std::size_t workers_;
  std::size_t shard_index_;
  int rank_;
  core::Window<T> slots_;            // of each worker in turn
  core::Window<std::int64_t> words_; // one a worker
  std::vector<char> unreleased_;     // [worker][server]: deposited from here, and not yet known to be free
  std::vector<std::int64_t> seen_;   // a server's copy of its words
  Traffic traffic_;
};

extern template class Mailboxes<float>;
extern template class Mailboxes<double>;

} // namespace ps
