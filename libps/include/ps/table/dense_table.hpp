// A vector of parameters in the memory of server ranks, read and added to by everyone through one-sided communication:
// the parameter server itself (Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014).
// No server need do anything for it: plain SGD is an MPI_Accumulate of -e·g.
//
// Atomicity: a pull and a push are atomic for each element, not as wholes. A pull that meets a push may see some
// elements before and some after it (it is torn), in pieces as small as one element. pull_racy() is not even atomic per
// element (MPI_Get that races with accumulates is undefined by MPI): Hogwild (Niu, Recht, Ré, Wright, NIPS 2011), which
// lives with that. write() must not meet a push: MPI lets two different operations work on one element at once only
// when one of them is a read.
//
// An atomic read is MPI_Get_accumulate with MPI_NO_OP. On one node it costs no more than MPI_Get: both copy, and the
// lock of the target is taken once for each MiB (core/window.hpp). Loading the shard of a rank on the same node
// element by element, through shared memory, is legal too and half as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/communicator.hpp"
#include "core/request.hpp"
#include "core/window.hpp"
#include "ps/table/shard_map.hpp"

namespace ps {

/// What has crossed between this rank and servers, itself included.
struct Traffic {
  std::uint64_t messages = 0; ///< one for each server that a call touches
  std::uint64_t bytes_pushed = 0;
  std::uint64_t bytes_pulled = 0;
};

/// Started operations. The buffer must stay in place until wait() has returned. Move-only. All functions are local.
class PendingOperation {
 public:
  PendingOperation() = default;
  explicit PendingOperation(std::vector<core::Request> requests) : requests_(std::move(requests)) {}
  /// Returns when all of it is complete.
  void wait();
  /// True when all of it is complete; gives MPI an opportunity to progress.
  [[nodiscard]] bool test();

 private:
  std::vector<core::Request> requests_;
};

template <class T>
class DenseTable {
 public:
  /// `size` parameters, zero at first, over the ranks `servers` of `comm` in shard order (no rank twice; at least one).
  /// Throws on all ranks when memory is short. Collective, as is the destructor.
  DenseTable(const core::Communicator& comm, std::size_t size, std::vector<int> servers);

  [[nodiscard]] std::size_t size() const noexcept { return map_.parameters(); }
  [[nodiscard]] const ShardMap& shards() const noexcept { return map_; }

  // Parameters [first, first + length of the span). Throws PsError when that is out of range. Local.
  // The start_ functions are for programs that compute while parameters travel. The strategies of consistency/ do not:
  // each gradient needs all parameters, and their push all of the gradient.

  /// Reads, each element atomically.
  void pull(std::size_t first, std::span<T> values);
  [[nodiscard]] PendingOperation start_pull(std::size_t first, std::span<T> values);
  /// Reads with plain gets: racy (see above), and no faster than pull() through any component that was measured.
  void pull_racy(std::size_t first, std::span<T> values);
  /// Adds, each element atomically. Returns when the servers have it.
  void push(std::size_t first, std::span<const T> addend);
  /// The same; after wait() the buffer may be reused, after flush() the servers have it.
  [[nodiscard]] PendingOperation start_push(std::size_t first, std::span<const T> addend);
  void flush();
  /// Overwrites, each element atomically. Returns when the servers have it. Nobody may push these elements meanwhile.
  void write(std::size_t first, std::span<const T> values);

  /// This rank's shard, empty unless it is a server. What others have pushed is seen, and stores are seen by them,
  /// after sync(). Local.
  [[nodiscard]] std::span<T> shard() const noexcept { return window_.local(); }
  /// Which shard this rank holds; servers() of the map if none.
  [[nodiscard]] std::size_t shard_index() const noexcept { return shard_index_; }
  void sync() { window_.sync(); }

  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  /// Calls piece(server's rank, offset in its shard, position in the span, length) for each part of a range, and counts
  /// a message for each.
  template <class F>
  void for_each_piece(std::size_t first, std::size_t count, F&& piece);
  void flush(std::size_t first, std::size_t count);

  std::vector<int> servers_;
  ShardMap map_;
  std::size_t shard_index_;
  core::Window<T> window_;
  Traffic traffic_;
};

extern template class DenseTable<float>;
extern template class DenseTable<double>;

} // namespace ps
