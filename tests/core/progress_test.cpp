// Messages of unknown senders, barriers that are started, and progress that others live on.
#include "core/progress.hpp"

#include <climits>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/request.hpp"
#include "core/window.hpp"

namespace core {
namespace {

constexpr int kTag = 5, kOtherTag = 6;

// Everybody sends everybody a message of its own length, and serves until a started barrier says that all have.
TEST(Probes, FindEveryMessageOnce) {
  const Communicator comm = Communicator::world().duplicate();
  const auto size = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  EXPECT_FALSE(probe<std::uint64_t>(comm, kOtherTag).has_value());
  const std::vector<std::uint64_t> mine(rank + 1, rank);
  std::vector<Request> sends;
  for (int to = 0; to < comm.size(); ++to)
    sends.push_back(start_send(comm, std::span<const std::uint64_t>(mine), to, kTag));
  std::vector<int> found(size);
  std::size_t total = 0;
  while (total < size) {
    const std::optional<Arrival> arrival = probe<std::uint64_t>(comm, kTag);
    if (!arrival) continue;
    const auto source = static_cast<std::size_t>(arrival->source);
    ASSERT_EQ(arrival->count, source + 1);
    std::vector<std::uint64_t> received(arrival->count, 99);
    start_receive(comm, std::span<std::uint64_t>(received), arrival->source, kTag).wait();
    EXPECT_EQ(received, std::vector<std::uint64_t>(source + 1, source));
    ++found[source];
    ++total;
  }
  EXPECT_EQ(found, std::vector<int>(size, 1));
  wait_all(sends);
  Request all_here = start_barrier(comm);
  while (!all_here.test()) EXPECT_FALSE(probe<std::uint64_t>(comm, kTag).has_value());
}

TEST(Barriers, StartedOnesWaitForTheLast) {
  const Communicator comm = Communicator::world().duplicate();
  Window<std::int64_t> arrivals(comm, 1);
  for (int round = 1; round <= 20; ++round) {
    arrivals.fetch_and_op(1, 0, 0, RmaOperation::sum);
    Request all_here = start_barrier(comm);
    while (!all_here.test()) progress();
    EXPECT_GE(arrivals.fetch_and_op(0, 0, 0, RmaOperation::keep), round * comm.size());
    EXPECT_LE(arrivals.fetch_and_op(0, 0, 0, RmaOperation::keep), (round + 1) * comm.size());
  }
  barrier(comm);
}

// Rank 0 does nothing but progress() until the others, who work on its memory, have all finished.
TEST(Progress, LetsOthersWorkOnThisRanksMemory) {
  const Communicator comm = Communicator::world().duplicate();
  Window<std::int64_t> window(comm, 1);
  constexpr int kAdditions = 100;
  if (comm.rank() > 0)
    for (int i = 0; i < kAdditions; ++i) window.fetch_and_op(1, 0, 0, RmaOperation::sum);
  Request all_here = start_barrier(comm);
  while (!all_here.test()) progress();
  window.sync();
  EXPECT_EQ(window.fetch_and_op(0, 0, 0, RmaOperation::keep), kAdditions * (comm.size() - 1));
  barrier(comm);
}

} // namespace
} // namespace core
