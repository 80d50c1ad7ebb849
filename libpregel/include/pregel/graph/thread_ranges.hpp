// Which thread of a rank works on which of its vertices. A thread owns one range of local vertices; ranges hold about
// equal numbers of arcs and begin at multiples of 64, so that no two threads write the same word of a bitmap.
//
// The loader lets the owner touch the memory of its vertices first, and the engine comes back to the same division:
//   fixed   each thread does its range, whatever the others do (PUSH)
//   shared  ranges are cut into pieces; each thread takes its own one after the other, and helps others when it has
//           none left (PULL). Work moves between threads only where they would wait, and only then is memory far.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_team.hpp"

namespace pregel {

class ThreadRanges {
 public:
  /// `offsets` of the arcs into local vertices 0 .. size-2. Local.
  ThreadRanges(std::span<const std::uint64_t> offsets, int threads);

  /// threads + 1 vertices, ascending: the range of thread t is bounds()[t] .. bounds()[t+1]-1 and may be empty.
  [[nodiscard]] std::span<const std::uint32_t> bounds() const noexcept { return bounds_; }

  /// Calls body(thread, begin, end) once for each range that is not empty, by its owner. Local.
  template <class Body>
  void fixed(core::ThreadTeam& team, Body&& body) const {
    team.run([&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      if (bounds_[t] < bounds_[t + 1]) body(thread, bounds_[t], bounds_[t + 1]);
    });
  }

  /// Calls body(thread, begin, end) for pieces of all ranges, by their owner while it has time. Local.
  template <class Body>
  void shared(core::ThreadTeam& team, Body&& body) const {
    std::vector<Cursor> cursors(first_piece_.size() - 1);
    team.run([&](int thread) {
      for (std::size_t k = 0; k < cursors.size(); ++k) {
        const std::size_t owner = (static_cast<std::size_t>(thread) + k) % cursors.size();
        const std::size_t first = first_piece_[owner], count = first_piece_[owner + 1] - first;
        for (std::size_t i; (i = cursors[owner].next.fetch_add(1, std::memory_order_relaxed)) < count;)
          body(thread, pieces_[first + i], pieces_[first + i + 1]);
      }
    });
  }

 private:
  /// The next piece of an owner; each in a cache line of its own.
  struct alignas(64) Cursor {
    std::atomic<std::size_t> next{0};
  };
  std::vector<std::uint32_t> bounds_;
  std::vector<std::uint32_t> pieces_;    // where pieces begin, and the end of the last
  std::vector<std::size_t> first_piece_; // an owner, threads + 1
};

} // namespace pregel
