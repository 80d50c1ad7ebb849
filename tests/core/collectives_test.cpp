// Every collective, with the count limit as it is and so low that everything is cut into pieces.
#include "core/collectives.hpp"

#include <chrono>
#include <climits>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace core {
namespace {

/// With the node's memory or without it, as the test at hand asks.
bool uses_node_memory = false;

const Communicator& world() {
  static const Communicator plain = Communicator::world();
  static const Communicator sharing = [] {
    Communicator comm = Communicator::world().duplicate();
    comm.use_node_memory();
    return comm;
  }();
  return uses_node_memory ? sharing : plain;
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

/// A limit of counts, or how the node's memory is used.
class Collectives : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    uses_node_memory = GetParam() == 0;
    set_count_limit(uses_node_memory ? INT_MAX : GetParam());
  }
  void TearDown() override {
    set_count_limit(INT_MAX);
    uses_node_memory = false;
  }
};

INSTANTIATE_TEST_SUITE_P(CountLimits, Collectives, testing::Values(INT_MAX, 1, 3, 64, 0), [](const auto& limit) {
  return limit.param == 0 ? std::string("node_memory") : "limit" + std::to_string(limit.param);
});

TEST(NodeMemory, IsUsedWhereRanksShareANode) {
  Communicator comm = Communicator::world().duplicate();
  EXPECT_EQ(comm.node_slots(), nullptr);
  EXPECT_EQ(comm.use_node_memory(), comm.size() > 1);
  EXPECT_EQ(comm.node_slots() != nullptr, comm.size() > 1);
  Communicator moved = std::move(comm);
  EXPECT_EQ(moved.node_slots() != nullptr, moved.size() > 1);
  EXPECT_EQ(moved.duplicate().node_slots(), nullptr) << "another communicator has to ask for its own";
  EXPECT_EQ(all_reduce_value(moved, 1, Reduce::sum), moved.size());
}

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
    EXPECT_EQ(counts.fits_int, total <= count_limit()) << "every rank decides by the same number";
    std::vector<Triple> received(counts.receive_total);
    all_to_all_varying(world(), send.data(), received.data(), counts);
    EXPECT_EQ(received, expected);
  }
}

/// Blocks that fit into a slot of the node's memory, blocks that do not, and rounds in which only one rank's do not.
TEST_P(Collectives, ExchangeBlocks) {
  ExchangeCounts counts;
  std::vector<std::byte> received;
  const auto byte_of = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::byte>(from * 31 + to * 17 + i);
  };
  for (const std::size_t scale : {1U, 0U, 100U, 5'000U, 20'000U, 3U}) {
    const auto count = [&](std::size_t from, std::size_t to) {
      return (from == 0 && scale == 5'000 ? 20 : 1) * scale * ((from * 7 + to * 3) % 5);
    };
    std::vector<std::size_t> to_send(ranks());
    std::vector<std::byte> send;
    for (std::size_t peer = 0; peer < ranks(); ++peer) {
      to_send[peer] = count(self(), peer);
      for (std::size_t i = 0; i < to_send[peer]; ++i) send.push_back(byte_of(self(), peer, i));
    }
    if (GetParam() < 64 && GetParam() != 0 && scale > 100) continue; // a message a byte
    exchange_blocks(world(), send.data(), to_send, received, counts);
    std::size_t wrong = 0, expected_total = 0;
    for (std::size_t peer = 0; peer < ranks(); ++peer) {
      ASSERT_EQ(counts.receive_counts[peer], count(peer, self())) << "scale " << scale << ", from " << peer;
      for (std::size_t i = 0; i < count(peer, self()); ++i)
        wrong += received[counts.receive_offsets[peer] + i] != byte_of(peer, self(), i);
      expected_total += count(peer, self());
    }
    EXPECT_EQ(counts.receive_total, expected_total);
    EXPECT_EQ(wrong, 0U) << "scale " << scale;
  }
}

/// Slots are used again and again, also by ranks that are late, and for calls of all kinds and sizes in turn.
TEST_P(Collectives, ManyInARow) {
  std::uint64_t expected = 0, sum = 0;
  for (std::uint64_t round = 0; round < 2000; ++round) {
    if (round % 97 == self()) std::this_thread::sleep_for(std::chrono::microseconds(200));
    sum += all_reduce_value<std::uint64_t>(world(), round * (self() + 1), Reduce::sum);
    expected += round * (ranks() * (ranks() + 1) / 2);
    const auto root = static_cast<int>(round % ranks());
    if (round % 3 == 0) sum += broadcast_value<std::uint64_t>(world(), world().rank() == root ? round : 0, root);
    if (round % 3 == 0) expected += round;
    if (round % 5 == 0) barrier(world());
    if (round % 500 == 0 && count_limit() > 64) { // too long for a slot
      std::vector<std::uint64_t> words(20'000, self());
      all_reduce(world(), std::span<std::uint64_t>(words), Reduce::max);
      EXPECT_EQ(words.back(), ranks() - 1);
    }
  }
  EXPECT_EQ(sum, expected);
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
