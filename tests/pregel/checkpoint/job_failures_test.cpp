// Checkpoints that cannot be written, and jobs that are asked to stop.
#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "job_testing.hpp"

namespace pregel::testing_support {
namespace {

/// A checkpoint of the graph and some states.
class FailingJobs : public Jobs {
 protected:
  [[nodiscard]] CheckpointOptions with_failure(std::uint64_t write, bool required) const {
    CheckpointOptions made = options();
    made.directory += std::to_string(write) + (required ? "r" : "");
    made.every = 4;
    made.required = required;
    return made;
  }
  /// The job while a write of the last rank fails; what it says if it ends, else nothing.
  std::string run_with_failure(std::uint64_t write, const CheckpointOptions& with) {
    core::checkpoint::fail_write_after(world().rank() == world().size() - 1 ? write : 0);
    std::string said;
    try {
      expect_same_outcome(run(with), wanted_);
    } catch (const core::Error& error) {
      said = error.what();
    }
    core::checkpoint::fail_write_after(0);
    EXPECT_EQ(said, core::broadcast_string(world(), said, 0)) << "ranks do not agree";
    return said;
  }
  /// Whatever is left in the directory is whole, and the job goes on from it.
  void expect_usable(CheckpointOptions with) {
    core::barrier(world());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(with.directory)) {
      EXPECT_EQ(entry.path().filename().string().find("tmp"), std::string::npos) << entry.path();
      EXPECT_TRUE(!entry.is_directory() || std::filesystem::exists(entry.path() / "checkpoint.h5")) << entry.path();
    }
    core::barrier(world());
    with.resume = true;
    expect_same_outcome(run(with), wanted_);
  }
};

TEST_F(FailingJobs, RequiredCheckpointsEndTheJob) {
  std::uint64_t write = 1;
  for (;; ++write) {
    SCOPED_TRACE("write " + std::to_string(write));
    const CheckpointOptions with = with_failure(write, true);
    const std::string said = run_with_failure(write, with);
    if (said.empty()) break; // there are not so many writes
    EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
    expect_usable(with);
    on_rank_0([&] { std::filesystem::remove_all(with.directory); });
  }
  EXPECT_GT(write, 20U) << "graph and states take more writes than that";
}

TEST_F(FailingJobs, OtherwiseItGoesOn) {
  bool graph_is_missing = false;
  for (std::uint64_t write = 1; write <= 40; ++write) {
    SCOPED_TRACE("write " + std::to_string(write));
    const CheckpointOptions with = with_failure(write, false);
    EXPECT_EQ(run_with_failure(write, with), "");
    graph_is_missing = graph_is_missing || core::checkpoint::Store(with.directory, "graph", 0).committed().empty();
    expect_usable(with);
    EXPECT_TRUE(restored_.has_value());
    on_rank_0([&] { std::filesystem::remove_all(with.directory); });
  }
  EXPECT_TRUE(graph_is_missing);
}

using StoppedJobs = Jobs;

TEST_F(StoppedJobs, StopOnRequestLeavesAState) {
  CheckpointOptions rare = options();
  rare.every = 1000;
  StopAt stop(3);
  RunOptions watched;
  if (world().rank() == world().size() - 1) watched.monitor = &stop; // one rank's wish is enough
  try {
    (void)run(rare, TestJob::identity(), TestJob::source(), watched);
    ADD_FAILURE() << "was not stopped";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.exit_code(), core::ExitCode::requeue);
    EXPECT_EQ(std::string(error.what()), "stopped on request after a checkpoint of superstep 3; go on with --resume");
  }
  rare.resume = true;
  expect_same_outcome(run(rare), wanted_);
  EXPECT_EQ(restored_, 3U);
}

TEST_F(StoppedJobs, StopOnRequestSaysWhenThereIsNoState) {
  CheckpointOptions rare = options();
  rare.every = 1000;
  StopAt stop(3);
  RunOptions watched;
  watched.monitor = &stop;
  JobCheckpoints checkpoints(rare, TestJob::identity(), TestJob::source(),
                             {.part_written = [](std::uint64_t superstep) {
                               if (superstep == 3) core::checkpoint::fail_write_after(1);
                             }});
  checkpoints.prepare(world());
  EXPECT_EQ(refusal([&] { (void)job_.attempt(checkpoints, world(), 0, {}, watched); }),
            "stopped on request in superstep 3, without a checkpoint of it; go on from an earlier one, or from the "
            "start, with --resume");
  core::checkpoint::fail_write_after(0);
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_EQ(restored_, 0U);
}

} // namespace
} // namespace pregel::testing_support
