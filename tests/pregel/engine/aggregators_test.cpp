// Aggregators: every kind with every type, fed by some ranks and threads, by all and by none.
#include "pregel/engine/aggregators.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::world;

constexpr int kThreads = 3;

/// What the loop does with a board at a barrier.
void reduce(AggregatorBoard& board) {
  std::vector<std::int64_t> sums(board.sum_words()), maxima(board.max_words());
  board.pack(sums, maxima);
  core::all_reduce(world(), std::span<std::int64_t>(sums), core::Reduce::sum);
  core::all_reduce(world(), std::span<std::int64_t>(maxima), core::Reduce::max);
  board.unpack(sums, maxima);
}

/// The value of a board's only aggregator, after each rank has fed each x of `all` whose turn it is: value i goes to
/// rank i mod P, thread i mod T.
template <class T, AggregateKind Kind>
std::optional<T> aggregate(const AggregatorRegistry& registry, AggregatorHandle<T, Kind> handle,
                           const std::vector<std::type_identity_t<T>>& all) {
  AggregatorBoard board(registry.declarations(), kThreads);
  const auto ranks = static_cast<std::size_t>(world().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % ranks != static_cast<std::size_t>(world().rank())) continue;
    board.of_thread(static_cast<int>(i / ranks % kThreads))[handle.index].template feed<T, Kind>(all[i]);
  }
  reduce(board);
  const std::optional<T> value = board.reduced(handle.index).template value<T, Kind>();

  reduce(board); // nobody fed it in the superstep after
  EXPECT_EQ((board.reduced(handle.index).template value<T, Kind>()), std::nullopt);
  return value;
}

template <class T>
class OrderedAggregators : public testing::Test {
 protected:
  /// Includes the extremes, in no order.
  static std::vector<T> values() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::same_as<T, bool>)
      return {true, false, true, true};
    else
      return {T{3}, Limits::max(), Limits::lowest(), T{0}, static_cast<T>(T{0} - T{1}), T{7}, T{7}};
  }
};
using Types = testing::Types<double, std::int64_t, std::uint64_t, bool>;
TYPED_TEST_SUITE(OrderedAggregators, Types);

TYPED_TEST(OrderedAggregators, MinAndMax) {
  AggregatorRegistry registry;
  const auto min = registry.min<TypeParam>("min");
  const auto max = registry.max<TypeParam>("max");
  const std::vector<TypeParam> all = this->values();
  EXPECT_EQ(aggregate(registry, min, all), *std::ranges::min_element(all));
  EXPECT_EQ(aggregate(registry, max, all), *std::ranges::max_element(all));
  for (const TypeParam one : all) { // alone: fed by one rank and one thread
    EXPECT_EQ(aggregate(registry, min, {one}), one);
    EXPECT_EQ(aggregate(registry, max, {one}), one);
  }
}

TYPED_TEST(OrderedAggregators, AbsentUnlessFed) {
  AggregatorRegistry registry;
  EXPECT_EQ(aggregate(registry, registry.min<TypeParam>("min"), {}), std::nullopt);
  EXPECT_EQ(aggregate(registry, registry.max<TypeParam>("max"), {}), std::nullopt);
  EXPECT_EQ(aggregate(registry, registry.sum<TypeParam>("sum"), {}), std::nullopt);
}

TEST(Aggregators, InfinitiesAndSignedZeros) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  AggregatorRegistry registry;
  const auto min = registry.min<double>("min");
  const auto max = registry.max<double>("max");
  EXPECT_EQ(aggregate(registry, min, {1.0, -kInfinity, kInfinity}), -kInfinity);
  EXPECT_EQ(aggregate(registry, max, {1.0, -kInfinity, kInfinity}), kInfinity);
  EXPECT_TRUE(std::signbit(*aggregate(registry, min, {0.0, -0.0, 0.0})));
  EXPECT_FALSE(std::signbit(*aggregate(registry, max, {-0.0, 0.0, -0.0})));
  EXPECT_EQ(aggregate(registry, max, {-5e-324, -1.0}), -5e-324);
}

TEST(Aggregators, LogicalAndOr) {
  AggregatorRegistry registry;
  const AndAggregator all = registry.logical_and("all");
  const OrAggregator any = registry.logical_or("any");
  EXPECT_EQ(aggregate(registry, all, {true, true, true, true, true}), true);
  EXPECT_EQ(aggregate(registry, all, {true, true, true, true, false}), false);
  EXPECT_EQ(aggregate(registry, any, {false, false, false, false, true}), true);
  EXPECT_EQ(aggregate(registry, any, {false, false, false, false}), false);
  EXPECT_EQ(aggregate(registry, all, {}), std::nullopt);
  EXPECT_EQ(aggregate(registry, any, {}), std::nullopt);
}

TEST(Aggregators, IntegerSumsAndCounts) {
  AggregatorRegistry registry;
  const auto sum = registry.sum<std::int64_t>("sum");
  const auto unsigned_sum = registry.sum<std::uint64_t>("unsigned sum");
  const CountAggregator count = registry.count("count");
  EXPECT_EQ(aggregate(registry, sum, {5, -7, 1, 1, 1, -10}), -9);
  EXPECT_EQ(aggregate(registry, sum, {std::numeric_limits<std::int64_t>::max(), -1}),
            std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_EQ(aggregate(registry, unsigned_sum, {1ULL << 63U, 1, 2, 3}), (1ULL << 63U) + 6);
  EXPECT_EQ(aggregate(registry, count, {1, 1, 1, 10}), 13U);
  EXPECT_EQ(aggregate(registry, sum, {0}), 0) << "fed with zero is not absent";
}

/// The exact sum, rounded once; any order of additions in doubles would give something else.
TEST(Aggregators, RealSumsAreExact) {
  AggregatorRegistry registry;
  const auto sum = registry.sum<double>("sum");
  std::vector<double> values{1e300, 1.0, -1e300, 0x1p-1000};
  for (int i = 0; i < 1000; ++i) values.push_back(0.1);
  for (int i = 0; i < 100; ++i) values.insert(values.end(), {1e16, 1.0, -1e16});
  // 101 + 1000 times the double nearest to 0.1, which is 0.1 + 5.55e-18: rounds to 201.
  EXPECT_EQ(aggregate(registry, sum, values), 201.0);
  EXPECT_EQ(aggregate(registry, sum, {0x1p-1074, 0x1p-1074}), 0x1p-1073);
  EXPECT_EQ(aggregate(registry, sum, {1e308, 1e308}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(aggregate(registry, sum, {1e308, 1e308, -1e308}), 1e308);
}

TEST(Aggregators, NamesTextsAndNumbers) {
  AggregatorRegistry registry;
  const auto sum = registry.sum<double>("sum");
  const auto never = registry.max<double>("never");
  const auto least = registry.min<std::uint64_t>("least");
  const auto all = registry.logical_and("all");
  AggregatorBoard board(registry.declarations(), 1);
  board.of_thread(0)[sum.index].feed<double, AggregateKind::sum>(0.1);
  board.of_thread(0)[least.index].feed<std::uint64_t, AggregateKind::min>(10 + static_cast<unsigned>(world().rank()));
  board.of_thread(0)[all.index].feed<bool, AggregateKind::logical_and>(world().rank() != 0);
  reduce(board);
  EXPECT_EQ(board.names(), (std::vector<std::string>{"sum", "never", "least", "all"}));
  EXPECT_EQ(board.texts()[never.index], "");
  EXPECT_EQ(board.texts()[least.index], "10");
  EXPECT_EQ(board.texts()[all.index], "0");
  const auto named = board.named_values();
  ASSERT_EQ(named.size(), 3U);
  EXPECT_EQ(named[0].first, "sum");
  EXPECT_DOUBLE_EQ(named[0].second, 0.1 * world().size());
  EXPECT_EQ(named[1], (std::pair<std::string, double>("least", 10)));
}

// ---- in a job: what is fed in superstep k is read in k+1, by vertices and by the master --------------------------

/// Feeds its superstep in even supersteps only, and remembers what it read.
struct Reader {
  struct Value {
    std::int64_t read[5] = {};
  };
  using Message = std::uint64_t;
  static constexpr std::int64_t kAbsent = -1;

  SumAggregator<std::int64_t> sum{};
  void declare(AggregatorRegistry& registry) { sum = registry.sum<std::int64_t>("sum"); }
  void compute(Vertex<Reader>& vertex, std::span<const Message>, Context& context) const {
    vertex.value().read[context.superstep()] = context.aggregated(sum).value_or(kAbsent);
    if (context.superstep() % 2 == 0) context.aggregate(sum, static_cast<std::int64_t>(context.superstep()) + 1);
    if (context.superstep() == 4) vertex.vote_to_halt();
  }
  void master(MasterContext& context) const {
    const std::optional<std::int64_t> wanted =
        context.superstep() % 2 == 0
            ? std::optional(static_cast<std::int64_t>((context.superstep() + 1) * context.vertex_count()))
            : std::nullopt;
    EXPECT_EQ(context.aggregated(sum), wanted) << "superstep " << context.superstep();
  }
};

TEST(AggregatorsInAJob, ReadOneSuperstepLater) {
  const DistributedGraph graph = testing_support::build(oracle::random_graph(30, 50, true, 1));
  core::ThreadTeam team(1);
  Engine<Reader> engine(graph, {}, team, {});
  const RunReport report = engine.run();
  EXPECT_EQ(report.supersteps(), 5U);
  for (const Reader::Value& value : engine.values()) {
    const std::int64_t n = 30;
    const std::int64_t wanted[5] = {Reader::kAbsent, n, Reader::kAbsent, 3 * n, Reader::kAbsent};
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(value.read[k], wanted[k]) << "superstep " << k;
  }
  EXPECT_EQ(report.aggregates, (std::vector<std::pair<std::string, double>>{{"sum", 150.0}}));
}

} // namespace
} // namespace pregel
