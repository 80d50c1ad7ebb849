// Items reach their owners, whatever the sizes of rounds and messages, and errors reach everyone.
#include "collectives/routed_exchange.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/agreement.hpp"

namespace collectives {
namespace {

const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world();
  return comm;
}

/// Twelve bytes: MPI has no type for it.
struct Item {
  std::uint32_t from, to, index;
  friend auto operator<=>(const Item&, const Item&) = default;
};

/// (items per round, count limit)
class RoutedExchange : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  void SetUp() override { core::set_count_limit(std::get<1>(GetParam())); }
  void TearDown() override { core::set_count_limit(INT_MAX); }
  [[nodiscard]] static std::size_t items_per_round() { return std::get<0>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Sizes, RoutedExchange,
                         testing::Combine(testing::Values(1, 2, 7, 1000, kItemsPerRound), testing::Values(INT_MAX, 5)),
                         [](const auto& sizes) {
                           return "round" + std::to_string(std::get<0>(sizes.param)) + "limit" +
                                  std::to_string(std::get<1>(sizes.param));
                         });

/// Sends count(from, to) items for every pair, `per_call` at a time, and checks what arrives.
template <class Count>
void check_exchange(std::size_t items_per_round, std::size_t per_call, const Count& count) {
  const auto self = static_cast<std::uint32_t>(world().rank());
  const auto ranks = static_cast<std::uint32_t>(world().size());
  std::vector<Item> outgoing; // round robin over the destinations while they last
  for (std::uint32_t index = 0, added = 1; added > 0; ++index) {
    added = 0;
    for (std::uint32_t to = 0; to < ranks; ++to) {
      if (index < count(self, to)) {
        outgoing.push_back({self, to, index});
        ++added;
      }
    }
  }
  std::map<std::uint32_t, std::uint32_t> next; // index expected from each sender: order is kept
  bool producing = false;
  std::size_t position = 0;
  routed_exchange<Item>(
      world(),
      [&](auto&& push) {
        producing = true;
        const std::size_t end = std::min(position + per_call, outgoing.size());
        for (; position < end; ++position) push(static_cast<int>(outgoing[position].to), outgoing[position]);
        producing = false;
        return position < outgoing.size();
      },
      [&](int source, std::span<const Item> items) {
        EXPECT_FALSE(producing) << "consume was called from inside produce";
        EXPECT_FALSE(items.empty());
        for (const Item& item : items) {
          const auto from = static_cast<std::uint32_t>(source);
          ASSERT_EQ(item, (Item{from, self, next[from]++}));
        }
      },
      items_per_round);
  for (std::uint32_t from = 0; from < ranks; ++from) EXPECT_EQ(next[from], count(from, self)) << "from " << from;
}

TEST_P(RoutedExchange, Evenly) {
  check_exchange(items_per_round(), 3, [](auto, auto) { return 50U; });
}
TEST_P(RoutedExchange, NothingAtAll) {
  check_exchange(items_per_round(), 3, [](auto, auto) { return 0U; });
}
TEST_P(RoutedExchange, Unevenly) {
  check_exchange(items_per_round(), 5, [](auto from, auto to) { return (from * 31 + to * 17) % 60; });
}
TEST_P(RoutedExchange, AllToTheLast) {
  const auto last = static_cast<std::uint32_t>(world().size()) - 1;
  check_exchange(items_per_round(), 4, [&](auto, auto to) { return to == last ? 100U : 0U; });
}
TEST_P(RoutedExchange, OnlyTheFirstHasItems) {
  check_exchange(items_per_round(), 4, [](auto from, auto) { return from == 0 ? 100U : 0U; });
}
TEST_P(RoutedExchange, OnlyLocalItems) {
  check_exchange(items_per_round(), 4, [](auto from, auto to) { return from == to ? 300U : 0U; });
}

TEST(RoutedExchangeStage, GrowsForLongProduceCalls) {
  check_exchange(8, 1'000'000, [](auto, auto) { return 30'000U; });
}
TEST(RoutedExchangeStage, ManyRoundsOfFullBuffers) {
  check_exchange(kItemsPerRound / 64, 4096, [](auto from, auto) { return 100'000U + from; });
}

/// Runs an exchange of 1000 items per pair in which `produce_check(k)` and `consume_check()` may throw.
template <class ProduceCheck, class ConsumeCheck>
std::string error_of(ProduceCheck&& produce_check, ConsumeCheck&& consume_check) {
  int sent = 0;
  try {
    routed_exchange<int>(
        world(),
        [&](auto&& push) {
          produce_check(sent);
          for (int to = 0; to < world().size(); ++to) push(to, sent);
          return ++sent < 1000;
        },
        [&](int, std::span<const int>) { consume_check(); }, 64);
  } catch (const core::Error& error) {
    EXPECT_TRUE(error.rank().has_value());
    return error.what();
  }
  return "nothing was thrown";
}

void expect_usable() {
  check_exchange(16, 3, [](auto, auto) { return 40U; });
}

std::string with_rank(const std::string& message, int rank) {
  return world().size() == 1 ? message : message + " (on rank " + std::to_string(rank) + ")";
}

TEST(RoutedExchangeErrors, OfProduceReachAll) {
  for (int failing = 0; failing < world().size(); ++failing) {
    for (const int when : {0, 1, 500, 999}) {
      const std::string message = error_of(
          [&](int sent) {
            if (world().rank() == failing && sent == when) throw std::runtime_error("cannot produce");
          },
          [] {});
      EXPECT_EQ(message, with_rank("cannot produce", failing));
      expect_usable();
    }
  }
}

TEST(RoutedExchangeErrors, OfConsumeReachAll) {
  for (int failing = 0; failing < world().size(); ++failing) {
    for (const int when : {1, 2, 5}) {
      int calls = 0;
      const std::string message = error_of([](int) {},
                                           [&] {
                                             if (world().rank() == failing && ++calls == when)
                                               throw std::runtime_error("cannot consume");
                                           });
      EXPECT_EQ(message, with_rank("cannot consume", failing));
      expect_usable();
    }
  }
}

TEST(RoutedExchangeErrors, OfTheLastRoundReachAll) {
  const int failing = world().size() - 1;
  bool produced = false;
  EXPECT_THROW(routed_exchange<int>(
                   world(),
                   [&](auto&& push) {
                     push(failing, 1);
                     produced = true;
                     return false;
                   },
                   [](int, std::span<const int>) { throw core::InputError("bad"); }),
               core::InputError);
  EXPECT_TRUE(produced);
  expect_usable();
}

TEST(RoutedExchangeErrors, TheFirstPlaceInTheInputWins) {
  // Every rank has a bad line; the later the rank, the earlier the line, but the later it is found.
  const std::string message = error_of(
      [](int sent) {
        const int line = world().size() - world().rank();
        if (sent == 10 + 300 * world().rank())
          throw core::OrderedInputError("line " + std::to_string(line), static_cast<unsigned long long>(line));
      },
      [] {});
  const int found = std::min(world().size() - 1, 3); // rank 3's place lies within its 1000 items, rank 4's does not
  EXPECT_EQ(message, "line " + std::to_string(world().size() - found));
  expect_usable();
}

} // namespace
} // namespace collectives
