// One suite for all partitioners: every id has an owner, all ranks agree on it, and shares are about equal.
#include "pregel/partition/partitioner.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::gather_lists;
using testing_support::world;

constexpr std::uint64_t kLargestId = std::numeric_limits<std::uint64_t>::max() - 1;

/// Ids that a file may contain, of which each rank knows a share.
std::vector<std::uint64_t> sample(std::uint64_t count, std::uint64_t bound) {
  core::CounterRandom random(7);
  std::vector<std::uint64_t> ids(count);
  for (std::uint64_t& id : ids) id = random.below(bound);
  return ids;
}

Partitioner make(PartitionKind kind, const std::vector<std::uint64_t>& ids, std::uint64_t contiguous = 0) {
  if (kind == PartitionKind::hash) return Partitioner::hash(world().size());
  if (kind == PartitionKind::modulo) return Partitioner::modulo(world().size());
  EdgeBlocks edges;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i % static_cast<std::size_t>(world().size()) == static_cast<std::size_t>(world().rank()))
      edges.append({GlobalId{ids[i]}, GlobalId{ids[ids.size() - 1 - i]}});
  }
  return Partitioner::sampled_range(world(), edges, {}, contiguous);
}

class Partitioners : public testing::TestWithParam<PartitionKind> {
 protected:
  void expect_balanced(const Partitioner& partitioner, const std::vector<std::uint64_t>& ids, double tolerance) {
    std::vector<double> shares(static_cast<std::size_t>(world().size()));
    for (const std::uint64_t id : ids) {
      const int owner = partitioner.owner(GlobalId{id});
      ASSERT_TRUE(owner >= 0 && owner < world().size()) << "id " << id << " has owner " << owner;
      ++shares[static_cast<std::size_t>(owner)];
    }
    const double fair = static_cast<double>(ids.size()) / world().size();
    for (const double share : shares) EXPECT_NEAR(share, fair, tolerance * fair);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Partitioners, testing::ValuesIn(testing_support::kAllPartitions),
                         [](const auto& instance) { return std::string(partition_name(instance.param)); });

TEST_P(Partitioners, EveryIdHasAnOwner) {
  const std::vector<std::uint64_t> ids = sample(1000, kLargestId);
  const Partitioner partitioner = make(GetParam(), ids);
  EXPECT_EQ(partitioner.kind(), GetParam());
  EXPECT_EQ(partitioner.ranks(), world().size());
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32U, std::uint64_t{1} << 63U,
                                 kLargestId - 1, kLargestId}) {
    const int owner = partitioner.owner(GlobalId{id});
    EXPECT_GE(owner, 0);
    EXPECT_LT(owner, world().size());
  }
}

TEST_P(Partitioners, RanksAgree) {
  const std::vector<std::uint64_t> ids = sample(1000, kLargestId);
  const Partitioner partitioner = make(GetParam(), ids);
  std::vector<int> owners;
  for (const std::uint64_t id : ids) owners.push_back(partitioner.owner(GlobalId{id}));
  const std::vector<int> all = gather_lists(owners);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], owners[i % owners.size()]);
}

TEST_P(Partitioners, SharesAreAboutEqual) {
  const std::vector<std::uint64_t> dense = sample(50000, 20000);
  expect_balanced(make(GetParam(), dense), dense, 0.1);
  const std::vector<std::uint64_t> wide = sample(50000, kLargestId);
  expect_balanced(make(GetParam(), wide), wide, 0.1);
}

/// Generators list no vertices: the range partitioner must see that ids 0 .. n-1 exist.
TEST_P(Partitioners, ContiguousIds) {
  std::vector<std::uint64_t> ids(20000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  expect_balanced(make(GetParam(), {}, ids.size()), ids, 0.05);
}

TEST(HashPartitioner, SpreadsIdsThatModuloWouldPutOnOneRank) {
  const Partitioner partitioner = Partitioner::hash(8);
  std::vector<int> shares(8);
  for (std::uint64_t i = 0; i < 8000; ++i) ++shares[static_cast<std::size_t>(partitioner.owner(GlobalId{8 * i}))];
  for (const int share : shares) EXPECT_NEAR(share, 1000, 150);
}

TEST(ModuloPartitioner, IsTheTextbooks) {
  const Partitioner partitioner = Partitioner::modulo(3);
  for (std::uint64_t id = 0; id < 10; ++id) EXPECT_EQ(partitioner.owner(GlobalId{id}), static_cast<int>(id % 3));
}

TEST(RangePartitioner, BordersBelongToTheUpperRank) {
  const Partitioner partitioner = Partitioner::range({10, 10, 500});
  EXPECT_EQ(partitioner.ranks(), 4);
  EXPECT_EQ(partitioner.owner(GlobalId{0}), 0);
  EXPECT_EQ(partitioner.owner(GlobalId{9}), 0);
  EXPECT_EQ(partitioner.owner(GlobalId{10}), 2); // rank 1 is empty
  EXPECT_EQ(partitioner.owner(GlobalId{499}), 2);
  EXPECT_EQ(partitioner.owner(GlobalId{500}), 3);
  EXPECT_EQ(partitioner.owner(GlobalId{kLargestId}), 3);
}

TEST(PartitionNames, ThereAndBack) {
  for (const PartitionKind kind : testing_support::kAllPartitions)
    EXPECT_EQ(parse_partition_kind(partition_name(kind)), kind);
  EXPECT_THROW((void)parse_partition_kind("metis"), core::InputError);
}

} // namespace
} // namespace pregel
