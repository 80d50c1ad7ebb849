// In-place recovery as survivors see it, with any MPI: an attempt of all ranks ends, then some of them split off and go
// on without the others, from copies in memory, from the disk, or from the start.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/checkpoint/job_testing.hpp"

namespace pregel::testing_support {
namespace {

class Survivors : public testing::Test {
 protected:
  /// All ranks run the first supersteps; then `lost` are gone, and the others come to the end. Collective.
  void lose(const std::set<int>& lost, bool on_disk, bool in_memory, std::optional<std::uint64_t> from) {
    SCOPED_TRACE("on disk: " + std::to_string(on_disk) + ", in memory: " + std::to_string(in_memory));
    CheckpointOptions options;
    if (on_disk) options.directory = directory_.path() + "/job" + std::to_string(++jobs_);
    options.every = 2;
    options.memory = in_memory;
    JobCheckpoints checkpoints(options, TestJob::identity(), TestJob::source(), {});
    checkpoints.prepare(world());
    RunOptions first_supersteps;
    first_supersteps.max_supersteps = 4; // of which 0 and 2 are saved
    (void)job_.attempt(checkpoints, world(), 0, {}, first_supersteps);

    const bool lives = !lost.contains(world().rank());
    const core::Communicator survivors = world().split(lives ? 0 : 1, world().rank());
    if (!lives) return;
    const std::vector<int> ranks(lost.begin(), lost.end());
    const Placement placement{PartitionKind::hash, job_.partitioner().without(ranks)};
    expect_same_outcome(job_.attempt(checkpoints, survivors, 1, placement), wanted_);
    EXPECT_EQ(checkpoints.restored_from(), from);
    EXPECT_EQ(job_.graph_was_stored(), from.has_value());
  }

  const test::TemporaryDirectory directory_{world()};
  TestJob job_{oracle::random_graph(60, 200, true, 11)};
  const RunOutcome wanted_ = job_.undisturbed();
  int jobs_ = 0;
};

TEST_F(Survivors, OneRankIsLost) {
  for (int victim = 0; victim < world().size(); ++victim) {
    SCOPED_TRACE("rank " + std::to_string(victim));
    lose({victim}, true, true, 2);
    lose({victim}, true, false, 2);
    lose({victim}, false, true, 2);
    lose({victim}, false, false, std::nullopt);
  }
}

TEST_F(Survivors, NeighboursAreLost) {
  if (world().size() < 3) GTEST_SKIP() << "nobody would be left";
  lose({0, 1}, true, true, 2);             // copies are lost, there is the disk
  lose({0, 1}, false, true, std::nullopt); // there is nothing
  lose({1, 2}, true, false, 2);
}

TEST_F(Survivors, RanksApartAreLost) {
  if (world().size() < 4) GTEST_SKIP() << "needs four ranks";
  lose({0, 2}, false, true, 2);
  lose({1, 3}, true, true, 2);
}

TEST_F(Survivors, AllButOneAreLost) {
  std::set<int> lost;
  for (int rank = 1; rank < world().size(); ++rank) lost.insert(rank);
  lose(lost, true, true, 2);
}

/// A second loss, after the survivors have gone on for a while: their copies are new ones.
TEST_F(Survivors, OneAfterTheOther) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  CheckpointOptions options;
  options.every = 2;
  options.memory = true;
  JobCheckpoints checkpoints(options, TestJob::identity(), TestJob::source(), {});
  checkpoints.prepare(world());
  RunOptions part_of_it;
  part_of_it.max_supersteps = 3;
  (void)job_.attempt(checkpoints, world(), 0, {}, part_of_it);

  const bool lives = world().rank() != 0;
  const core::Communicator survivors = world().split(lives ? 0 : 1, world().rank());
  if (!lives) return;
  const std::vector<int> first{0};
  part_of_it.max_supersteps = 5;
  (void)job_.attempt(checkpoints, survivors, 1, {PartitionKind::hash, job_.partitioner().without(first)}, part_of_it);
  EXPECT_EQ(checkpoints.restored_from(), 2U);

  const bool still_lives = survivors.rank() != survivors.size() - 1;
  const core::Communicator last = survivors.split(still_lives ? 0 : 1, survivors.rank());
  if (!still_lives) return;
  const std::vector<int> second{survivors.size() - 1};
  const Placement placement{PartitionKind::hash, job_.partitioner().without(second)};
  expect_same_outcome(job_.attempt(checkpoints, last, 2, placement), wanted_);
  EXPECT_EQ(checkpoints.restored_from(), 4U);
}

/// A state that came from memory is on the disk too, and must stay there: the job may die the next moment.
TEST_F(Survivors, AStateOnDiskIsNotReplacedByItself) {
  CheckpointOptions options;
  options.directory = directory_.path() + "/job";
  options.every = 2;
  options.memory = true;
  std::vector<std::uint64_t> saved;
  JobCheckpoints checkpoints(options, TestJob::identity(), TestJob::source(),
                             {.part_written = [&](std::uint64_t k) { saved.push_back(k); }});
  checkpoints.prepare(world());
  RunOptions first_supersteps;
  first_supersteps.max_supersteps = 4;
  (void)job_.attempt(checkpoints, world(), 0, {}, first_supersteps);
  EXPECT_EQ(saved, (std::vector<std::uint64_t>{0, 2}));
  saved.clear();
  (void)job_.attempt(checkpoints, world(), 1, {PartitionKind::hash, job_.partitioner()});
  ASSERT_FALSE(saved.empty());
  EXPECT_EQ(saved.front(), 4U);
}

} // namespace
} // namespace pregel::testing_support
