// Timelines: what is written can be read, rows stay short, and sums stay true when spans are merged.
#include "core/timeline.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "temporary_directory.hpp"

namespace core {
namespace {

using nlohmann::json;
using Kind = Timeline::Kind;

/// Written by all ranks and read back by each.
json events_of(const Communicator& comm, const Timeline& timeline) {
  const test::TemporaryDirectory directory(comm);
  const std::string path = directory.file("timeline.json");
  timeline.write(comm, path);
  std::ifstream in(path);
  json document = json::parse(in);
  barrier(comm); // all have read it
  return document.at("traceEvents");
}

struct RowSums {
  std::size_t spans = 0;
  double end = 0; // microseconds
  std::map<std::string, double> microseconds;
};

/// The spans of a row, which must not overlap.
RowSums sums_of(const json& events, int process, int thread) {
  RowSums sums;
  for (const json& event : events) {
    if (event.at("ph") != "X" || event.at("pid") != process || event.at("tid") != thread) continue;
    ++sums.spans;
    EXPECT_GE(event.at("ts").get<double>(), sums.end - 0.0015); // rounded to nanoseconds
    sums.end = event.at("ts").get<double>() + event.at("dur").get<double>();
    if (event.at("name") != "merged") {
      sums.microseconds[event.at("name")] += event.at("dur").get<double>();
      continue;
    }
    for (const auto& [key, value] : event.at("args").items())
      if (key.ends_with("_us")) sums.microseconds[key.substr(0, key.size() - 3)] += value.get<double>();
  }
  return sums;
}

TEST(Timeline, tells_of_every_rank_and_of_what_happened) {
  const auto world = Communicator::world();
  Timeline timeline(10 + world.rank(), 1, 100);
  timeline.start(world);
  timeline.add(Kind::load, 1e-6, Timeline::Clock::now());
  timeline.add(Kind::compute, 1e-6, Timeline::Clock::now(), 7);
  timeline.mark("rank 5 \"lost\"");
  const json events = events_of(world, timeline);
  std::map<int, int> marks;
  for (const json& event : events) {
    if (event.at("ph") != "i") continue;
    EXPECT_EQ(event.at("name"), "rank 5 \"lost\"");
    ++marks[event.at("pid")];
  }
  EXPECT_EQ(marks.size(), static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < world.size(); ++rank) {
    const RowSums sums = sums_of(events, 10 + rank, 0);
    EXPECT_EQ(sums.spans, 2U);
    EXPECT_GT(sums.microseconds.at("compute"), 0);
    EXPECT_GT(sums.end, 0);
  }
}

TEST(Timeline, merges_the_shortest_when_a_row_is_full) {
  const auto world = Communicator::world();
  constexpr std::size_t kMost = 64;
  constexpr int kSpans = 20000;
  Timeline timeline(world.rank(), 2, kMost);
  timeline.start(world);
  auto now = Timeline::Clock::now();
  std::map<std::string, double> wanted;
  for (int i = 0; i < kSpans; ++i) {
    const bool is_long = i % 4000 == 3999; // far longer than all the others together
    const auto length = is_long ? std::chrono::microseconds(100000) : std::chrono::microseconds(1 + i % 3);
    timeline.working_for(i % 2 == 0 ? Kind::compute : Kind::exchange, static_cast<std::uint64_t>(i));
    timeline.add_work(1, now, now + length);
    wanted[i % 2 == 0 ? "compute" : "exchange"] += static_cast<double>(length.count());
    now += length + std::chrono::microseconds(1);
  }
  const json events = events_of(world, timeline);
  const RowSums sums = sums_of(events, world.rank(), 1);
  EXPECT_LE(sums.spans, kMost);
  EXPECT_GE(sums.spans, kMost / 16);
  EXPECT_EQ(sums.microseconds.size(), 2U);
  for (const auto& [name, microseconds] : wanted)
    EXPECT_NEAR(sums.microseconds.at(name), microseconds, 1e-6 * microseconds + 1) << name;
  int long_ones = 0;
  for (const json& event : events)
    if (event.at("ph") == "X" && event.at("pid") == world.rank() && event.at("name") == "exchange" &&
        event.at("dur").get<double>() > 99999)
      ++long_ones;
  EXPECT_EQ(long_ones, kSpans / 4000);
}

TEST(Timeline, that_cannot_be_written_is_an_error_on_every_rank) {
  const auto world = Communicator::world();
  EXPECT_THROW(Timeline(world.rank(), 1, 16).write(world, "/no/such/directory/timeline.json"), Error);
}

} // namespace
} // namespace core
