// One-sided communication, with the count limit as it is and lowered.
#include "core/window.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace core {
namespace {

const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}

class Windows : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { set_count_limit(GetParam()); }
  void TearDown() override { set_count_limit(INT_MAX); }
};
INSTANTIATE_TEST_SUITE_P(CountLimits, Windows, testing::Values(INT_MAX, 7),
                         [](const auto& limit) { return "limit" + std::to_string(limit.param); });

TEST_P(Windows, PutAndGet) {
  constexpr std::size_t kCount = 100;
  Window<int> window(world(), kCount);
  EXPECT_EQ(std::count(window.local().begin(), window.local().end(), 0), static_cast<std::ptrdiff_t>(kCount));
  barrier(world());
  const int next = (world().rank() + 1) % world().size();
  const int previous = (world().rank() + world().size() - 1) % world().size();
  std::vector<int> mine(kCount / 2, world().rank() + 1);
  window.put(mine, next, kCount / 4);
  window.flush(next);
  barrier(world());
  window.sync();
  EXPECT_EQ(window.local()[kCount / 4 - 1], 0);
  EXPECT_EQ(window.local()[kCount / 4], previous + 1);
  EXPECT_EQ(window.local()[kCount * 3 / 4 - 1], previous + 1);
  EXPECT_EQ(window.local()[kCount * 3 / 4], 0);

  std::vector<int> theirs(kCount / 2, -1);
  window.get(theirs, next, kCount / 4);
  window.flush_all();
  EXPECT_EQ(theirs, mine);
  std::fill(theirs.begin(), theirs.end(), -1);
  std::vector<Request> requests = window.start_get(theirs, next, kCount / 4);
  wait_all(requests);
  EXPECT_EQ(theirs, mine);
  barrier(world());
}

TEST_P(Windows, ConcurrentAccumulatesAddUp) {
  constexpr std::size_t kCount = 500;
  constexpr int kRounds = 10;
  const bool owner = world().rank() == 0;
  Window<double> window(world(), owner ? kCount : 0);
  std::vector<double> ones(kCount);
  std::iota(ones.begin(), ones.end(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0) {
      window.accumulate(ones, 0, 0, RmaOperation::sum);
      window.flush(0);
    } else {
      std::vector<Request> requests = window.start_accumulate(ones, 0, 0, RmaOperation::sum);
      wait_all(requests);
      window.flush_local_all();
    }
  }
  window.flush_all();
  barrier(world());
  std::vector<double> sums(kCount);
  window.atomic_get(sums, 0, 0);
  window.flush(0);
  for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(sums[i], kRounds * world().size() * static_cast<double>(i + 1));
  barrier(world());
}

TEST_P(Windows, AtomicReadsAndPuts) {
  constexpr std::size_t kCount = 300'001; // more than one piece of an atomic operation
  const std::size_t count = GetParam() == 7 ? 100 : kCount;
  Window<double> window(world(), count);
  std::vector<double> ramp(count);
  std::iota(ramp.begin(), ramp.end(), world().rank());
  const int next = (world().rank() + 1) % world().size();
  window.accumulate(ramp, next, 0, RmaOperation::replace);
  window.flush(next);
  std::vector<double> read(count), started(count);
  window.atomic_get(read, next, 0);
  std::vector<Request> requests = window.start_atomic_get(started, next, 0);
  wait_all(requests);
  window.flush(next);
  EXPECT_EQ(read, ramp);
  EXPECT_EQ(started, ramp);
  constexpr std::size_t kPiece = (std::size_t{1} << 20) / sizeof(double);
  const std::size_t piece = std::min(GetParam(), kPiece);
  EXPECT_EQ(requests.size(), (count + piece - 1) / piece);
  barrier(world());
}

TEST_P(Windows, FetchAndOpCountsEveryCall) {
  Window<std::int64_t> window(world(), 3);
  constexpr int kDraws = 100;
  std::vector<std::int64_t> tickets;
  for (int i = 0; i < kDraws; ++i) tickets.push_back(window.fetch_and_op(1, 0, 2, RmaOperation::sum));
  std::vector<std::int64_t> all = all_gather_varying(world(), std::span<const std::int64_t>(tickets));
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(window.fetch_and_op(0, 0, 2, RmaOperation::keep), static_cast<std::int64_t>(all.size()));
  barrier(world());
  const std::int64_t rank = world().rank();
  window.accumulate(std::span<const std::int64_t>(&rank, 1), 0, 0, RmaOperation::max);
  window.flush(0);
  barrier(world());
  EXPECT_EQ(window.fetch_and_op(0, 0, 0, RmaOperation::keep), world().size() - 1);
  barrier(world());
}

TEST(SharedWindows, EveryoneSeesEveryonesPart) {
  const Communicator node = world().split_shared();
  const auto rank = static_cast<std::size_t>(node.rank());
  SharedWindow<float> window(node, 10 * (rank + 1)); // parts of different sizes
  std::fill(window.local().begin(), window.local().end(), static_cast<float>(rank));
  window.sync();
  barrier(node);
  window.sync();
  for (int other = 0; other < node.size(); ++other) {
    const std::span<float> part = window.of(other);
    ASSERT_EQ(part.size(), 10 * (static_cast<std::size_t>(other) + 1));
    EXPECT_TRUE(std::all_of(part.begin(), part.end(), [&](float x) { return x == static_cast<float>(other); }));
  }
  barrier(node);
}

TEST(SharedWindows, MoreThanTheMachineHasIsRefusedEverywhere) {
  const bool greedy = world().rank() == world().size() - 1;
  try {
    const Window<double> window(world(), greedy ? std::size_t{1} << 46 : 1);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/shm has "), std::string::npos) << error.what();
    EXPECT_TRUE(error.rank().has_value());
  }
}

TEST(AbandonedWindows, DoNotHoldUpExceptions) {
  EXPECT_THROW(
      {
        Window<int> window(world(), 10);
        agree(world(), [] {
          if (world().rank() == world().size() - 1) throw std::runtime_error("lost");
        });
      },
      Error);
  Window<int> next(world(), 1);
  EXPECT_EQ(next.fetch_and_op(1, world().rank(), 0, RmaOperation::sum), 0);
}

} // namespace
} // namespace core
