// Sparse tables against a std::map, on every placement of servers.
#include "ps/table/sparse_table.hpp"

#include <climits>
#include <map>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "ps/error.hpp"
#include "ps/table/key_map.hpp"
#include "table_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

constexpr std::uint64_t kLargest = ~std::uint64_t{0};

TEST(KeyMaps, CutTheKeySpaceIntoRangesOfNearlyEqualLength) {
  for (std::size_t servers = 1; servers <= 9; ++servers) {
    for (std::uint64_t largest = 0; largest <= 40; ++largest) {
      const KeyMap map(largest, servers);
      std::vector<std::uint64_t> lengths(servers);
      std::size_t before = 0;
      for (std::uint64_t key = 0; key <= largest; ++key) {
        const std::size_t server = map.server_of(key);
        ASSERT_LT(server, servers);
        EXPECT_GE(server, before);
        EXPECT_GE(key, map.begin(server));
        before = server;
        ++lengths[server];
      }
      const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
      EXPECT_LE(*longest, *shortest + 1);
    }
  }
}

TEST(KeyMaps, ReachBothEndsOfTheKeySpace) {
  for (const std::size_t servers : {1, 2, 3, 7, 64}) {
    const KeyMap map(kLargest, servers);
    EXPECT_EQ(map.server_of(0), 0U);
    EXPECT_EQ(map.server_of(kLargest), servers - 1);
    for (std::size_t server = 1; server < servers; ++server) {
      EXPECT_EQ(map.server_of(map.begin(server)), server);
      EXPECT_EQ(map.server_of(map.begin(server) - 1), server - 1);
    }
  }
  EXPECT_EQ(KeyMap(kLargest, 2).begin(1), std::uint64_t{1} << 63);
}

template <class T>
class SparseTables : public testing::Test {
 protected:
  void TearDown() override { core::set_count_limit(INT_MAX); }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseTables, Types);

/// Plain SGD with rate 1: integers stay exact, so sums do not depend on the order of arrival.
SparseTableOptions summing(std::size_t width, std::uint64_t largest_key = kLargest) {
  SparseTableOptions options;
  options.width = width;
  options.largest_key = largest_key;
  options.update.learning_rate = 1;
  return options;
}

/// A few keys that everybody meets, both ends of the key space, and keys from all over it.
std::uint64_t draw_key(core::CounterRandom& random, std::uint64_t largest) {
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return 0;
  if (kind == 1) return largest;
  if (kind < 5) return random.below(std::min<std::uint64_t>(largest, 20) + 1);
  return largest == kLargest ? random.next() : random.below(largest + 1);
}

template <class T>
struct SparsePush {
  std::vector<std::uint64_t> keys;
  std::vector<T> gradients;
};
template <class T>
SparsePush<T> draw_push(core::CounterRandom& random, std::size_t width, std::uint64_t largest) {
  SparsePush<T> push;
  push.keys.resize(random.below(40)); // none at times, repeated ones often
  for (std::uint64_t& key : push.keys) key = draw_key(random, largest);
  push.gradients.resize(push.keys.size() * width);
  for (T& g : push.gradients) g = static_cast<T>(static_cast<int>(random.below(17)) - 8);
  return push;
}

template <class T>
using Oracle = std::map<std::uint64_t, std::vector<T>>;

constexpr int kPushes = 25;

/// What all ranks' pushes come to.
template <class T>
Oracle<T> oracle_of(std::size_t width, std::uint64_t largest, std::uint64_t seed) {
  Oracle<T> oracle;
  for (int rank = 0; rank < world().size(); ++rank) {
    core::CounterRandom random(seed, static_cast<std::uint64_t>(rank));
    for (int i = 0; i < kPushes; ++i) {
      const SparsePush<T> push = draw_push<T>(random, width, largest);
      for (std::size_t k = 0; k < push.keys.size(); ++k) {
        std::vector<T>& values = oracle.try_emplace(push.keys[k], width).first->second;
        for (std::size_t j = 0; j < width; ++j) values[j] -= push.gradients[k * width + j];
      }
    }
  }
  return oracle;
}

template <class T>
void expect_pulls_agree(SparseTable<T>& table, const Oracle<T>& oracle, std::size_t width, std::uint64_t largest) {
  core::CounterRandom random(99, static_cast<std::uint64_t>(world().rank()));
  for (int i = 0; i < 10; ++i) {
    std::vector<std::uint64_t> keys(random.below(60));
    for (std::uint64_t& key : keys) key = draw_key(random, largest); // known and unknown ones, in any order
    for (const auto& entry : oracle)
      if (random.below(4) == 0) keys.push_back(entry.first);
    std::vector<T> values(keys.size() * width, T{-77});
    table.pull(keys, values);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto found = oracle.find(keys[k]);
      for (std::size_t j = 0; j < width; ++j)
        wrong += values[k * width + j] != (found == oracle.end() ? T{0} : found->second[j]) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0U) << "of " << values.size();
  }
}

/// The rows of all servers together.
template <class T>
void expect_rows_agree(const SparseTable<T>& table, const Oracle<T>& oracle) {
  const std::vector<std::uint64_t> keys = table.keys();
  const std::vector<T> values = table.values();
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  std::vector<T> expected;
  for (const std::uint64_t key : keys) {
    ASSERT_TRUE(oracle.count(key) == 1);
    const std::vector<T>& row = oracle.at(key);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  EXPECT_EQ(values, expected);
  EXPECT_EQ(core::all_reduce_value<std::uint64_t>(world(), keys.size(), core::Reduce::sum), oracle.size());
}

TYPED_TEST(SparseTables, AgreeWithAMapUnderConcurrentPushes) {
  using T = TypeParam;
  for (const std::vector<int>& servers : server_layouts()) {
    for (const std::uint64_t largest : {kLargest, std::uint64_t{1000}, std::uint64_t{1}}) {
      for (const std::size_t width : {1, 3}) {
        SCOPED_TRACE(text_of(servers) + ", largest key " + std::to_string(largest) + ", width " +
                     std::to_string(width));
        SparseTable<T> table(world(), servers, summing(width, largest));
        core::CounterRandom random(5, static_cast<std::uint64_t>(world().rank()));
        core::CounterRandom delays(6, static_cast<std::uint64_t>(world().rank()));
        for (int i = 0; i < kPushes; ++i) {
          const SparsePush<T> push = draw_push<T>(random, width, largest);
          table.push(push.keys, push.gradients);
          random_delay(delays);
          table.serve();
        }
        table.barrier();
        const Oracle<T> oracle = oracle_of<T>(width, largest, 5);
        expect_pulls_agree(table, oracle, width, largest);
        table.barrier();
        expect_rows_agree(table, oracle);
      }
    }
  }
}

TYPED_TEST(SparseTables, LongRequestsAreSeveralMessages) {
  using T = TypeParam;
  for (const std::size_t limit : {std::size_t{INT_MAX}, std::size_t{7}}) {
    core::set_count_limit(limit);
    const std::size_t count = limit == 7 ? 100 : 200'000; // the latter is more than a megabyte
    SparseTable<T> table(world(), server_layouts().back(), summing(2));
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = core::mix64(i);
    std::vector<T> gradients(2 * count), values(2 * count);
    for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = static_cast<T>(i % 512);
    table.push(keys, gradients);
    table.barrier();
    table.pull(keys, values);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      wrong += values[i] != -static_cast<T>(world().size()) * gradients[i] ? 1 : 0;
    EXPECT_EQ(wrong, 0U);
    table.barrier();
  }
}

// Repeated keys in one push are steps one after the other, and every key has its own steps and state.
TYPED_TEST(SparseTables, EachKeyHasItsOwnUpdateRule) {
  using T = TypeParam;
  for (const std::string_view name : update_rule_names()) {
    SCOPED_TRACE(name);
    SparseTableOptions options;
    options.width = 2;
    options.update.rule = std::string(name);
    SparseTable<T> table(world(), server_layouts().back(), options);
    if (world().rank() == 0) {
      const std::vector<std::uint64_t> keys{kLargest, 3, kLargest, kLargest};
      table.push(keys, std::vector<T>{1, -2, 5, 5, 0.5, 1, -3, 2});
    }
    table.barrier();
    const auto often = make_update_rule<T>(options.update, 2), once = make_update_rule<T>(options.update, 2);
    std::vector<T> expected_often(2), expected_once(2);
    for (const std::vector<T>& gradient : {std::vector<T>{1, -2}, {0.5, 1}, {-3, 2}})
      often->apply(expected_often, gradient);
    once->apply(expected_once, std::vector<T>{5, 5});
    std::vector<T> values(6);
    table.pull(std::vector<std::uint64_t>{3, kLargest, 4}, values);
    EXPECT_EQ(values, (std::vector<T>{expected_once[0], expected_once[1], expected_often[0], expected_often[1], 0, 0}));
    table.barrier();
  }
}

/// The content of all servers, on every rank.
template <class T>
SparseContent<T> gathered(const SparseContent<T>& mine) {
  SparseContent<T> all;
  all.keys = core::all_gather_varying(world(), std::span<const std::uint64_t>(mine.keys));
  all.values = core::all_gather_varying(world(), std::span<const T>(mine.values));
  all.steps = core::all_gather_varying(world(), std::span<const std::uint64_t>(mine.steps));
  for (const auto& state : mine.states)
    all.states.push_back({state.name, core::all_gather_varying(world(), std::span<const T>(state.values))});
  return all;
}

TYPED_TEST(SparseTables, ContentMovesToAnotherNumberOfServers) {
  using T = TypeParam;
  SparseTableOptions options;
  options.width = 3;
  options.update.rule = "adam";
  const auto push_some = [&](SparseTable<T>& table, std::uint64_t seed) {
    core::CounterRandom random(seed);
    for (int i = 0; i < 5; ++i) { // by one rank: the order of steps matters to adam
      const SparsePush<T> push = draw_push<T>(random, 3, kLargest);
      if (world().rank() == 0) table.push(push.keys, push.gradients);
    }
    table.barrier();
  };
  SparseTable<T> first(world(), server_layouts().front(), options);
  push_some(first, 1);
  const SparseContent<T> stored = gathered(first.content());
  EXPECT_EQ(stored.states.size(), 2U);
  SparseTable<T> second(world(), server_layouts().back(), options);
  second.restore(stored);
  second.barrier();
  push_some(first, 2);
  push_some(second, 2);
  const auto by_key = [](const SparseContent<T>& content) {
    Oracle<T> rows;
    for (std::size_t i = 0; i < content.keys.size(); ++i) {
      std::vector<T>& row = rows[content.keys[i]];
      row.assign(&content.values[3 * i], &content.values[3 * i] + 3);
      row.push_back(static_cast<T>(content.steps[i]));
      for (const auto& state : content.states) row.insert(row.end(), &state.values[3 * i], &state.values[3 * i] + 3);
    }
    return rows;
  };
  const Oracle<T> continued = by_key(gathered(first.content())), resumed = by_key(gathered(second.content()));
  EXPECT_EQ(continued, resumed);
  EXPECT_GT(resumed.size(), 10U);

  options.update.rule = "momentum";
  SparseTable<T> other(world(), server_layouts().back(), options);
  EXPECT_NE(error_of<PsError>([&] { other.restore(stored); }).find("use the options of the run that stored them"),
            std::string::npos);
}

// Rank 0 asks a table of rank 1 while rank 1 asks another table of rank 0: each must serve both.
TYPED_TEST(SparseTables, TwoTablesServeEachOther) {
  using T = TypeParam;
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  SparseTable<T> at_first(world(), {0}, summing(1)), at_second(world(), {1}, summing(1));
  at_first.while_waiting([&] { at_second.serve(); });
  at_second.while_waiting([&] { at_first.serve(); });
  SparseTable<T>& asked = world().rank() == 0 ? at_second : at_first;
  for (int i = 0; i < 100; ++i) asked.push(std::vector<std::uint64_t>{7}, std::vector<T>{1});
  at_first.barrier();
  std::vector<T> value(1);
  at_first.pull(std::vector<std::uint64_t>{7}, value);
  EXPECT_EQ(value[0], static_cast<T>(-100 * (world().size() - 1)));
  at_second.pull(std::vector<std::uint64_t>{7}, value);
  EXPECT_EQ(value[0], T{-100});
  at_first.barrier();
}

TYPED_TEST(SparseTables, TrafficIsCounted) {
  using T = TypeParam;
  const std::size_t servers = server_layouts().front().size();
  SparseTable<T> table(world(), server_layouts().front(), summing(2));
  std::vector<T> values(4);
  table.push(std::vector<std::uint64_t>{kLargest, kLargest}, values);
  table.pull(std::vector<std::uint64_t>{0, kLargest}, values);
  table.pull({}, {});
  EXPECT_EQ(table.traffic().messages, 1 + std::min<std::size_t>(servers, 2));
  EXPECT_EQ(table.traffic().bytes_pushed, 4 * sizeof(std::uint64_t) + 4 * sizeof(T));
  EXPECT_EQ(table.traffic().bytes_pulled, 4 * sizeof(T));
}

TYPED_TEST(SparseTables, MisuseIsRefused) {
  using T = TypeParam;
  {
    SparseTable<T> table(world(), {0}, summing(2, 10));
    std::vector<T> two(2), three(3);
    const std::vector<std::uint64_t> eleven{11}, ten{10};
    EXPECT_EQ(error_of<PsError>([&] { table.pull(eleven, two); }),
              "key 11 is above 10, the largest key of the sparse table");
    EXPECT_THROW(table.push(eleven, two), PsError);
    EXPECT_EQ(error_of<PsError>([&] { table.pull(ten, three); }),
              "1 keys of 2 values each do not match a span of 3 values");
    EXPECT_THROW(table.push(ten, three), PsError);
    EXPECT_THROW(table.push(ten, {}), PsError);
    table.pull(ten, two);
    EXPECT_EQ(two, std::vector<T>(2));
  }
  const auto refusal = [](std::vector<int> servers, const SparseTableOptions& options) {
    return error_of([&] { const SparseTable<T> table(world(), std::move(servers), options); });
  };
  EXPECT_NE(refusal({}, summing(1)).find("a sparse table needs at least one server"), std::string::npos);
  EXPECT_NE(refusal({0}, summing(0)).find("1 to 16777216 values a key, not 0"), std::string::npos);
  SparseTableOptions unknown;
  unknown.update.rule = "sdg";
  EXPECT_NE(refusal({0}, unknown).find("no update rule is called 'sdg'"), std::string::npos);
  if (world().size() > 1) {
    EXPECT_NE(refusal({0}, summing(1, world().rank() == 0 ? 10 : 11)).find("different sizes, servers or options"),
              std::string::npos);
    for (double UpdateOptions::*const number :
         {&UpdateOptions::learning_rate, &UpdateOptions::momentum, &UpdateOptions::decay, &UpdateOptions::beta1,
          &UpdateOptions::beta2, &UpdateOptions::epsilon}) {
      SparseTableOptions options = summing(1);
      if (world().rank() == 0) options.update.*number *= 0.5;
      EXPECT_NE(refusal({0}, options).find("different sizes, servers or options"), std::string::npos);
    }
  }
}

TYPED_TEST(SparseTables, AnExceptionDoesNotWaitForOthers) {
  using T = TypeParam;
  const bool fails = world().rank() == world().size() - 1;
  EXPECT_THROW(
      {
        SparseTable<T> table(world(), server_layouts().front(), summing(1));
        core::agree(world(), [&] {
          if (fails) throw PsError("lost");
        });
      },
      core::Error);
}

} // namespace
} // namespace ps
