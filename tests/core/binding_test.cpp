#include "core/binding.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace core {
namespace {

TEST(Binding, ranges_there_and_back) {
  const std::vector<int> cores{0, 1, 2, 3, 8, 10, 11};
  EXPECT_EQ(ranges(cores), "0-3,8,10-11");
  EXPECT_EQ(parse_ranges("0-3,8,10-11"), cores);
  EXPECT_EQ(ranges({}), "");
  EXPECT_TRUE(parse_ranges("").empty());
  EXPECT_EQ(parse_ranges("5,oops"), std::vector<int>{5});
}

TEST(Binding, all_ranks_in_order) {
  const Communicator world = Communicator::world();
  const Binding mine = this_binding();
  EXPECT_FALSE(mine.host.empty());
  EXPECT_FALSE(mine.cores.empty());
  const std::vector<Binding> all = all_bindings(world);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(world.size()));
  const Binding& told = all[static_cast<std::size_t>(world.rank())];
  EXPECT_EQ(told.host, mine.host);
  EXPECT_EQ(told.cores, mine.cores);
  EXPECT_EQ(told.numa_nodes, mine.numa_nodes);
  EXPECT_EQ(to_json(all).size(), all.size());
}

TEST(Binding, described) {
  const std::vector<Binding> bound{{"a", {0, 1}, {0}}, {"a", {2, 3}, {1}}, {"b", {0, 1}, {0}}, {"b", {2, 3}, {1}}};
  EXPECT_EQ(describe(bound, 2), "4 ranks on 2 hosts, 2 cores each, bound, 2 NUMA nodes a host");
  EXPECT_EQ(describe(bound, 3),
            "4 ranks on 2 hosts, 2 cores each, bound, 2 NUMA nodes a host; more than one thread a core");
  const std::vector<Binding> shared{{"a", {0, 1}, {0}}, {"a", {0, 1}, {0}}, {"a", {0, 1}, {0}}};
  EXPECT_EQ(describe(shared, 1), "3 ranks on 1 host, 2 cores each, shared, 1 NUMA node; more than one thread a core");
  const std::vector<Binding> uneven{{"a", {0}, {0}}, {"a", {1, 2, 3}, {0}}};
  EXPECT_EQ(describe(uneven, 2),
            "2 ranks on 1 host, 1 to 3 cores each, bound, 1 NUMA node; a rank has fewer cores than its 2 threads");
  const std::vector<Binding> alone{{"a", {0}, {}}};
  EXPECT_EQ(describe(alone, 1), "1 rank on 1 host, 1 core");
}

} // namespace
} // namespace core
