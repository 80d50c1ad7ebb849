// VertexSet against std::set, around the sizes at which it changes its form.
#include "pregel/engine/vertex_set.hpp"

#include <set>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace pregel {
namespace {

void expect_equal(const VertexSet& set, const std::set<std::uint32_t>& model, std::uint32_t universe) {
  EXPECT_EQ(set.count(), model.size());
  EXPECT_EQ(set.empty(), model.empty());
  for (std::uint32_t i = 0; i < universe; ++i) ASSERT_EQ(set.contains(i), model.contains(i)) << i;
  std::multiset<std::uint32_t> walked;
  set.for_each([&](std::uint32_t i) { walked.insert(i); });
  EXPECT_EQ(walked, std::multiset<std::uint32_t>(model.begin(), model.end()));
  if (set.listed()) {
    EXPECT_EQ(std::multiset<std::uint32_t>(set.members().begin(), set.members().end()), walked);
  } else
    EXPECT_TRUE(set.members().empty());
}

class VertexSets : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t universe() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Universes, VertexSets, testing::Values(1, 63, 64, 65, 200, 5000),
                         [](const auto& instance) { return "of" + std::to_string(instance.param); });

TEST_P(VertexSets, InsertUntilFullAndClear) {
  VertexSet set(universe());
  core::CounterRandom random(1, universe());
  for (int round = 0; round < 3; ++round) {
    std::set<std::uint32_t> model;
    for (std::uint32_t i = 0; i < universe(); ++i) {
      const auto member = static_cast<std::uint32_t>(random.below(universe()));
      set.insert(member);
      model.insert(member);
    }
    expect_equal(set, model, universe());
    for (std::uint32_t i = 0; i < universe(); ++i) {
      if (!model.contains(i)) set.insert_new(i);
      model.insert(i);
    }
    expect_equal(set, model, universe());
    EXPECT_EQ(set.listed(), universe() <= set.list_limit());
    set.clear();
    expect_equal(set, {}, universe());
    EXPECT_TRUE(set.listed());
  }
}

TEST_P(VertexSets, InsertRange) {
  for (const std::uint32_t before : {0U, 1U, 80U}) { // members that are there already
    for (std::uint32_t first = 0; first < universe(); first += 1 + first / 3) {
      for (std::uint32_t count = 0; first + count <= universe(); count += 1 + count / 2) {
        VertexSet set(universe());
        std::set<std::uint32_t> model;
        for (std::uint32_t i = 0; i < std::min(before, first); ++i) {
          set.insert(i);
          model.insert(i);
        }
        set.insert_range(first, count);
        for (std::uint32_t i = first; i < first + count; ++i) model.insert(i);
        expect_equal(set, model, universe());
      }
    }
  }
}

/// As the threads of the engine fill it: bits first, one account a thread.
TEST_P(VertexSets, BitsThenAccount) {
  for (const bool complete : {true, false}) {
    for (const std::uint32_t step : {1U, 2U, 50U}) {
      VertexSet set(universe());
      std::set<std::uint32_t> model;
      for (std::uint32_t begin = 0; begin < universe(); begin += 64) {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = begin; i < std::min(universe(), begin + 64); ++i) {
          if (i % step != 0) continue;
          set.set_bit(i);
          members.push_back(i);
          model.insert(i);
        }
        set.account(members.size(), complete ? members : std::vector<std::uint32_t>{}, complete);
      }
      expect_equal(set, model, universe());
      EXPECT_EQ(set.listed(), complete && model.size() <= set.list_limit());
      set.relist_if_few();
      expect_equal(set, model, universe());
      EXPECT_EQ(set.listed(), model.size() <= set.list_limit());
      set.clear();
      expect_equal(set, {}, universe());
    }
  }
}

TEST(VertexSet, AccountOfNothingKeepsTheList) {
  VertexSet set(1000);
  set.insert(7);
  set.account(0, {}, false);
  EXPECT_TRUE(set.listed());
  EXPECT_EQ(set.count(), 1U);
}

TEST(VertexSet, EmptyUniverse) {
  VertexSet set(0);
  set.insert_range(0, 0);
  set.relist_if_few();
  set.clear();
  expect_equal(set, {}, 0);
  expect_equal(VertexSet(), {}, 0);
}

TEST(VertexSet, WordsAreCleared) {
  VertexSet set(200);
  for (const std::uint32_t i : {0U, 63U, 64U, 130U}) set.set_bit(i);
  set.clear_word_of(5);
  EXPECT_FALSE(set.contains(0) || set.contains(63));
  EXPECT_TRUE(set.contains(64) && set.contains(130));
}

} // namespace
} // namespace pregel
