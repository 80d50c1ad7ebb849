// How the threads of a rank share its vertices, and that the memory of a vertex is touched first by its thread.
#include "pregel/graph/thread_ranges.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/page_faults.hpp"
#include "core/random.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

/// Arcs of vertices in descending order of their number, as the loader leaves them.
std::vector<std::uint64_t> descending_rows(std::uint32_t vertices) {
  std::vector<std::uint64_t> offsets{0};
  for (std::uint32_t v = 0; v < vertices; ++v) offsets.push_back(offsets.back() + 20000 / (v + 1) + core::mix64(v) % 3);
  return offsets;
}

class ThreadRangesOf : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Vertices, ThreadRangesOf, testing::Values(0, 1, 63, 64, 65, 1000, 100000),
                         [](const auto& vertices) { return std::to_string(vertices.param); });

TEST_P(ThreadRangesOf, CoverEveryVertexOnceInAlignedPieces) {
  const std::vector<std::uint64_t> offsets = descending_rows(GetParam());
  for (const int threads : {1, 2, 3, 8}) {
    SCOPED_TRACE(threads);
    core::ThreadTeam team(threads);
    const ThreadRanges ranges(offsets, threads);
    ASSERT_EQ(ranges.bounds().size(), static_cast<std::size_t>(threads) + 1);
    EXPECT_EQ(ranges.bounds().front(), 0U);
    EXPECT_EQ(ranges.bounds().back(), GetParam());
    EXPECT_TRUE(std::ranges::is_sorted(ranges.bounds()));

    std::vector<int> fixed(GetParam()), shared(GetParam());
    std::mutex mutex;
    const auto count_in = [&](std::vector<int>& visits, std::uint32_t begin, std::uint32_t end) {
      const std::lock_guard lock(mutex);
      EXPECT_LT(begin, end);
      EXPECT_EQ(begin % 64, 0U);
      EXPECT_TRUE(end % 64 == 0 || end == GetParam());
      for (std::uint32_t v = begin; v < end; ++v) ++visits[v];
    };
    ranges.fixed(team, [&](int thread, std::uint32_t begin, std::uint32_t end) {
      EXPECT_EQ(begin, ranges.bounds()[static_cast<std::size_t>(thread)]);
      count_in(fixed, begin, end);
    });
    ranges.shared(team, [&](int, std::uint32_t begin, std::uint32_t end) { count_in(shared, begin, end); });
    EXPECT_EQ(std::count(fixed.begin(), fixed.end(), 1), static_cast<std::ptrdiff_t>(GetParam()));
    EXPECT_EQ(std::count(shared.begin(), shared.end(), 1), static_cast<std::ptrdiff_t>(GetParam()));
  }
}

TEST(ThreadRanges, HoldAboutEqualNumbersOfArcs) {
  const std::uint32_t vertices = 100000;
  std::vector<std::uint64_t> offsets(vertices + std::size_t{1});
  for (std::uint32_t v = 0; v < vertices; ++v) offsets[v + std::size_t{1}] = offsets[v] + (v < 10000 ? 100 : 1);
  const ThreadRanges ranges(offsets, 4);
  const double fair = static_cast<double>(offsets.back() + vertices) / 4;
  for (std::size_t t = 0; t < 4; ++t) {
    const std::uint32_t begin = ranges.bounds()[t], end = ranges.bounds()[t + 1];
    EXPECT_NEAR(static_cast<double>(offsets[end] - offsets[begin] + end - begin), fair, 64 * 101) << "thread " << t;
  }
}

/// Which thread works on what when one is held up in its first piece: its own range until then, and never before its
/// helper has done its own.
TEST(ThreadRanges, AThreadHelpsWhenItHasDoneItsOwn) {
  const std::uint32_t vertices = 64 * 64;
  std::vector<std::uint64_t> offsets(vertices + std::size_t{1});
  std::iota(offsets.begin(), offsets.end(), std::uint64_t{0});
  core::ThreadTeam team(2);
  const ThreadRanges ranges(offsets, 2);
  const std::uint32_t border = ranges.bounds()[1];
  std::atomic<std::uint32_t> done{0};
  std::atomic<bool> held{false};
  std::vector<std::uint32_t> begins; // thread 0's
  std::uint32_t pieces_of_1 = 0, length_of_1 = 0;
  ranges.shared(team, [&](int thread, std::uint32_t begin, std::uint32_t end) {
    if (thread == 1) {
      ++pieces_of_1;
      length_of_1 = end - begin;
      EXPECT_EQ(begin, border) << "its own first";
      held = true;
      while (done + length_of_1 != vertices) std::this_thread::yield();
      return;
    }
    while (!held) std::this_thread::yield();
    begins.push_back(begin);
    done += end - begin;
  });
  EXPECT_EQ(pieces_of_1, 1U);
  EXPECT_EQ(begins.size(), 31U);
  EXPECT_TRUE(std::ranges::is_sorted(begins)) << "its own range, which is the lower one, before the other's";
  EXPECT_EQ(begins.front(), 0U);
}

/// Sends its id for as long as it runs.
struct Numbers {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static constexpr bool always_active = true;
  static Message combine(Message a, Message b) { return a < b ? a : b; }
  void compute(Vertex<Numbers>& vertex, std::span<const Message> messages, Context&) const {
    vertex.value() = messages.empty() ? number(vertex.id()) : messages.front();
    vertex.send_to_neighbors(vertex.value());
  }
};

class FirstTouchOfAJob : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::counts_faults_of_threads())
      GTEST_SKIP() << "page faults of a thread are not counted here, or with those of a sanitizer";
  }
  static double pages(std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  /// What the threads but the caller's have touched while `work` ran.
  template <class F>
  std::vector<double> touched_by_helpers(F&& work) {
    const std::vector<long> before = core::faults_of_threads(team_);
    work();
    const std::vector<long> after = core::faults_of_threads(team_);
    std::vector<double> touched;
    for (std::size_t t = 1; t < after.size(); ++t) touched.push_back(static_cast<double>(after[t] - before[t]));
    return touched;
  }

  const core::SmallPages small_pages_;
  core::ThreadTeam team_{3};
};

TEST_F(FirstTouchOfAJob, ArcsAreTouchedByTheThreadsThatOwnThemAndSoIsAnEnginesMemory) {
  const GeneratorSpec spec = parse_generator("er:vertices=1048576,edges=2097152,seed=3");
  GraphInput input = generate(testing_support::world(), spec, team_);
  BuildOptions options;
  options.directed = true;
  DistributedGraph graph;
  const auto building =
      touched_by_helpers([&] { graph = build_graph(testing_support::world(), std::move(input), options, team_); });
  const ThreadRanges ranges(graph.in_arcs.offsets, team_.size());
  for (std::size_t t = 1; t < 3; ++t) {
    const std::uint32_t begin = ranges.bounds()[t], end = ranges.bounds()[t + 1];
    const std::uint64_t arcs = graph.in_arcs.offsets[end] - graph.in_arcs.offsets[begin];
    const double own = pages(arcs * sizeof(Slot) + (end - begin) * (sizeof(std::uint64_t) + sizeof(std::uint32_t)));
    const double in_turn = pages(graph.arcs_from_slot.entries.size() * sizeof(LocalId)) / 3;
    EXPECT_NEAR(building[t - 1], own + in_turn, 64) << "thread " << t;
  }

  const auto engine = touched_by_helpers([&] { const Engine<Numbers> unused(graph, {}, team_, {}); });
  for (std::size_t t = 1; t < 3; ++t) {
    const std::uint32_t own = ranges.bounds()[t + 1] - ranges.bounds()[t];
    // A value, and a slot for messages to come and one for those at hand.
    EXPECT_NEAR(engine[t - 1], pages(own * (sizeof(std::uint64_t) + 2 * sizeof(std::uint64_t))), 64) << "thread " << t;
  }
}

} // namespace
} // namespace pregel
