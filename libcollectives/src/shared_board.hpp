// How the ranks of a node meet: a cache line for each in memory they share. It is the only synchronisation that the
// shared-memory algorithms have, and it works in any memory, also between threads (which is how it is tested).
//
// A rank arrives at round k by storing k into its own line, and leaves when it has seen at least k in every line. A
// line has one writer; nobody's cache line is fought for.
//
// Why data exchanged through plain memory is seen, and not overwritten too early:
// - The store is a release and the loads that see it are acquires. So what a rank wrote before it arrived at round k is
//   visible to everybody that has left round k (C++20 [intro.races]; between processes the same instructions run).
// - Whoever has left round k knows that all have arrived at k, hence that all have finished what they do before
//   arriving: in particular all reads that belong to the phase between rounds k-1 and k, for those are sequenced before
//   the release. So memory that is read in that phase may be overwritten after round k.
// - Hence two buffers are enough where every round is followed by reads of what was exchanged in it: a rank that writes
//   into buffer k mod 2 on its way to round k has left round k-1, so all have arrived at k-1 and have done with round
//   k-2, the last to use this buffer.
//
// The notes that ranks leave for each other are double-buffered for that very reason.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace collectives::detail {

/// What a rank says when it arrives; the others compare it with their own (fingerprint.hpp).
struct Note {
  std::uint64_t count = 0;
  std::uint64_t what = 0;  ///< kind of call, type, operation, algorithm
  std::uint64_t where = 0; ///< place in shared memory, 0: elsewhere
};

/// A rank's line: two, because processors fetch them in pairs. Zero at first.
struct alignas(128) BoardLine {
  std::atomic<std::uint64_t> round{0};
  Note notes[2];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock would not work between processes");

/// One rank's view.
class SharedBoard {
 public:
  SharedBoard() = default;
  SharedBoard(std::vector<BoardLine*> lines, int rank) : lines_(std::move(lines)), mine_(lines_[index(rank)]) {}

  void arrive() noexcept {
    mine_->round.store(++round_, std::memory_order_release);
    seen_ = 0;
  }
  /// The note can be read by the others after this round.
  void arrive(const Note& note) noexcept {
    mine_->notes[(round_ + 1) % 2] = note;
    arrive();
  }
  /// Have all arrived? Cheap to ask again: who has been seen is not looked at twice.
  [[nodiscard]] bool all_arrived() noexcept {
    for (; seen_ < lines_.size(); ++seen_) {
      if (lines_[seen_]->round.load(std::memory_order_acquire) < round_) return false;
    }
    return true;
  }
  /// After a round, before the next: what that rank said.
  [[nodiscard]] const Note& note_of(int rank) const noexcept { return lines_[index(rank)]->notes[round_ % 2]; }
  /// Those for whom this rank waits.
  [[nodiscard]] std::vector<int> missing() const {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < lines_.size(); ++r) {
      if (lines_[r]->round.load(std::memory_order_acquire) < round_) ranks.push_back(static_cast<int>(r));
    }
    return ranks;
  }

 private:
  [[nodiscard]] static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }

  std::vector<BoardLine*> lines_;
  BoardLine* mine_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t seen_ = 0;
};

} // namespace collectives::detail
