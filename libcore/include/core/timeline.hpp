// When a rank did what, as a picture: spans of its phases and of its threads' work, and instants, written as a Chrome
// trace for https://ui.perfetto.dev or chrome://tracing. A rank is a process there, and a thread a row of it.
//
// Memory is bounded. A row that is full is gone over once: what is shorter than a fraction of the time so far is merged
// with its neighbours, long spans stay as they are. A merged span keeps how much of each kind it stands for, so sums
// stay true.
//
// Clocks of different hosts share no beginning: all begin at 0 when their rank leaves the barrier of start(), which is
// some tens of microseconds apart.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/communicator.hpp"

namespace core {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Kind : std::uint8_t { load, compute, exchange, wait, checkpoint, restore, output };
  static constexpr std::size_t kKinds = 7;
  static constexpr std::uint64_t kNoSuperstep = ~std::uint64_t{0};

  /// `process`: the rank's number in the picture, the same after a failure. `threads`: rows; a row keeps at most
  /// `most_spans`, at least 16. Local.
  Timeline(int process, int threads, std::size_t most_spans);
  /// As many spans a row as make at most a million for the job, more of which is hardly opened, and at most 65536,
  /// which stay in a cache. Local.
  [[nodiscard]] static std::size_t usual_spans(int ranks, int threads) noexcept;

  /// Time begins. Collective.
  void start(const Communicator& comm);

  /// A phase of the rank that ended at `end`, after so many seconds, behind those told before. Local; some nanoseconds.
  void add(Kind kind, double seconds, Clock::time_point end, std::uint64_t superstep = kNoSuperstep) {
    Row& row = rows_.front();
    const double last = seconds_at(end);
    const double begin = std::max(last - seconds, row.spans.empty() ? 0.0 : row.spans.back().end);
    append(row, {begin, std::max(begin, last), superstep, 1, kind, 0});
  }
  /// What the team works for from now on. Local, while it does not run.
  void working_for(Kind kind, std::uint64_t superstep = kNoSuperstep) noexcept {
    team_kind_ = kind;
    team_superstep_ = superstep;
  }
  /// A thread of the team, not the caller's, has worked. Called by that thread.
  void add_work(int thread, Clock::time_point begin, Clock::time_point end);
  /// Something happened now. Local.
  void mark(const std::string& what);

  /// Writes the timelines of all ranks to `path`, by rank 0, which gathers their text: some 100 bytes a span. Temporary
  /// name, renamed when complete. Collective.
  void write(const Communicator& comm, const std::string& path) const;

 private:
  /// Seconds of each kind.
  using Shares = std::array<double, kKinds>;
  struct Span {
    double begin, end;
    std::uint64_t superstep;
    std::uint32_t count;  // spans that were merged into it
    Kind kind;            // of a single one
    std::uint32_t shares; // where a merged one's are
  };
  struct Row {
    std::vector<Span> spans;
    std::vector<Shares> shares;
  };
  struct Instant {
    double at;
    std::string what;
  };

  [[nodiscard]] double seconds_at(Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count();
  }
  void append(Row& row, const Span& span) const {
    if (row.spans.size() == most_spans_) merge_short_ones(row);
    row.spans.push_back(span);
  }
  void merge_short_ones(Row& row) const;
  [[nodiscard]] std::string events() const;

  int process_;
  std::size_t most_spans_;
  Clock::time_point start_ = Clock::now();
  std::vector<Row> rows_; // a thread
  std::vector<Instant> instants_;
  Kind team_kind_ = Kind::load;
  std::uint64_t team_superstep_ = kNoSuperstep;
};

} // namespace core
