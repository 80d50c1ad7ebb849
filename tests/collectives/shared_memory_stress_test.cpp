// Very many tiny all-reduces between processes: an order of loads and stores that is wrong once in a hundred thousand
// times would show as a wrong sum. SUPERSTEP_STRESS_ROUNDS sets how many (the long run: 1000000).
#include <cstdlib>

#include "all_reduce_support.hpp"

namespace {

using namespace collectives;

long rounds() {
  const char* const text = std::getenv("SUPERSTEP_STRESS_ROUNDS");
  return text != nullptr ? std::atol(text) : 50'000;
}

TEST(SharedMemoryStress, EverySumIsRight) {
  const core::Communicator world = core::Communicator::world();
  AllReduceOptions options;
  options.small_bytes = 128;
  options.block_bytes = 256; // so that 40 elements take several blocks
  AllReducer reducer(world, options);
  const long m = world.size(), r = world.rank();
  std::uint64_t state = 1; // the same on all ranks
  long wrong = 0;
  std::vector<std::int64_t> data;
  for (long round = 0; round < rounds(); ++round) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    data.resize(state >> 60 == 0 ? 40 : 1 + (state >> 40) % 3);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = (r + 1) * round + static_cast<long>(i);
    reducer.all_reduce(std::span(data));
    for (std::size_t i = 0; i < data.size(); ++i)
      wrong += data[i] != m * (m + 1) / 2 * round + m * static_cast<long>(i) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

} // namespace
