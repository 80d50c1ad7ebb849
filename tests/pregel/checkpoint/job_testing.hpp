// A job with checkpoints as the program has it: graph from the store or built, run, state to the store. Used by the
// tests of JobCheckpoints, on disk and in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/message_of.hpp"
#include "core/temporary_directory.hpp"
#include "pregel/checkpoint/job_checkpoints.hpp"
#include "resumption.hpp"
#include "resumption_programs.hpp"

namespace pregel::testing_support {

/// Ends the run at the start of a superstep, as SIGTERM would.
class StopAt final : public RunMonitor {
 public:
  explicit StopAt(std::uint64_t superstep) : superstep_(superstep) {}
  void entering(Phase, std::uint64_t superstep) override { now_ = superstep; }
  [[nodiscard]] bool stop_requested() const noexcept override { return now_ + 1 == superstep_; }

 private:
  std::uint64_t superstep_, now_ = 0;
};

/// One job: the same program on the same graph, by whoever runs it.
class TestJob {
 public:
  explicit TestJob(oracle::Graph graph) : graph_(std::move(graph)) {}

  [[nodiscard]] static nlohmann::json identity() { return {{"algorithm", "letters"}, {"--seed", 1}, {"--source", ""}}; }
  [[nodiscard]] static nlohmann::json source() { return {{"--graph", "graph.txt"}, {"--directed", true}}; }

  /// The undisturbed run, on all ranks.
  [[nodiscard]] RunOutcome undisturbed() const {
    core::ThreadTeam team(1);
    return run_of(Letters{{&graph_.vertices}})(build(graph_), team, {});
  }

  /// One attempt on `comm`. The graph is taken from the store if it is there. Collective over `comm`.
  RunOutcome attempt(JobCheckpoints& checkpoints, const core::Communicator& comm, std::uint64_t number,
                     const Placement& placement = {}, RunOptions options = {}) {
    core::ThreadTeam team(1);
    checkpoints.begin_attempt(comm, number);
    std::optional<LoadedGraph> loaded = checkpoints.load_graph({}, placement, team);
    graph_was_stored_ = loaded.has_value();
    if (!loaded) {
      loaded.emplace();
      BuildOptions build_options;
      build_options.partition = placement.kind;
      build_options.partitioner = placement.partitioner;
      loaded->graph = build(graph_, build_options, comm);
      loaded->description = "graph.txt";
    }
    checkpoints.keep_graph(*loaded);
    partitioner_ = loaded->graph.partitioner;
    options.checkpointer = &checkpoints;
    return run_of(Letters{{&graph_.vertices}})(loaded->graph, team, options);
  }

  [[nodiscard]] bool graph_was_stored() const noexcept { return graph_was_stored_; }
  [[nodiscard]] const Partitioner& partitioner() const noexcept { return partitioner_; }
  [[nodiscard]] const oracle::Graph& graph() const noexcept { return graph_; }

 private:
  oracle::Graph graph_;
  bool graph_was_stored_ = false;
  Partitioner partitioner_ = Partitioner::hash(1);
};

inline void expect_same_outcome(const RunOutcome& found, const RunOutcome& wanted) {
  EXPECT_TRUE(found.values == wanted.values);
  EXPECT_EQ(found.report.supersteps(), wanted.report.supersteps());
  EXPECT_EQ(found.report.messages_sent(), wanted.report.messages_sent());
  EXPECT_EQ(found.report.wakeups(), wanted.report.wakeups());
  EXPECT_EQ(found.report.vertex_computations(), wanted.report.vertex_computations());
}

using test::message_of;

/// A job and its directory.
class Jobs : public testing::Test {
 protected:
  [[nodiscard]] CheckpointOptions options(bool resume = false) const {
    CheckpointOptions made;
    made.directory = directory_.path() + "/job";
    made.every = 1;
    made.resume = resume;
    return made;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return directory_.path() + "/job/" + name; }
  [[nodiscard]] std::string part(int superstep, int part) const {
    return path("superstep-00000000000" + std::to_string(superstep) + "/part-0000" + std::to_string(part) + ".h5");
  }
  /// The checkpoints that are there, by their directories.
  [[nodiscard]] std::vector<std::string> present() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/job"))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  static void on_rank_0(const std::function<void()>& work) {
    core::barrier(world());
    if (world().rank() == 0) work();
    core::barrier(world());
  }
  [[nodiscard]] RunOutcome run(const CheckpointOptions& with, nlohmann::json identity = TestJob::identity(),
                               nlohmann::json source = TestJob::source(), RunOptions run_options = {}) {
    JobCheckpoints checkpoints(with, std::move(identity), std::move(source), {});
    checkpoints.prepare(world());
    RunOutcome outcome = job_.attempt(checkpoints, world(), 0, {}, run_options);
    restored_ = checkpoints.restored_from();
    return outcome;
  }
  /// What all ranks are told.
  template <class F>
  [[nodiscard]] std::string refusal(F&& work) const {
    const std::string message = message_of(work);
    EXPECT_EQ(message, core::broadcast_string(world(), message, 0)) << "ranks do not agree";
    return message;
  }

  const test::TemporaryDirectory directory_{world()};
  TestJob job_{oracle::random_graph(60, 200, true, 11)};
  const RunOutcome wanted_ = job_.undisturbed();
  std::optional<std::uint64_t> restored_;
};

} // namespace pregel::testing_support
