// IdIndex: ordinals in ascending order of id, in both of its forms.
#include "pregel/graph/id_index.hpp"

#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kLargestId = std::numeric_limits<std::uint64_t>::max() - 1;

/// `ids`, each inserted twice, against an ordered set; and that neighbours of the ids are not found.
void check(const std::vector<std::uint64_t>& ids, std::uint64_t largest, std::uint64_t expected) {
  IdIndex index(largest, expected);
  for (const std::uint64_t id : ids) index.insert(id);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) index.insert(*id);
  const std::set<std::uint64_t> wanted(ids.begin(), ids.end());

  std::set<std::uint64_t> visited;
  std::size_t visits = 0;
  index.for_each([&](std::uint64_t id) {
    visited.insert(id);
    ++visits;
  });
  EXPECT_EQ(visited, wanted);
  EXPECT_EQ(visits, wanted.size());

  EXPECT_EQ(index.finish(), std::vector<std::uint64_t>(wanted.begin(), wanted.end()));
  std::uint32_t ordinal = 0;
  for (const std::uint64_t id : wanted) {
    EXPECT_EQ(index.ordinal(id), ordinal);
    EXPECT_EQ(index.find(id), ordinal);
    if (!wanted.contains(id + 1)) {
      EXPECT_EQ(index.find(id + 1), std::nullopt) << id + 1;
    }
    if (!wanted.contains(id - 1)) {
      EXPECT_EQ(index.find(id - 1), std::nullopt) << id - 1;
    }
    ++ordinal;
  }
  EXPECT_EQ(index.find(kLargestId + 1), std::nullopt);
}

std::vector<std::uint64_t> random_ids(std::size_t count, std::uint64_t bound, std::uint64_t seed) {
  core::CounterRandom random(seed);
  std::vector<std::uint64_t> ids(count);
  for (std::uint64_t& id : ids) id = random.below(bound);
  return ids;
}

TEST(IdIndex, DenseIds) {
  check({0}, 0, 1);
  check({63, 64, 0, 127, 128}, 128, 5);
  check(random_ids(5000, 100000, 1), 99999, 5000);
  check(random_ids(200000, 3000000, 2), 2999999, 200000); // beyond the range that is always dense
}

TEST(IdIndex, SparseIds) {
  check({kLargestId, kLargestId - 2, 0, std::uint64_t{1} << 63U, std::uint64_t{1} << 32U}, kLargestId, 5);
  check(random_ids(5000, kLargestId, 3), kLargestId, 5000);
}

TEST(IdIndex, SparseIdsGrowBeyondWhatWasExpected) {
  check(random_ids(20000, kLargestId, 4), kLargestId, 0);
}

/// Ids that differ in their high bits only, or by a large power of two, must not collide for ever.
TEST(IdIndex, SparseIdsInRegularSteps) {
  for (const unsigned shift : {20U, 32U, 44U, 52U}) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 4000; ++i) ids.push_back(i << shift);
    check(ids, 4000ULL << shift, 100);
  }
}

TEST(IdIndex, NothingInserted) {
  check({}, 0, 0);
  check({}, kLargestId, 0);
  EXPECT_EQ(IdIndex().find(0), std::nullopt);
  EXPECT_EQ(IdIndex().find(kLargestId), std::nullopt);
}

} // namespace
} // namespace pregel
