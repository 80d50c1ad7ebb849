// What becomes of the vertices of dead ranks: the living keep theirs, and the orphans are dealt out evenly.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/partition/partitioner.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kIds = 20'000;

Partitioner make(PartitionKind kind, int ranks) {
  if (kind == PartitionKind::hash) return Partitioner::hash(ranks);
  if (kind == PartitionKind::modulo) return Partitioner::modulo(ranks);
  std::vector<std::uint64_t> first_ids;
  for (int r = 1; r < ranks; ++r)
    first_ids.push_back(kIds * static_cast<std::uint64_t>(r) / static_cast<unsigned>(ranks));
  return Partitioner::range(first_ids);
}

std::vector<int> owners(const Partitioner& partitioner) {
  std::vector<int> all(kIds);
  for (std::uint64_t id = 0; id < kIds; ++id) all[id] = partitioner.owner(GlobalId{id});
  return all;
}

/// New numbers of the ranks, -1 for the lost ones.
std::vector<int> renumbered(int ranks, const std::vector<int>& lost) {
  std::vector<int> numbers(static_cast<std::size_t>(ranks), -1);
  for (int rank = 0, next = 0; rank < ranks; ++rank)
    if (!std::ranges::binary_search(lost, rank)) numbers[static_cast<std::size_t>(rank)] = next++;
  return numbers;
}

/// Compares before and after.
void expect_dealt_out(const Partitioner& before, const Partitioner& after, const std::vector<int>& lost) {
  const int survivors = before.ranks() - static_cast<int>(lost.size());
  EXPECT_EQ(after.ranks(), survivors);
  EXPECT_EQ(after.kind(), before.kind());
  const std::vector<int> number_of = renumbered(before.ranks(), lost), old = owners(before), now = owners(after);
  std::map<int, std::vector<double>> heirs; // of each dead rank: how many each survivor got
  for (std::uint64_t id = 0; id < kIds; ++id) {
    ASSERT_TRUE(now[id] >= 0 && now[id] < survivors) << "id " << id;
    const int number = number_of[static_cast<std::size_t>(old[id])];
    if (number >= 0) {
      ASSERT_EQ(now[id], number) << "a survivor lost id " << id;
    } else {
      std::vector<double>& shares = heirs[old[id]];
      shares.resize(static_cast<std::size_t>(survivors));
      ++shares[static_cast<std::size_t>(now[id])];
    }
  }
  for (const auto& [dead, shares] : heirs) {
    const double fair = std::accumulate(shares.begin(), shares.end(), 0.0) / survivors;
    for (const double share : shares)
      EXPECT_NEAR(share, fair, 5 * std::sqrt(fair) + 1) << "of what rank " << dead << " had";
  }
}

class LostRanks : public testing::TestWithParam<PartitionKind> {};

INSTANTIATE_TEST_SUITE_P(All, LostRanks, testing::ValuesIn(testing_support::kAllPartitions),
                         [](const auto& instance) { return std::string(partition_name(instance.param)); });

TEST_P(LostRanks, EachOfSome) {
  for (const int ranks : {2, 3, 4, 7, 16}) {
    const Partitioner before = make(GetParam(), ranks);
    for (int victim = 0; victim < ranks; ++victim) {
      SCOPED_TRACE("rank " + std::to_string(victim) + " of " + std::to_string(ranks));
      const std::vector<int> lost{victim};
      expect_dealt_out(before, before.without(lost), lost);
    }
  }
}

TEST_P(LostRanks, SeveralAtOnce) {
  const Partitioner before = make(GetParam(), 7);
  for (const std::vector<int>& lost :
       {std::vector<int>{0, 1}, {5, 6}, {0, 6}, {1, 3, 5}, {0, 1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}})
    expect_dealt_out(before, before.without(lost), lost);
}

TEST_P(LostRanks, OneAfterTheOtherDownToOne) {
  for (const bool first_dies : {true, false}) {
    Partitioner partitioner = make(GetParam(), 7);
    while (partitioner.ranks() > 1) {
      const std::vector<int> lost{first_dies ? 0 : partitioner.ranks() - 1};
      const Partitioner after = partitioner.without(lost);
      SCOPED_TRACE(std::to_string(after.ranks()) + " are left");
      expect_dealt_out(partitioner, after, lost);
      partitioner = after;
    }
    EXPECT_EQ(owners(partitioner), std::vector<int>(kIds));
  }
}

/// After several losses no rank has much more than its share, whoever died.
TEST_P(LostRanks, SharesStayAboutEqual) {
  Partitioner partitioner = make(GetParam(), 7);
  for (const int victim : {3, 0, 4, 1}) {
    partitioner = partitioner.without(std::vector<int>{victim});
    std::vector<double> shares(static_cast<std::size_t>(partitioner.ranks()));
    for (const int owner : owners(partitioner)) ++shares[static_cast<std::size_t>(owner)];
    const double fair = static_cast<double>(kIds) / partitioner.ranks();
    for (const double share : shares) EXPECT_NEAR(share, fair, 0.1 * fair) << partitioner.ranks() << " ranks";
  }
}

TEST_P(LostRanks, NobodyIsLost) {
  const Partitioner before = make(GetParam(), 4);
  expect_dealt_out(before, before.without({}), {});
}

/// The worked example: worker 2 of 3 dies, its vertices 2 and 5 of 1 .. 6 go to the others, one each.
TEST(LostRanksOfTheTextbook, OneVertexEach) {
  const Partitioner before = Partitioner::modulo(3);
  const Partitioner after = before.without(std::vector<int>{2});
  std::vector<int> heirs{after.owner(GlobalId{2}), after.owner(GlobalId{5})};
  std::ranges::sort(heirs);
  EXPECT_EQ(heirs, (std::vector<int>{0, 1}));
  for (const std::uint64_t kept : {1, 3, 4, 6}) EXPECT_EQ(after.owner(GlobalId{kept}), before.owner(GlobalId{kept}));
}

} // namespace
} // namespace pregel
