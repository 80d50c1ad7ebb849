// How the ranks of a node meet: a cache line for each in memory they share. It is the only synchronisation that
// algorithms on shared memory need, and it works in any memory, also between threads (which is how it is tested).
//
// A rank arrives at round k by storing k into its own line, and leaves when it has seen at least k in every line. A
// line has one writer, so no cache line is fought for.
//
// Why data exchanged through plain memory is seen, and not overwritten too early:
// - The store is a release and the loads that see it are acquires. So what a rank wrote before it arrived at round k is
//   visible to every rank that has left round k (C++20 [intro.races]; between processes the same instructions run).
// - A rank that has left round k knows that all have arrived at k, hence that all have finished what they do before
//   arriving: in particular all reads that belong to the phase between rounds k-1 and k, for those are sequenced before
//   the release. So memory that is read in that phase may be overwritten after round k.
// - Hence two buffers are enough where every round is followed by reads of what was exchanged in it: a rank that writes
//   into buffer k mod 2 on its way to round k has left round k-1, so all have arrived at k-1 and have done with round
//   k-2, the last to use this buffer.
//
// The notes that ranks leave for each other are double-buffered for that very reason.
//
// A rank that waits long sleeps on the line it waits for (WakingWord).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/waiting.hpp"

namespace core {

/// What a rank says when it arrives; the others compare it with their own.
struct Note {
  std::uint64_t count = 0;
  std::uint64_t what = 0;  ///< kind of call, type, operation, algorithm
  std::uint64_t where = 0; ///< place in shared memory, 0: elsewhere
};

/// A rank's line: two, because processors fetch them in pairs. Zero at first. Rounds wrap around; ranks are never more
/// than one apart.
struct alignas(128) BoardLine {
  WakingWord round;
  Note notes[2];
};

/// One rank's view. All functions are local.
class SharedBoard {
 public:
  SharedBoard() = default;
  SharedBoard(std::vector<BoardLine*> lines, int rank) : lines_(std::move(lines)), mine_(lines_[index(rank)]) {}

  void arrive() noexcept {
    seen_ = 0;
    mine_->round.store(++round_);
  }
  /// The note can be read by the others after this round.
  void arrive(const Note& note) noexcept {
    mine_->notes[(round_ + 1) % 2] = note;
    arrive();
  }
  /// Have all arrived? Cheap to ask again: who has been seen is not looked at twice.
  [[nodiscard]] bool all_arrived() noexcept {
    for (; seen_ < lines_.size(); ++seen_) {
      if (is_missing(lines_[seen_]->round.load())) return false;
    }
    return true;
  }
  /// After all_arrived() was false: sleeps until the rank that was missing arrives, at most for `longest`.
  void sleep(std::chrono::microseconds longest) noexcept {
    WakingWord& round = lines_[seen_]->round;
    const std::uint32_t now = round.load();
    if (is_missing(now)) round.sleep_while(now, longest);
  }
  /// After a round, before the next: what that rank said.
  [[nodiscard]] const Note& note_of(int rank) const noexcept { return lines_[index(rank)]->notes[round_ % 2]; }
  /// Which of two buffers belongs to the round that was arrived at last, and which to the next one.
  [[nodiscard]] std::size_t buffer() const noexcept { return round_ % 2; }
  [[nodiscard]] std::size_t next_buffer() const noexcept { return (round_ + 1) % 2; }
  /// Those for whom this rank waits.
  [[nodiscard]] std::vector<int> missing() const {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < lines_.size(); ++r) {
      if (is_missing(lines_[r]->round.load())) ranks.push_back(static_cast<int>(r));
    }
    return ranks;
  }

 private:
  [[nodiscard]] static std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }
  [[nodiscard]] bool is_missing(std::uint32_t round) const noexcept {
    return static_cast<std::int32_t>(round - round_) < 0;
  }

  std::vector<BoardLine*> lines_;
  BoardLine* mine_ = nullptr;
  std::uint32_t round_ = 0;
  std::size_t seen_ = 0;
};

} // namespace core
