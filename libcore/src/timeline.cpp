#include "core/timeline.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"

namespace core {
namespace {

constexpr std::array<const char*, Timeline::kKinds> kNames{"load",       "compute", "exchange", "wait",
                                                           "checkpoint", "restore", "output"};

constexpr std::size_t index_of(Timeline::Kind kind) {
  return static_cast<std::size_t>(kind);
}

} // namespace

Timeline::Timeline(int process, int threads, std::size_t most_spans)
    : process_(process), most_spans_(std::max<std::size_t>(most_spans, 16)), rows_(static_cast<std::size_t>(threads)) {}

std::size_t Timeline::usual_spans(int ranks, int threads) noexcept {
  constexpr std::size_t kOfTheJob = 1000000, kLeast = 1000, kMost = 65536;
  const std::size_t rows = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(threads);
  return std::clamp(kOfTheJob / rows, kLeast, kMost);
}

void Timeline::start(const Communicator& comm) {
  barrier(comm);
  start_ = Clock::now();
}

void Timeline::add_work(int thread, Clock::time_point begin, Clock::time_point end) {
  append(rows_[static_cast<std::size_t>(thread)],
         {seconds_at(begin), seconds_at(end), team_superstep_, 1, team_kind_, 0});
}

void Timeline::mark(const std::string& what) {
  instants_.push_back({seconds_at(Clock::now()), what});
}

/// With the time so far cut into a quarter as many pieces as a row has places, at most a quarter of the spans is
/// longer than a piece, and each of them and each piece's border ends at most one merged span: a quarter gets free.
void Timeline::merge_short_ones(Row& row) const {
  const double so_far = row.spans.back().end - row.spans.front().begin;
  const double piece = std::max(so_far / (static_cast<double>(most_spans_) / 4), 1e-9);
  const auto shares_of = [&](const Span& span) {
    if (span.count > 1) return row.shares[span.shares];
    Shares shares{};
    shares[index_of(span.kind)] = span.end - span.begin;
    return shares;
  };
  std::vector<Span> kept;
  std::vector<Shares> kept_shares;
  const auto piece_of = [&](const Span& span) { return static_cast<std::uint64_t>(span.begin / piece); };
  for (std::size_t i = 0; i < row.spans.size();) {
    Span merged = row.spans[i];
    Shares shares = shares_of(merged);
    const std::uint64_t first_piece = piece_of(merged);
    const bool is_short = merged.end - merged.begin < piece;
    for (++i; is_short && i < row.spans.size(); ++i) {
      const Span& next = row.spans[i];
      if (next.end - next.begin >= piece || piece_of(next) != first_piece) break;
      merged.end = next.end;
      merged.count += next.count;
      const Shares more = shares_of(next);
      for (std::size_t k = 0; k < kKinds; ++k) shares[k] += more[k];
    }
    if (merged.count > 1) {
      merged.shares = static_cast<std::uint32_t>(kept_shares.size());
      kept_shares.push_back(shares);
    }
    kept.push_back(merged);
  }
  kept.reserve(most_spans_);
  row.spans = std::move(kept);
  row.shares = std::move(kept_shares);
}

/// Times are microseconds, with nanoseconds behind the point.
std::string Timeline::events() const {
  std::string text = fmt::format(R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":"rank {0}"}}}},)"
                                 "\n"
                                 R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
                                 process_);
  for (std::size_t thread = 0; thread < rows_.size(); ++thread) {
    text += fmt::format(
        ",\n"
        R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"thread {}"}}}})",
        process_, thread, thread);
    for (const Span& span : rows_[thread].spans) {
      const bool merged = span.count > 1;
      text += fmt::format(
          ",\n"
          R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","args":{{)",
          process_, thread, span.begin * 1e6, (span.end - span.begin) * 1e6,
          merged ? "merged" : kNames[index_of(span.kind)]);
      if (span.superstep != kNoSuperstep) text += fmt::format(R"("superstep":{})", span.superstep);
      if (merged) {
        text += fmt::format(R"({}"spans":{})", span.superstep != kNoSuperstep ? "," : "", span.count);
        for (std::size_t k = 0; k < kKinds; ++k) {
          const double seconds = rows_[thread].shares[span.shares][k];
          if (seconds > 0) text += fmt::format(R"(,"{}_us":{:.3f})", kNames[k], seconds * 1e6);
        }
      }
      text += "}}";
    }
  }
  for (const Instant& instant : instants_) {
    text += fmt::format(
        ",\n"
        R"({{"ph":"i","s":"p","pid":{},"tid":0,"ts":{:.3f},"name":{}}})",
        process_, instant.at * 1e6, nlohmann::json(instant.what).dump());
  }
  return text;
}

void Timeline::write(const Communicator& comm, const std::string& path) const {
  std::string mine = events();
  if (comm.rank() + 1 < comm.size()) mine += ",\n";
  const std::vector<char> all = gather_varying(comm, std::span<const char>(mine), 0);
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    AtomicFile file(path);
    file.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    file.write({all.data(), all.size()});
    file.write("\n]}\n");
    file.commit();
  });
}

} // namespace core
