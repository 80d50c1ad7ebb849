// What all-reduce promises beyond the right sum: how much is sent, in how many steps, and in which order it
// is added. How it is called: all_reduce_calls_test.cpp.
#include <numeric>

#include "all_reduce_support.hpp"
#include "core/collectives.hpp"
#include "core/exact_sum.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;

/// Every rank's awkward numbers.
template <Element T>
std::vector<std::vector<T>> everybodys_numbers(std::size_t vectors, std::size_t count) {
  std::vector<std::vector<T>> all;
  for (std::size_t v = 0; v < vectors; ++v) all.push_back(awkward_numbers<T>(count, v));
  return all;
}

template <Element T>
std::vector<T> folded_in_order(const std::vector<std::vector<T>>& vectors) {
  std::vector<T> sum = vectors[0];
  for (std::size_t v = 1; v < vectors.size(); ++v) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + vectors[v][i];
  }
  return sum;
}
std::vector<double> summed_exactly(const std::vector<std::vector<double>>& vectors) {
  std::vector<double> sums(vectors[0].size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    core::ExactSum sum;
    for (const auto& vector : vectors) sum.add(vector[i]);
    sums[i] = sum.value();
  }
  return sums;
}

TEST(AllReduceCost, RingTakes2mMinus2StepsAndItsShareOfTheBytes) {
  const auto m = static_cast<std::size_t>(world().size());
  for (const std::size_t segment : {std::size_t{256}, std::size_t{0}}) {
    AllReduceOptions options = with(Algorithm::chunked_ring);
    options.segment_bytes = segment;
    AllReducer reducer(world(), options);
    for (const std::size_t count : {std::size_t{1}, m, m + 1, std::size_t{1000}, std::size_t{10007}}) {
      const std::size_t bytes_before = reducer.bytes_sent(), steps_before = reducer.steps();
      std::vector<float> data(count, 1);
      reducer.all_reduce(std::span(data));
      const std::size_t sent = reducer.bytes_sent() - bytes_before;
      if (m > 1) {
        EXPECT_EQ(reducer.steps() - steps_before, 2 * (m - 1));
      }
      // Each rank sends all chunks but one, twice; the one left out may be longer or shorter by an element.
      const double formula = 2.0 * static_cast<double>(m - 1) / static_cast<double>(m) * static_cast<double>(4 * count);
      EXPECT_NEAR(static_cast<double>(sent), formula, 2 * sizeof(float)) << count;
    }
  }
}

TEST(AllReduceCost, AllRanksTogetherSendWhatTheFormulasSay) {
  constexpr std::size_t kCount = 5040; // a multiple of all numbers of ranks
  const auto m = static_cast<std::size_t>(world().size());
  const std::size_t bytes = kCount * sizeof(double);
  const auto total_of = [&](Algorithm algorithm) {
    AllReducer reducer(world(), with(algorithm));
    std::vector<double> data(kCount, 1);
    reducer.all_reduce(std::span(data));
    return core::all_reduce_value<std::uint64_t>(world(), reducer.bytes_sent(), core::Reduce::sum);
  };
  EXPECT_EQ(total_of(Algorithm::naive_ring), 2 * (m - 1) * bytes);
  EXPECT_EQ(total_of(Algorithm::reduce_broadcast), 2 * (m - 1) * bytes);
  EXPECT_EQ(total_of(Algorithm::all_to_all), 2 * (m - 1) * bytes);
  EXPECT_EQ(total_of(Algorithm::chunked_ring), 2 * (m - 1) * bytes);
  const std::size_t power = std::bit_floor(m), outside = 2 * (m - power);
  EXPECT_EQ(total_of(Algorithm::recursive_doubling),
            (power * static_cast<std::size_t>(std::countr_zero(power)) + outside) * bytes);
  if (kCount % power == 0) {
    EXPECT_EQ(total_of(Algorithm::halving_doubling), (2 * (power - 1) + outside) * bytes);
  }
}

template <Element T>
void expect_nan_to_win(AllReducer& reducer) {
  const auto m = static_cast<std::size_t>(world().size());
  for (const Operation operation : {Operation::min, Operation::max}) {
    // Element i has its NaN on rank i; one more has none; the last has zeros of both signs.
    std::vector<T> data(m + 2, number<T>(world().rank()));
    data[static_cast<std::size_t>(world().rank())] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    data[m + 1] = static_cast<T>(world().rank() % 2 == 0 ? 0.0F : -0.0F);
    reducer.all_reduce(std::span(data), operation);
    for (std::size_t i = 0; i < m; ++i) EXPECT_TRUE(std::isnan(static_cast<double>(data[i]))) << i;
    EXPECT_EQ(static_cast<double>(data[m]), operation == Operation::min ? 0 : world().size() - 1);
    EXPECT_EQ(std::signbit(static_cast<double>(data[m + 1])), operation == Operation::min && m > 1);
  }
}

TEST(AllReduceNan, MinAndMaxGiveNanWhereverItSits) {
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    SCOPED_TRACE(name_of(algorithm));
    AllReducer reducer(world(), with(algorithm));
    expect_nan_to_win<float>(reducer);
    expect_nan_to_win<double>(reducer);
    expect_nan_to_win<Half>(reducer);
    expect_nan_to_win<BFloat16>(reducer);
  }
}

TEST(AllReduceAverage, OfLargeHalvesDoesNotOverflow) {
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReducer reducer(world(), with(algorithm));
    std::vector<Half> data(100, Half(60000.0F));
    const std::vector<Half> before = data;
    std::vector<Half> result(data.size());
    reducer.all_reduce(std::span<const Half>(data), std::span(result), Operation::average);
    EXPECT_EQ(data, before);
    for (const Half x : result) EXPECT_NEAR(static_cast<float>(x), 60000, 32 * world().size()) << name_of(algorithm);
    reducer.all_reduce(std::span(data), Operation::sum);
    if (world().size() > 1) {
      EXPECT_TRUE(std::isinf(static_cast<float>(data[0])));
    }
  }
}

TEST(AllReduceAverage, OfLargeHalvesDoesNotOverflowInOtherCalls) {
  const int m = world().size();
  const WorkerLayout layout(world(), std::vector<std::size_t>{static_cast<std::size_t>(world().rank())});
  const std::vector<Half> data(100, Half(60000.0F));
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReducer reducer(world(), with(algorithm));
    std::vector<Half> chunk(chunk_of(100, m, world().rank()).count), all(100);
    reducer.reduce_scatter(std::span(data), std::span(chunk), Operation::average);
    const std::span<const Half> mine(data);
    reducer.all_reduce_many(layout, std::span(&mine, 1), std::span(all), Operation::average);
    chunk.insert(chunk.end(), all.begin(), all.end());
    for (const Half x : chunk) EXPECT_NEAR(static_cast<float>(x), 60000, 32 * m) << name_of(algorithm);
  }
}

TEST(AllReduceAverage, IntegersRoundTowardsZero) {
  AllReducer reducer(world());
  std::vector<int> data{world().rank() == 0 ? -1 : 0, world().rank() == 0 ? 1 : 0};
  reducer.all_reduce(std::span(data), Operation::average);
  EXPECT_EQ(data, world().size() == 1 ? (std::vector{-1, 1}) : (std::vector{0, 0}));
}

TEST(AllReduceOrder, ReproducibleFoldsInTheOrderOfRanks) {
  const auto all = everybodys_numbers<float>(static_cast<std::size_t>(world().size()), 3001);
  const std::vector<float> wanted = folded_in_order(all);
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    for (const int node_size : {0, 2}) {
      if (algorithm == Algorithm::shared_memory && node_size != 0) continue;
      AllReduceOptions options = with(algorithm);
      options.reproducible = true;
      options.segment_bytes = 1024;
      options.pretended_node_size = node_size;
      AllReducer reducer(world(), options);
      for (const std::size_t count : {std::size_t{20}, std::size_t{3001}}) {
        std::vector<float> data = all[static_cast<std::size_t>(world().rank())];
        data.resize(count);
        reducer.all_reduce(std::span(data));
        EXPECT_TRUE(same_bits(std::span<const float>(data), std::span(wanted).first(count))) << name_of(algorithm);
      }
    }
  }
}

TEST(AllReduceOrder, ExactDoesNotDependOnIt) {
  auto all = everybodys_numbers<double>(static_cast<std::size_t>(world().size()), 1501);
  // Hard ones: all but the smallest cancel, or overflow on the way.
  const std::size_t last = all.size() - 1;
  for (std::size_t i = 0; i < 50 && last > 0; ++i) {
    for (auto& vector : all) vector[i] = 0x1p-300;
    all[0][i] = 0x1p+900;
    all[last][i] = -0x1p+900;
  }
  const std::vector<double> wanted = summed_exactly(all);
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReduceOptions options = with(algorithm);
    options.exact = true;
    AllReducer reducer(world(), options);
    for (const bool turned : {false, true}) { // another order of the same addends
      const auto rank = static_cast<std::size_t>(world().rank());
      std::vector<double> data = all[turned ? last - rank : rank];
      reducer.all_reduce(std::span(data));
      EXPECT_TRUE(same_bits(data, wanted)) << name_of(algorithm);
    }
  }
}

/// Workers 0 .. W-1 dealt out in two ways, and results that must not differ.
TEST(AllReduceWorkers, SameBitsHoweverTheyAreSpread) {
  constexpr std::size_t kWorkers = 11, kCount = 777;
  const auto all = everybodys_numbers<double>(kWorkers, kCount);
  const std::vector<double> in_order = folded_in_order(all), exactly = summed_exactly(all);
  const auto m = static_cast<std::size_t>(world().size()), r = static_cast<std::size_t>(world().rank());
  for (const int way : {0, 1, 2}) {
    std::vector<std::size_t> mine;
    for (std::size_t w = kWorkers; w-- > 0;) { // in descending order: that of the layout counts
      const std::size_t owner = way == 0 ? w % m : way == 1 ? w * m / kWorkers : 0;
      if (owner == r) mine.push_back(w);
    }
    const WorkerLayout layout(world(), mine);
    EXPECT_EQ(layout.workers(), kWorkers);
    std::vector<std::span<const double>> addends;
    for (const std::size_t w : mine) addends.emplace_back(all[w]);
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::all_to_all, Algorithm::chunked_ring}) {
      for (const bool exact : {false, true}) {
        for (const std::size_t block : {std::size_t{0}, std::size_t{4096}}) {
          AllReduceOptions options = with(algorithm);
          options.exact = exact;
          options.block_bytes = block;
          options.small_bytes = block / 64;
          options.segment_bytes = block / 4;
          AllReducer reducer(world(), options);
          std::vector<double> result(kCount);
          reducer.all_reduce_many(layout, std::span<const std::span<const double>>(addends), std::span(result));
          EXPECT_TRUE(same_bits(result, exact ? exactly : in_order)) << name_of(algorithm) << ' ' << way;
        }
      }
    }
  }
}

TEST(AllReduceWorkers, LayoutMustBeComplete) {
  const std::vector<std::size_t> nobody, first{0}, second{1};
  const auto of_rank = [](const std::vector<std::size_t>& rank_0, const std::vector<std::size_t>& others) {
    return world().rank() == 0 ? std::span(rank_0) : std::span(others);
  };
  EXPECT_THROW(WorkerLayout(world(), of_rank(nobody, nobody)), core::Error);
  EXPECT_THROW(WorkerLayout(world(), of_rank(second, nobody)), core::Error); // 0 is missing
  if (world().size() > 1) {
    EXPECT_THROW(WorkerLayout(world(), first), core::Error); // 0 is everywhere
  }
}

} // namespace
