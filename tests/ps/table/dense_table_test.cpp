// Dense tables: exact sums under concurrency, elements that are never torn, every placement of servers.
#include "ps/table/dense_table.hpp"

#include <climits>
#include <cmath>

#include "core/collectives.hpp"
#include "ps/error.hpp"
#include "table_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

TEST(ShardMaps, CutTheVectorIntoRangesOfNearlyEqualLength) {
  for (std::size_t servers = 1; servers <= 9; ++servers) {
    for (std::size_t parameters = 0; parameters <= 40; ++parameters) {
      const ShardMap map(parameters, servers);
      EXPECT_EQ(map.begin(0), 0U);
      EXPECT_EQ(map.begin(servers), parameters);
      for (std::size_t s = 0; s < servers; ++s) {
        EXPECT_GE(map.length(s), parameters / servers);
        EXPECT_LE(map.length(s), parameters / servers + 1);
        for (std::size_t p = map.begin(s); p < map.begin(s + 1); ++p) EXPECT_EQ(map.server_of(p), s);
      }
    }
  }
}

template <class T>
class DenseTables : public testing::Test {
 protected:
  void TearDown() override { core::set_count_limit(INT_MAX); }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseTables, Types);

/// A push that a rank makes: drawn from its own stream, so that any rank can work it out.
template <class T>
struct Push {
  std::size_t first;
  std::vector<T> addend;
};
template <class T>
Push<T> draw_push(core::CounterRandom& random, std::size_t size) {
  const std::size_t first = random.below(size + 1);
  Push<T> push{first, std::vector<T>(random.below(size - first + 1))};
  for (T& x : push.addend) x = static_cast<T>(static_cast<int>(random.below(17)) - 8); // sums stay exact
  return push;
}
constexpr int kPushes = 12;

/// What all ranks' pushes add up to.
template <class T>
std::vector<T> sum_of_pushes(std::size_t size, std::uint64_t seed) {
  std::vector<T> sums(size);
  for (int rank = 0; rank < world().size(); ++rank) {
    core::CounterRandom random(seed, static_cast<std::uint64_t>(rank));
    for (int i = 0; i < kPushes; ++i) {
      const Push<T> push = draw_push<T>(random, size);
      for (std::size_t k = 0; k < push.addend.size(); ++k) sums[push.first + k] += push.addend[k];
    }
  }
  return sums;
}

/// Pushes of this rank, blocking and started ones in turn.
template <class T>
void make_pushes(DenseTable<T>& table, std::uint64_t seed) {
  core::CounterRandom random(seed, static_cast<std::uint64_t>(world().rank()));
  for (int i = 0; i < kPushes; ++i) {
    const Push<T> push = draw_push<T>(random, table.size());
    if (i % 3 == 0) {
      table.push(push.first, push.addend);
    } else {
      PendingOperation pending = table.start_push(push.first, push.addend);
      if (i % 3 == 1)
        pending.wait();
      else
        while (!pending.test()) std::this_thread::yield();
    }
  }
  table.flush();
}

TYPED_TEST(DenseTables, ConcurrentPushesAddUpExactly) {
  using T = TypeParam;
  for (const std::size_t limit : {std::size_t{INT_MAX}, std::size_t{7}}) {
    core::set_count_limit(limit);
    for (const std::vector<int>& servers : server_layouts()) {
      for (const std::size_t size : {0, 1, 3, 500}) {
        SCOPED_TRACE(text_of(servers) + ", size " + std::to_string(size) + ", limit " + std::to_string(limit));
        DenseTable<T> table(world(), size, servers);
        make_pushes(table, size);
        core::barrier(world());
        const std::vector<T> expected = sum_of_pushes<T>(size, size);
        std::vector<T> values(size, T{-1});
        table.pull(0, values);
        EXPECT_EQ(values, expected);
        std::fill(values.begin(), values.end(), T{-1});
        table.pull_racy(0, values); // nobody pushes now
        EXPECT_EQ(values, expected);
        const std::size_t first = size / 3;
        std::vector<T> part(size - first);
        table.start_pull(first, part).wait();
        EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)));
        core::barrier(world());
      }
    }
  }
}

// The addend has set bits at both ends of the mantissa, so a number made of halves of two others is no multiple of it.
TYPED_TEST(DenseTables, PullsBesidePushesFindWholeElements) {
  using T = TypeParam;
  constexpr std::size_t kSize = 3000;
  constexpr int kRounds = 60;
  const T addend = T{1} + std::ldexp(T{1}, sizeof(T) == 4 ? -10 : -30);
  DenseTable<T> table(world(), kSize, server_layouts().front());
  const bool pushes = world().size() == 1 || world().rank() > 0;
  const int pushing = std::max(world().size() - 1, 1);
  std::vector<T> values(kSize), before(kSize);
  const std::vector<T> ones(kSize, addend);
  for (int round = 0; round < kRounds; ++round) {
    if (pushes) table.push(0, ones);
    if (round % 2 == 0)
      table.pull(0, values);
    else
      table.start_pull(0, values).wait();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      const T pushes_seen = std::round(values[i] / addend);
      if (pushes_seen * addend != values[i] || pushes_seen > static_cast<T>(pushing * kRounds)) ++wrong;
      if (values[i] < before[i]) ++wrong; // time does not run backwards
    }
    EXPECT_EQ(wrong, 0U) << "round " << round;
    before = values;
  }
  core::barrier(world());
  table.pull(0, values);
  EXPECT_EQ(values, std::vector<T>(kSize, static_cast<T>(pushing * kRounds) * addend));
  core::barrier(world());
}

TYPED_TEST(DenseTables, LongVectorsGoInPieces) {
  using T = TypeParam;
  constexpr std::size_t kSize = 300'001; // more than a piece of an atomic operation on every server
  DenseTable<T> table(world(), kSize, {world().size() - 1});
  std::vector<T> ramp(kSize);
  for (std::size_t i = 0; i < kSize; ++i) ramp[i] = static_cast<T>(i % 1000);
  for (int i = 0; i < 3; ++i) table.push(0, ramp);
  table.start_push(0, ramp).wait();
  table.flush();
  core::barrier(world());
  std::vector<T> values(kSize), again(kSize);
  PendingOperation pending = table.start_pull(0, again);
  table.pull(0, values);
  pending.wait();
  EXPECT_TRUE(pending.test()); // once more does no harm
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kSize; ++i)
    wrong += values[i] != static_cast<T>(4 * world().size()) * ramp[i] || again[i] != values[i] ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
  core::barrier(world());
}

TYPED_TEST(DenseTables, ServersSeeAndChangeTheirShards) {
  using T = TypeParam;
  constexpr std::size_t kSize = 29;
  for (const std::vector<int>& servers : server_layouts()) {
    SCOPED_TRACE(text_of(servers));
    DenseTable<T> table(world(), kSize, servers);
    std::vector<T> values(kSize);
    std::iota(values.begin(), values.end(), T{1});
    if (world().rank() == 0) table.write(0, values);
    core::barrier(world());
    table.sync();
    const auto place = std::find(servers.begin(), servers.end(), world().rank());
    const auto index = static_cast<std::size_t>(place - servers.begin());
    EXPECT_EQ(table.shard_index(), index);
    if (place == servers.end()) {
      EXPECT_TRUE(table.shard().empty());
    } else {
      ASSERT_EQ(table.shard().size(), table.shards().length(index));
      for (std::size_t i = 0; i < table.shard().size(); ++i) {
        EXPECT_EQ(table.shard()[i], values[table.shards().begin(index) + i]);
        table.shard()[i] *= 2;
      }
    }
    table.sync();
    core::barrier(world());
    std::vector<T> doubled(kSize);
    table.pull(0, doubled);
    for (std::size_t i = 0; i < kSize; ++i) EXPECT_EQ(doubled[i], 2 * values[i]);
    core::barrier(world());
  }
}

TYPED_TEST(DenseTables, SeveralTablesDoNotMeet) {
  using T = TypeParam;
  DenseTable<T> first(world(), 10, server_layouts().front());
  DenseTable<T> second(world(), 20, server_layouts().back());
  first.push(0, std::vector<T>(10, T{1}));
  second.push(5, std::vector<T>(10, T{3}));
  core::barrier(world());
  std::vector<T> one(10), two(20);
  first.pull(0, one);
  second.pull(0, two);
  EXPECT_EQ(one, std::vector<T>(10, static_cast<T>(world().size())));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(two[i], i >= 5 && i < 15 ? static_cast<T>(3 * world().size()) : T{0});
  core::barrier(world());
}

TYPED_TEST(DenseTables, TrafficIsCounted) {
  using T = TypeParam;
  const std::vector<int> servers = server_layouts().front(); // all ranks
  DenseTable<T> table(world(), 100, servers);
  std::vector<T> values(100);
  table.push(0, values);
  table.start_push(0, std::span<const T>(values).first(1)).wait();
  table.pull(0, std::span<T>(values).first(100));
  table.pull_racy(0, std::span<T>(values).first(0));
  table.flush();
  EXPECT_EQ(table.traffic().messages, 2 * servers.size() + 1);
  EXPECT_EQ(table.traffic().bytes_pushed, 101 * sizeof(T));
  EXPECT_EQ(table.traffic().bytes_pulled, 100 * sizeof(T));
  core::barrier(world());
}

TYPED_TEST(DenseTables, RangesOutsideAreRefused) {
  using T = TypeParam;
  DenseTable<T> table(world(), 10, {0});
  std::vector<T> five(5);
  EXPECT_EQ(error_of<PsError>([&] { table.pull(6, five); }),
            "a dense table has 10 elements: [6, 6 + 5) is out of range");
  EXPECT_THROW((void)table.start_pull(6, five), PsError);
  EXPECT_THROW(table.pull_racy(11, {}), PsError);
  EXPECT_THROW(table.push(~std::size_t{0}, five), PsError);
  EXPECT_THROW((void)table.start_push(10, five), PsError);
  EXPECT_THROW(table.write(6, five), PsError);
  EXPECT_NO_THROW(table.pull(10, {}));
  EXPECT_NO_THROW(table.pull(5, five));
  EXPECT_EQ(table.traffic().messages, 1U);
  core::barrier(world());
}

TEST(DenseTablesRefused, OnAllRanks) {
  const auto refusal = [](std::size_t size, const std::vector<int>& servers) {
    return error_of([&] { const DenseTable<float> table(world(), size, servers); });
  };
  EXPECT_NE(refusal(10, {}).find("a dense table needs at least one server"), std::string::npos);
  EXPECT_NE(refusal(10, {world().size()}).find("cannot have rank " + std::to_string(world().size()) + " as a server"),
            std::string::npos);
  EXPECT_NE(refusal(10, {-1}).find("cannot have rank -1"), std::string::npos);
  EXPECT_NE(refusal(10, {0, 0}).find("names rank 0 twice"), std::string::npos);
  EXPECT_NE(refusal(~std::size_t{0} / 2, {0}).find("fits into no memory"), std::string::npos);
  EXPECT_NE(refusal(std::size_t{1} << 45, {0}).find("/dev/shm has "), std::string::npos);
  if (world().size() > 1) {
    const bool last = world().rank() == world().size() - 1;
    EXPECT_NE(refusal(last ? 11 : 10, {0}).find("different sizes, servers or options"), std::string::npos);
    EXPECT_NE(refusal(10, {last ? 1 : 0}).find("different sizes, servers or options"), std::string::npos);
    EXPECT_NE(refusal(10, last ? std::vector<int>{} : std::vector<int>{0}).find("at least one server"),
              std::string::npos);
  }
}

} // namespace
} // namespace ps
