// The very graphs that the generators make, as hashes of their sorted edges: equal for every number of ranks and
// threads, and equal to what was published. A changed hash means that everybody's measurements and results on generated
// graphs change: do it on purpose or not at all.
#include <string>

#include <gtest/gtest.h>

#include "gathered_graph.hpp"

namespace pregel {
namespace {

struct Golden {
  const char* spec;
  std::uint64_t hash;
};

class GoldenGraphs : public testing::TestWithParam<Golden> {};

TEST_P(GoldenGraphs, are_the_same_for_every_number_of_ranks_and_threads) {
  const auto world = core::Communicator::world();
  for (const int threads : {1, 2, 3})
    EXPECT_EQ(testing_support::hash_of(testing_support::gather_edges(world, GetParam().spec, threads)), GetParam().hash)
        << GetParam().spec << " with " << threads << " threads";
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, GoldenGraphs,
                         testing::Values(Golden{"kron:scale=10", 4848051983391503953ULL}, //
                                         Golden{"kron:scale=11,degree=8,seed=7,weights=int", 16777060548279683949ULL},
                                         Golden{"kron:scale=3,a=0.25,b=0.25,c=0.25", 4072690991157304575ULL},
                                         Golden{"er:n=500,edges=3000", 17407489497333789690ULL},
                                         Golden{"er:n=500,degree=4,seed=2,weights=real", 18016502359972665141ULL},
                                         Golden{"grid:rows=20,cols=31", 13606267747865526242ULL},
                                         Golden{"chain:n=100,weights=int", 3501447143606901193ULL},
                                         Golden{"star:n=100,weights=real", 3295258963544830525ULL},
                                         Golden{"tree:n=100", 9357080820135338449ULL},
                                         Golden{"smallworld:n=300,k=6,p=0.1", 2109528657775208142ULL},
                                         Golden{"smallworld:n=300,k=6,p=0.1,seed=9,weights=int",
                                                10449205951040163146ULL}),
                         [](const auto& golden) { return "spec" + std::to_string(golden.index); });

} // namespace
} // namespace pregel
