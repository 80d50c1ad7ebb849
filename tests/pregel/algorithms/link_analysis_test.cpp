// Hubs, authorities and personalised ranks against dense matrices in long double.
#include <cmath>

#include "algorithm_testing.hpp"
#include "support/neighbour_oracles.hpp"

namespace pregel::testing_support {
namespace {

class LinkAnalysisTest : public AlgorithmTest {};
INSTANTIATE_TEST_SUITE_P(All, LinkAnalysisTest, testing::ValuesIn(settings()), setting_name);

void expect_close(const std::map<std::uint64_t, double>& found, const std::map<std::uint64_t, double>& wanted,
                  double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (const auto& [id, value] : wanted) EXPECT_NEAR(found.at(id), value, tolerance) << "vertex " << id;
}

/// A dense matrix of the largest graph would take longer than all others together.
std::vector<oracle::NamedGraph> small_graphs(const Setting& setting) {
  std::vector<oracle::NamedGraph> all = graphs_for(setting);
  std::erase_if(all, [](const oracle::NamedGraph& named) { return named.graph.vertices.size() > 300; });
  return all;
}

/// How many rounds a graph gets: each number falls to a third of them.
std::uint64_t rounds_for(const std::string& name) {
  constexpr std::uint64_t kRounds[] = {6, 1, 0};
  return kRounds[name.size() % 3];
}

TEST_P(LinkAnalysisTest, HubsAndAuthorities) {
  for (const auto& [name, graph] : small_graphs(GetParam())) {
    AlgorithmOptions options;
    options.iterations = rounds_for(name);
    SCOPED_TRACE(name + ", updates " + std::to_string(*options.iterations));
    const oracle::Importance wanted = oracle::hubs_and_authorities(graph, *options.iterations);
    const AlgorithmOutcome outcome = run_algorithm("hits", graph, GetParam(), options);
    EXPECT_EQ(outcome.columns, (std::vector<std::string>{"authority", "hub"}));
    expect_close(column_of<double>(outcome, 0), by_id(graph, wanted.authorities), 1e-13);
    expect_close(column_of<double>(outcome, 1), by_id(graph, wanted.hubs), 1e-13);
    if (!graph.vertices.empty()) {
      EXPECT_EQ(outcome.report.supersteps(), 2 * *options.iterations + 1);
    }
  }
}

TEST_P(LinkAnalysisTest, HubsAndAuthoritiesToATolerance) {
  const oracle::Graph graph = oracle::random_graph(100, 500, true, 51);
  AlgorithmOptions options;
  options.tolerance = 1e-10;
  const AlgorithmOutcome outcome = run_algorithm("hits", graph, GetParam(), options);
  const oracle::Importance wanted = oracle::hubs_and_authorities(graph, 2000);
  expect_close(column_of<double>(outcome, 0), by_id(graph, wanted.authorities), 1e-8);
  expect_close(column_of<double>(outcome, 1), by_id(graph, wanted.hubs), 1e-8);
}

/// Cut in the middle of an update: the vector at hand is scaled all the same.
TEST(Hits, CutShort) {
  const oracle::Graph graph = oracle::random_graph(50, 200, true, 52);
  BuildOptions build_options;
  build_options.needs = find_algorithm("hits").needs({});
  const DistributedGraph built = build(graph, build_options);
  core::ThreadTeam team(1);
  RunOptions limited;
  limited.max_supersteps = 4; // 0 start, 1 and 2 an update, 3 authorities
  AlgorithmRun run = find_algorithm("hits").run(built, team, {}, limited);
  const AlgorithmOutcome outcome{std::move(run.report), {}, std::move(run.result)};
  expect_close(column_of<double>(outcome, 0), by_id(graph, oracle::hubs_and_authorities(graph, 2).authorities), 1e-13);
  expect_close(column_of<double>(outcome, 1), by_id(graph, oracle::hubs_and_authorities(graph, 1).hubs), 1e-13);
}

TEST_P(LinkAnalysisTest, PersonalisedRanks) {
  for (const auto& [name, graph] : small_graphs(GetParam())) {
    if (graph.vertices.empty()) continue;
    AlgorithmOptions options;
    const oracle::Id source = sources_in(graph)[name.size() % 2];
    options.source = GlobalId{source};
    options.iterations = 2 * rounds_for(name);
    options.damping = name.size() % 5 == 0 ? 0.5 : 0.85;
    SCOPED_TRACE(name + " from " + std::to_string(source) + ", iterations " + std::to_string(*options.iterations));
    const AlgorithmOutcome outcome = run_algorithm("ppr", graph, GetParam(), options);
    EXPECT_EQ(outcome.columns, std::vector<std::string>{"rank"});
    const auto wanted = oracle::personalised_pagerank(graph, source, *options.iterations, options.damping);
    expect_close(column_of<double>(outcome), by_id(graph, wanted), 1e-14);
    EXPECT_EQ(outcome.report.supersteps(), *options.iterations + 1);
  }
}

TEST_P(LinkAnalysisTest, PersonalisedRanksToATolerance) {
  const oracle::Graph graph = oracle::random_graph(100, 300, true, 53);
  AlgorithmOptions options;
  options.source = GlobalId{graph.vertices[7]};
  options.tolerance = 1e-12;
  const AlgorithmOutcome outcome = run_algorithm("ppr", graph, GetParam(), options);
  const auto wanted = oracle::personalised_pagerank(graph, graph.vertices[7], 400);
  expect_close(column_of<double>(outcome), by_id(graph, wanted), 1e-11);
}

} // namespace
} // namespace pregel::testing_support
