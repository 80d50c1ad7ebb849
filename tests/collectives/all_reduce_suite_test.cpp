// All algorithms x types x operations x counts x in place or not x segment sizes, on the ranks of the job.
//
// The full product would take an hour on two cores, so it is covered in slices, for each algorithm and each of several
// set-ups (segments and blocks so small that short vectors have many, the defaults, nodes that are pretended):
// - every type with every operation, the counts taking turns;
// - every count, in place and out of place, the types and operations taking turns (the turns differ from set-up to
//   set-up);
// - and one vector of 10^6 + 3 floats.
// So every pair of (algorithm, type and operation), (algorithm, count and placement), (set-up, anything) occurs.
#include <numeric>

#include "all_reduce_support.hpp"
#include "core/collectives.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;

struct Configuration {
  const char* name;
  AllReduceOptions options;
};

std::vector<Configuration> configurations() {
  AllReduceOptions defaults, tiny, odd;
  defaults.check = false;
  tiny.segment_bytes = 64;
  tiny.channels = 1;
  tiny.small_bytes = 64;
  tiny.block_bytes = 1024;
  tiny.check = true;
  odd.segment_bytes = 1000; // not a multiple of most things
  odd.channels = 3;
  odd.small_bytes = 4096;
  odd.block_bytes = 8192;
  odd.pretended_node_size = 3;
  return {{"defaults", defaults}, {"tiny", tiny}, {"odd", odd}};
}

struct Kind {
  ElementType type;
  Operation operation;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (int type = 0; type < static_cast<int>(ElementType::opaque); ++type) {
    for (int operation = 0; operation < static_cast<int>(Operation::user); ++operation) {
      const Kind kind{static_cast<ElementType>(type), static_cast<Operation>(operation)};
      if (is_defined(kind.operation, kind.type)) kinds.push_back(kind);
    }
  }
  return kinds;
}

std::vector<std::size_t> counts_for(int ranks) {
  const auto m = static_cast<std::size_t>(ranks);
  return {0, 1, m - 1, m, m + 1, 2 * m + 1, 17, 97, 1009, 2503};
}

class AllReduceSuite : public testing::TestWithParam<Algorithm> {
 protected:
  /// Calls f(reducer, set-up's number) for the set-ups in which the algorithm can run.
  template <class F>
  void for_each_setup(F&& f) {
    int number = 0;
    for (Configuration& setup : configurations()) {
      setup.options.algorithm = GetParam();
      if (GetParam() == Algorithm::shared_memory) setup.options.pretended_node_size = 0;
      if (GetParam() == Algorithm::hierarchical && setup.options.pretended_node_size == 0)
        setup.options.pretended_node_size = 2;
      SCOPED_TRACE(setup.name);
      AllReducer reducer(world_, setup.options);
      f(reducer, number++);
    }
  }

  template <Element T>
  void reduce(AllReducer& reducer, Operation operation, std::size_t count, bool in_place) {
    const int ranks = world_.size();
    const std::vector<T> mine = addends_of<T>(operation, world_.rank(), ranks, count);
    std::vector<T> data = in_place ? mine : std::vector<T>(count, number<T>(77));
    if (in_place)
      reducer.all_reduce(std::span<T>(data), operation);
    else
      reducer.all_reduce(std::span<const T>(mine), std::span<T>(data), operation);
    const std::vector<T> wanted = reduction_of<T>(operation, ranks, count);
    EXPECT_TRUE(same_bits(data, wanted)) << name_of(operation) << " of " << count << " "
                                         << name_of(element_type_of<T>()) << (in_place ? " in place" : "");
  }
  void reduce(AllReducer& reducer, Kind kind, std::size_t count, bool in_place) {
    with_element_type(kind.type, [&]<class T>() { reduce<T>(reducer, kind.operation, count, in_place); });
  }

  const core::Communicator world_ = core::Communicator::world();
};

TEST_P(AllReduceSuite, EveryTypeAndOperation) {
  const std::vector<std::size_t> counts = counts_for(world_.size());
  for_each_setup([&](AllReducer& reducer, int setup) {
    std::size_t turn = static_cast<std::size_t>(setup);
    for (const Kind kind : all_kinds()) {
      reduce(reducer, kind, counts[turn % counts.size()], turn % 3 == 0);
      ++turn;
    }
  });
}

TEST_P(AllReduceSuite, EveryCountAndPlacement) {
  const std::vector<Kind> kinds = all_kinds();
  for_each_setup([&](AllReducer& reducer, int setup) {
    std::size_t turn = static_cast<std::size_t>(setup) * 7;
    for (const std::size_t count : counts_for(world_.size())) {
      for (const bool in_place : {true, false}) {
        reduce(reducer, {ElementType::f32, Operation::sum}, count, in_place);
        reduce(reducer, kinds[(turn += 5) % kinds.size()], count, in_place);
      }
    }
  });
}

TEST_P(AllReduceSuite, LongVector) {
  for_each_setup([&](AllReducer& reducer, int setup) {
    if (setup == 1) return; // a million elements in segments of 64 bytes prove nothing that 2503 do not
    reduce<float>(reducer, Operation::sum, 1'000'003, setup == 0);
  });
}

TEST_P(AllReduceSuite, SevenThreeFourOne) {
  constexpr int kHeld[] = {7, 3, 4, 1};
  int wanted = 0;
  for (int rank = 0; rank < world_.size(); ++rank) wanted += kHeld[rank % 4];
  for_each_setup([&](AllReducer& reducer, int) {
    std::vector<double> held{static_cast<double>(kHeld[world_.rank() % 4])};
    reducer.all_reduce(std::span(held));
    EXPECT_EQ(held[0], wanted);
    if (world_.size() == 4) {
      EXPECT_EQ(held[0], 15);
    }
  });
}

TEST_P(AllReduceSuite, UserFunction) {
  struct Range { // of which the larger covers both
    std::int32_t low, high;
    std::int64_t addends;
  };
  const UserFunction cover = [](void* into, const void* from, std::size_t count) {
    auto* const a = static_cast<Range*>(into);
    const auto* const b = static_cast<const Range*>(from);
    for (std::size_t i = 0; i < count; ++i)
      a[i] = {std::min(a[i].low, b[i].low), std::max(a[i].high, b[i].high), a[i].addends + b[i].addends};
  };
  for_each_setup([&](AllReducer& reducer, int) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{500}}) {
      std::vector<Range> ranges(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::int32_t>(i) * 10;
        ranges[i] = {at - world_.rank(), at + world_.rank(), 1};
      }
      reducer.all_reduce(std::span(ranges), cover);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::int32_t>(i) * 10;
        ASSERT_EQ(ranges[i].low, at - (world_.size() - 1));
        ASSERT_EQ(ranges[i].high, at + (world_.size() - 1));
        ASSERT_EQ(ranges[i].addends, world_.size());
      }
    }
  });
}

TEST_P(AllReduceSuite, ReduceScatterAndAllGather) {
  for_each_setup([&](AllReducer& reducer, int) {
    for (const std::size_t count : counts_for(world_.size())) {
      const std::vector<double> mine = addends_of<double>(Operation::sum, world_.rank(), world_.size(), count);
      const Chunk own = chunk_of(count, world_.size(), world_.rank());
      std::vector<double> chunk(own.count, -1), all(count, -1);
      reducer.reduce_scatter(std::span<const double>(mine), std::span(chunk));
      const std::vector<double> wanted = reduction_of<double>(Operation::sum, world_.size(), count);
      EXPECT_TRUE(same_bits(std::span<const double>(chunk), std::span(wanted).subspan(own.first, own.count)));
      EXPECT_EQ(mine, addends_of<double>(Operation::sum, world_.rank(), world_.size(), count));
      reducer.all_gather(std::span<const double>(chunk), std::span(all));
      EXPECT_TRUE(same_bits(all, wanted)) << count;
    }
  });
}

TEST_P(AllReduceSuite, SameBitsOnAllRanksAndEveryTime) {
  for_each_setup([&](AllReducer& reducer, int) {
    const std::vector<float> mine = awkward_numbers<float>(1237, static_cast<std::size_t>(world_.rank()));
    std::vector<float> first(mine.size()), again = mine;
    reducer.all_reduce(std::span<const float>(mine), std::span(first));
    reducer.all_reduce(std::span(again));
    EXPECT_TRUE(same_bits(first, again));
    std::vector<float> of_rank_0 = first;
    core::broadcast(world_, std::span(of_rank_0), 0);
    EXPECT_TRUE(same_bits(first, of_rank_0));
  });
}

TEST_P(AllReduceSuite, BackgroundCallsTwoAtOnce) {
  for_each_setup([&](AllReducer& reducer, int) {
    for (const std::size_t count : {std::size_t{3}, std::size_t{2503}}) {
      const int m = world_.size(), r = world_.rank();
      std::vector<float> a = addends_of<float>(Operation::sum, r, m, count);
      std::vector<std::int64_t> b = addends_of<std::int64_t>(Operation::max, r, m, count + 1);
      std::vector<double> c = addends_of<double>(Operation::sum, r, m, count);
      AllReduceHandle first = reducer.start_all_reduce(std::span(a));
      AllReduceHandle second = reducer.start_all_reduce(std::span(b), Operation::max);
      reducer.all_reduce(std::span(c)); // a blocking call meanwhile
      if (r % 2 == 0) {                 // ranks wait in different orders
        second.wait();
        while (!first.test()) {
        }
      } else {
        first.wait();
        second.wait();
      }
      EXPECT_TRUE(same_bits(a, reduction_of<float>(Operation::sum, m, count)));
      EXPECT_TRUE(same_bits(b, reduction_of<std::int64_t>(Operation::max, m, count + 1)));
      EXPECT_TRUE(same_bits(c, reduction_of<double>(Operation::sum, m, count)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Algorithms, AllReduceSuite,
                         testing::Values(Algorithm::automatic, Algorithm::naive_ring, Algorithm::reduce_broadcast,
                                         Algorithm::all_to_all, Algorithm::recursive_doubling,
                                         Algorithm::halving_doubling, Algorithm::chunked_ring, Algorithm::shared_memory,
                                         Algorithm::hierarchical),
                         [](const auto& test) { return std::string(name_of(test.param)); });

} // namespace
