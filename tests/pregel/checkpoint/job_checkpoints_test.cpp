// The checkpoints of a job on disk: who may go on from them, from which, and what is kept.
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "job_testing.hpp"

namespace pregel::testing_support {
namespace {

namespace fs = std::filesystem;

/// From each checkpoint in turn, the newest first, on every number of ranks and in every partition.
TEST_F(Jobs, GoOnOnOtherRanksAndPartitions) {
  CheckpointOptions all = options();
  all.keep = 0;
  expect_same_outcome(run(all), wanted_);
  EXPECT_EQ(restored_, std::nullopt);
  all.resume = true;
  for (std::uint64_t k = wanted_.report.supersteps(); k-- > 0;) {
    on_rank_0([&] {
      const core::checkpoint::Store store(all.directory, "superstep", 0);
      for (const std::uint64_t number : store.committed())
        if (number > k) fs::remove_all(store.path_of(number));
    });
    const int ranks = 1 + static_cast<int>(k) % world().size();
    const bool takes_part = world().rank() < ranks;
    const core::Communicator comm = world().split(takes_part ? 0 : 1, world().rank());
    if (!takes_part) continue;
    SCOPED_TRACE("from superstep " + std::to_string(k) + " on " + std::to_string(ranks) + " ranks");
    JobCheckpoints checkpoints(all, TestJob::identity(), nlohmann::json::object(), {});
    checkpoints.prepare(comm);
    expect_same_outcome(job_.attempt(checkpoints, comm, 0, {kAllPartitions[k % 3]}), wanted_);
    EXPECT_TRUE(job_.graph_was_stored());
    EXPECT_EQ(checkpoints.restored_from(), k);
  }
}

TEST_F(Jobs, KeepTheLastCheckpoints) {
  for (const int keep : {1, 2, 3}) {
    CheckpointOptions some = options();
    some.directory += std::to_string(keep);
    some.keep = keep;
    (void)run(some);
    const core::checkpoint::Store states(some.directory, "superstep", 0), graphs(some.directory, "graph", 0);
    const std::uint64_t last = wanted_.report.supersteps() - 1;
    std::vector<std::uint64_t> kept;
    for (int i = keep; i-- > 0;) kept.push_back(last - static_cast<std::uint64_t>(i));
    EXPECT_EQ(states.committed(), kept);
    EXPECT_EQ(graphs.committed(), std::vector<std::uint64_t>{0});
    core::barrier(world());
  }
}

TEST_F(Jobs, ResumeWithNothingThereStartsAtTheBeginning) {
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_EQ(restored_, std::nullopt);
  EXPECT_FALSE(job_.graph_was_stored());
}

TEST_F(Jobs, AnEarlierJobsDirectoryNeedsResume) {
  (void)run(options());
  const std::vector<std::string> before = present();
  EXPECT_EQ(refusal([&] { (void)run(options()); }),
            directory_.path() + "/job holds checkpoints of an earlier job (the last at superstep " +
                std::to_string(wanted_.report.supersteps() - 1) + "): go on from them with --resume, or remove them");
  EXPECT_EQ(present(), before);
}

/// A graph alone is of a job that did not get far; the next one may have another.
TEST_F(Jobs, AnEarlierJobsGraphIsReplaced) {
  (void)run(options());
  on_rank_0([&] {
    for (const std::string& name : present())
      if (name.starts_with("superstep")) fs::remove_all(path(name));
  });
  nlohmann::json other = TestJob::identity();
  other["algorithm"] = "another";
  (void)run(options(), other);
  EXPECT_FALSE(job_.graph_was_stored());
}

TEST_F(Jobs, AnotherJobIsRefusedByName) {
  (void)run(options());
  const auto expect_refused = [&](const char* option, const nlohmann::json& now, const std::string& line) {
    nlohmann::json other = TestJob::identity();
    other[option] = now;
    EXPECT_EQ(refusal([&] { (void)run(options(true), other); }),
              "cannot resume from " + directory_.path() + "/job: for its job " + line);
  };
  expect_refused("algorithm", "numbers", "algorithm was letters, now it is numbers");
  expect_refused("--seed", 2, "--seed was 1, now it is 2");
  expect_refused("--source", "v", "--source was not given, now it is v");
  expect_refused("--brand-new", 0.5, "--brand-new was not given, now it is 0.5");
  nlohmann::json source = TestJob::source();
  source["--graph"] = "other.txt";
  EXPECT_EQ(
      refusal([&] { (void)run(options(true), TestJob::identity(), source); }),
      "cannot resume from " + directory_.path() + "/job: for its graph --graph was graph.txt, now it is other.txt");
  expect_same_outcome(run(options(true)), wanted_);
}

/// A stored graph has the arcs that its algorithm wanted: another one must not have them, also when there is no state.
TEST_F(Jobs, AnotherAlgorithmIsRefusedTheGraph) {
  (void)run(options());
  on_rank_0([&] {
    for (const std::string& name : present())
      if (name.starts_with("superstep")) fs::remove_all(path(name));
  });
  nlohmann::json other = TestJob::identity();
  other["algorithm"] = "numbers";
  EXPECT_NE(refusal([&] { (void)run(options(true), other); }).find("algorithm was letters, now it is numbers"),
            std::string::npos);
}

TEST_F(Jobs, AnotherGraphIsRefused) {
  (void)run(options());
  on_rank_0([&] { fs::remove_all(path("graph-000000000000")); });
  job_ = TestJob(oracle::random_graph(60, 200, true, 12));
  EXPECT_EQ(refusal([&] { (void)run(options(true)); }),
            "cannot resume from " + directory_.path() + "/job: its job ran on another graph");
}

TEST_F(Jobs, ADamagedCheckpointIsPassedOver) {
  (void)run(options());
  const int last = static_cast<int>(wanted_.report.supersteps()) - 1;
  on_rank_0([&] { fs::resize_file(part(last, 0), 100); });
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_EQ(restored_, last - 1);
  on_rank_0([&] { fs::remove(path("superstep-00000000000" + std::to_string(last) + "/checkpoint.h5")); });
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_EQ(restored_, last - 1);
  on_rank_0([&] {
    fs::resize_file(part(last, 0), 100);
    fs::remove(part(last - 1, 0));
  });
  EXPECT_TRUE(refusal([&] { (void)run(options(true)); })
                  .starts_with("no checkpoint in " + directory_.path() + "/job can be used: " + part(last, 0) +
                               " has 100 bytes"));
}

/// As a job leaves it that dies while it writes its first checkpoint.
TEST_F(Jobs, OnlyAnIncompleteCheckpoint) {
  (void)run(options());
  on_rank_0([&] {
    for (const std::string& name : present())
      if (name.starts_with("superstep")) fs::remove(path(name + "/checkpoint.h5"));
  });
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_EQ(restored_, std::nullopt);
}

TEST_F(Jobs, ADamagedGraphIsLoadedAgain) {
  (void)run(options());
  on_rank_0([&] { fs::resize_file(path("graph-000000000000/part-00000.h5"), 100); });
  expect_same_outcome(run(options(true)), wanted_);
  EXPECT_FALSE(job_.graph_was_stored());
  EXPECT_TRUE(restored_.has_value());
}

TEST_F(Jobs, DirectoriesThatCannotBeUsed) {
  on_rank_0([&] { std::ofstream(directory_.path() + "/file") << "x"; });
  CheckpointOptions bad = options();
  bad.directory = directory_.path() + "/file";
  EXPECT_NE(refusal([&] { (void)run(bad); }).find(bad.directory), std::string::npos);
  bad.directory += "/below";
  EXPECT_NE(refusal([&] { (void)run(bad); }).find(bad.directory), std::string::npos);
  if (geteuid() == 0) return; // who may write everywhere
  on_rank_0([&] {
    fs::create_directory(directory_.path() + "/locked");
    fs::permissions(directory_.path() + "/locked", fs::perms::owner_read | fs::perms::owner_exec);
  });
  bad.directory = directory_.path() + "/locked";
  EXPECT_EQ(refusal([&] { (void)run(bad); }),
            "cannot use the checkpoint directory " + bad.directory + ": Permission denied");
}

} // namespace
} // namespace pregel::testing_support
