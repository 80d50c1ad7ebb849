// Every collective, with the count limit as it is and so low that everything is cut into pieces.
#include "core/collectives.hpp"

#include <climits>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace core {
namespace {

const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}
std::size_t ranks() {
  return static_cast<std::size_t>(world().size());
}
std::size_t self() {
  return static_cast<std::size_t>(world().rank());
}

/// An element that MPI has no type for.
struct Triple {
  std::uint32_t from, to, index;
  friend bool operator==(const Triple&, const Triple&) = default;
};

class Collectives : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { set_count_limit(GetParam()); }
  void TearDown() override { set_count_limit(INT_MAX); }
};

INSTANTIATE_TEST_SUITE_P(CountLimits, Collectives, testing::Values(INT_MAX, 1, 3, 64),
                         [](const auto& limit) { return "limit" + std::to_string(limit.param); });

TEST_P(Collectives, Broadcast) {
  for (int root = 0; root < world().size(); ++root) {
    std::vector<double> data(100);
    if (world().rank() == root) std::iota(data.begin(), data.end(), root);
    broadcast(world(), std::span<double>(data), root);
    for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], static_cast<double>(i) + root);
    EXPECT_EQ(broadcast_value(world(), world().rank() + 5, root), root + 5);
    EXPECT_EQ(broadcast_string(world(), "from " + std::to_string(world().rank()), root),
              "from " + std::to_string(root));
    EXPECT_EQ(broadcast_string(world(), "", root), "");
  }
}

TEST_P(Collectives, AllReduce) {
  const int size = world().size();
  std::vector<int> sums(50);
  std::iota(sums.begin(), sums.end(), world().rank());
  all_reduce(world(), std::span<int>(sums), Reduce::sum);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], size * i + size * (size - 1) / 2);
  EXPECT_EQ(all_reduce_value(world(), 2.5 + world().rank(), Reduce::max), 1.5 + size);
  EXPECT_EQ(all_reduce_value(world(), 2.5F - static_cast<float>(world().rank()), Reduce::min),
            3.5F - static_cast<float>(size));
  EXPECT_EQ(all_reduce_value<std::uint8_t>(world(), 200, Reduce::max), 200);
  EXPECT_EQ(all_reduce_value(world(), 'a', Reduce::max), 'a');
  EXPECT_EQ(all_reduce_value(world(), world().rank() == 0, Reduce::logical_and), size == 1);
  EXPECT_TRUE(all_reduce_value(world(), world().rank() == size - 1, Reduce::logical_or));
  EXPECT_EQ(all_reduce_value<std::uint64_t>(world(), std::uint64_t{1} << 60, Reduce::max), std::uint64_t{1} << 60);
}

/// Zero on the last rank and the largest value on the others: a signed comparison takes the latter for -1.
template <class T>
void expect_unsigned_order() {
  const T largest = std::numeric_limits<T>::max();
  const bool last = world().rank() == world().size() - 1;
  const std::vector<T> mine(5, last ? T{0} : largest);
  std::vector<T> least = mine, most = mine;
  all_reduce(world(), std::span<T>(least), Reduce::min);
  all_reduce(world(), std::span<T>(most), Reduce::max);
  EXPECT_EQ(least, std::vector<T>(5, 0)) << sizeof(T) << " bytes";
  EXPECT_EQ(most, std::vector<T>(5, world().size() == 1 ? T{0} : largest)) << sizeof(T) << " bytes";
}

TEST_P(Collectives, UnsignedIntegersAreComparedAsSuch) {
  expect_unsigned_order<unsigned char>();
  expect_unsigned_order<unsigned short>();
  expect_unsigned_order<unsigned int>();
  expect_unsigned_order<unsigned long>();
  expect_unsigned_order<unsigned long long>();
}

TEST_P(Collectives, ExclusiveScan) {
  const std::uint64_t before = exclusive_scan_sum<std::uint64_t>(world(), self() + 1);
  EXPECT_EQ(before, self() * (self() + 1) / 2);
}

TEST_P(Collectives, AllGather) {
  const std::vector<Triple> all = all_gather(world(), Triple{static_cast<std::uint32_t>(self()), 1, 2});
  ASSERT_EQ(all.size(), ranks());
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) EXPECT_EQ(all[rank], (Triple{rank, 1, 2}));
}

TEST_P(Collectives, AllGatherVarying) {
  // Rank r gives 5 r elements: the first gives none.
  const std::vector<std::uint16_t> mine(5 * self(), static_cast<std::uint16_t>(self()));
  std::vector<std::size_t> counts;
  const auto all = all_gather_varying(world(), std::span<const std::uint16_t>(mine), &counts);
  std::vector<std::uint16_t> expected;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    ASSERT_EQ(counts[rank], 5 * rank);
    expected.insert(expected.end(), 5 * rank, static_cast<std::uint16_t>(rank));
  }
  EXPECT_EQ(all, expected);
}

TEST_P(Collectives, GatherVarying) {
  // Every rank is the root once; rank r gives 5 r elements, and then nobody gives any.
  for (int root = 0; root < world().size(); ++root) {
    for (const std::size_t each : {std::size_t{5}, std::size_t{0}}) {
      const std::vector<std::uint16_t> mine(each * self(), static_cast<std::uint16_t>(self()));
      std::vector<std::size_t> counts;
      const auto all = gather_varying(world(), std::span<const std::uint16_t>(mine), root, &counts);
      std::vector<std::uint16_t> expected;
      ASSERT_EQ(counts.size(), ranks());
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        EXPECT_EQ(counts[rank], each * rank);
        expected.insert(expected.end(), each * rank, static_cast<std::uint16_t>(rank));
      }
      if (world().rank() != root) expected.clear();
      EXPECT_EQ(all, expected) << "root " << root;
    }
  }
}

TEST_P(Collectives, AllToAll) {
  for (const std::uint32_t each : {0U, 1U, 13U}) {
    std::vector<Triple> send, expected;
    for (std::uint32_t peer = 0; peer < ranks(); ++peer) {
      for (std::uint32_t i = 0; i < each; ++i) {
        send.push_back({static_cast<std::uint32_t>(self()), peer, i});
        expected.push_back({peer, static_cast<std::uint32_t>(self()), i});
      }
    }
    std::vector<Triple> received(send.size());
    all_to_all(world(), std::span<const Triple>(send), std::span<Triple>(received));
    EXPECT_EQ(received, expected);
  }
}

std::size_t varying_count(std::size_t from, std::size_t to, std::size_t round) {
  return (from * 7 + to * 3 + round) % 11 * (round % 3); // some pairs and some rounds have nothing
}

TEST_P(Collectives, AllToAllVarying) {
  ExchangeCounts counts; // its storage is used again
  for (std::size_t round = 0; round < 6; ++round) {
    std::vector<std::size_t> to_send(ranks());
    std::vector<Triple> send, expected;
    for (std::size_t peer = 0; peer < ranks(); ++peer) {
      to_send[peer] = varying_count(self(), peer, round);
      for (std::uint32_t i = 0; i < to_send[peer]; ++i)
        send.push_back({static_cast<std::uint32_t>(self()), static_cast<std::uint32_t>(peer), i});
      for (std::uint32_t i = 0; i < varying_count(peer, self(), round); ++i)
        expected.push_back({static_cast<std::uint32_t>(peer), static_cast<std::uint32_t>(self()), i});
    }
    counts.update(world(), to_send);
    EXPECT_EQ(counts.send_total, send.size());
    ASSERT_EQ(counts.receive_total, expected.size());
    const auto total = all_reduce_value(world(), counts.send_total, Reduce::sum);
    EXPECT_EQ(counts.fits_int, total <= GetParam()) << "every rank decides by the same number";
    std::vector<Triple> received(counts.receive_total);
    all_to_all_varying(world(), send.data(), received.data(), counts);
    EXPECT_EQ(received, expected);
  }
}

TEST(CollectivesLimits, AreClampedToInts) {
  set_count_limit(0);
  EXPECT_EQ(count_limit(), 1U);
  set_count_limit(SIZE_MAX);
  EXPECT_EQ(count_limit(), static_cast<std::size_t>(INT_MAX));
}

TEST(CollectivesLimits, TotalsBeyondAnInt) {
  // Totals beyond an int are noticed without any data that long: nothing is sent here.
  std::vector<std::size_t> huge(ranks(), std::size_t{1} << 31);
  ExchangeCounts counts;
  counts.update(world(), huge);
  EXPECT_FALSE(counts.fits_int);
  EXPECT_EQ(counts.receive_total, ranks() << 31);
}

} // namespace
} // namespace core
