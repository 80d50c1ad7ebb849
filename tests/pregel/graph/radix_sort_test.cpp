// The loader's sort against the standard library's: order, and that it is stable.
#include "radix_sort.hpp"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace pregel {
namespace {

class RadixSort : public testing::TestWithParam<std::tuple<std::size_t, unsigned>> {};

INSTANTIATE_TEST_SUITE_P(SizesAndBits, RadixSort,
                         testing::Combine(testing::Values(0, 1, 2, 3, 100, 5000),
                                          testing::Values(1, 2, 8, 11, 12, 22, 23, 33, 40, 63, 64)),
                         [](const auto& instance) {
                           return std::to_string(std::get<0>(instance.param)) + "items" +
                                  std::to_string(std::get<1>(instance.param)) + "bits";
                         });

std::vector<WeightedArc> random_arcs(std::size_t count, unsigned bits) {
  core::CounterRandom random(count, bits);
  std::vector<WeightedArc> arcs(count);
  double position = 0;
  for (WeightedArc& arc : arcs) arc = {random.next() >> (64 - bits), position++};
  return arcs;
}

TEST_P(RadixSort, IsAStableSort) {
  const auto [count, bits] = GetParam();
  std::vector<WeightedArc> arcs = random_arcs(count, bits);
  std::vector<WeightedArc> wanted = arcs;
  std::ranges::stable_sort(wanted, {}, &WeightedArc::key);
  radix_sort(arcs, bits);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(arcs[i].key, wanted[i].key);
    EXPECT_EQ(arcs[i].weight, wanted[i].weight);
  }
}

/// Passes in which all items share a digit are left out.
TEST(RadixSortDigits, ConstantDigits) {
  std::vector<PlainArc> arcs;
  for (std::uint64_t i = 0; i < 1000; ++i) arcs.push_back({(i * 7919 % 1000) << 40U | 5});
  radix_sort(arcs, 60);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(arcs[i].key, i << 40U | 5);

  std::vector<PlainArc> equal(100, PlainArc{77});
  radix_sort(equal, 64);
  EXPECT_TRUE(std::ranges::all_of(equal, [](const PlainArc& arc) { return arc.key == 77; }));
}

} // namespace
} // namespace pregel
