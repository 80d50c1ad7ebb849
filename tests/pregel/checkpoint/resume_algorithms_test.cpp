// Every algorithm of the registry, in every variant, interrupted at every superstep.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "resumption.hpp"

namespace pregel::testing_support {
namespace {

struct Case {
  std::string name;
  const Algorithm* algorithm;
  AlgorithmOptions options;
  bool use_combiner = true;
};

/// Every algorithm and variant as it is run by default, so that one that is added later is tested too; and what differs
/// by an option.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Algorithm& algorithm : algorithms()) {
    for (const std::string_view variant : algorithm.variants) {
      for (const bool use_combiner : {true, false}) {
        Case next{std::string(algorithm.name) + "_" + std::string(variant), &algorithm, {}, use_combiner};
        if (!use_combiner) next.name += "_no_combiner";
        std::ranges::replace(next.name, '-', '_');
        next.options.variant = variant;
        next.options.tolerance = 0.01;
        all.push_back(std::move(next));
      }
    }
  }
  Case iterations{"pagerank_iterations", &find_algorithm("pagerank"), {}};
  iterations.options.iterations = 5;
  all.push_back(std::move(iterations));
  Case parents{"bfs_parents", &find_algorithm("bfs"), {}};
  parents.options.parents = true;
  all.push_back(std::move(parents));
  return all;
}

const std::vector<oracle::NamedGraph>& graphs() {
  static const std::vector<oracle::NamedGraph> all = [] {
    const std::set<std::string> names{"no_vertices", "isolated_vertices", "repeated_edges",
                                      "star",        "huge_ids",          "cycle_with_tails"};
    std::vector<oracle::NamedGraph> selected;
    for (const oracle::NamedGraph& named : selected_graphs())
      if (names.contains(named.name)) selected.push_back({named.name, oracle::with_weights(named.graph, 5)});
    selected.push_back({"random", oracle::with_weights(oracle::random_graph(120, 400, false, 21), 22)});
    return selected;
  }();
  return all;
}

/// Every vertex twice, on the left and on the right, with edges from left to right.
oracle::Graph two_sided(const oracle::Graph& graph) {
  oracle::Graph sides;
  const auto doubled = [&](oracle::Id id) { return 2 * position(graph, id); };
  for (const auto& [u, v] : graph.edges) sides.edges.push_back({doubled(u), doubled(v) + 1});
  for (const oracle::Id id : graph.vertices) sides.vertices.push_back(doubled(id));
  sides.weights = graph.weights;
  oracle::normalise(sides);
  return sides;
}

class ResumedAlgorithms : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, ResumedAlgorithms, testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(ResumedAlgorithms, FromEverySuperstep) {
  const Case& c = GetParam();
  std::size_t longest = 0;
  for (const auto& [name, listed] : graphs()) {
    const oracle::Graph graph = c.name.starts_with("matching_textbook") ? two_sided(listed) : listed;
    if (graph.vertices.empty() && c.algorithm->needs_source) continue;
    SCOPED_TRACE(name);
    AlgorithmOptions options = c.options;
    if (c.algorithm->needs_source) options.source = GlobalId{graph.vertices.front()};
    if (c.algorithm->takes_sources && !graph.vertices.empty())
      options.sources = {GlobalId{graph.vertices.front()}, GlobalId{graph.vertices.back()}};
    for (std::size_t i = 0; i < graph.vertices.size(); ++i)
      if (world().rank() == 0)
        options.start_values.emplace_back(GlobalId{graph.vertices[i]}, 0.1 * static_cast<double>(i));
    ResumptionOptions spread{.needs = c.algorithm->needs(options), .use_combiner = c.use_combiner};
    spread.needs.weights = c.algorithm->reads_weights;
    Runner run = run_of(*c.algorithm, options);
    if (c.options.variant == "local-halt") { // which never ends
      run = [run](const DistributedGraph& g, core::ThreadTeam& team, RunOptions limited) {
        limited.max_supersteps = 8;
        return run(g, team, limited);
      };
    }
    longest = std::max(longest, expect_resumable(run, graph, spread));
  }
  EXPECT_GE(longest, 2U);
}

} // namespace
} // namespace pregel::testing_support
