// Algorithms of the registry against the oracles: on which graphs, in which settings, and one call that runs them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "pregel/algorithms/algorithm.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel::testing_support {

/// How a graph is spread and run.
struct Setting {
  PartitionKind partition = PartitionKind::hash;
  int threads = 1;
  bool use_combiner = true;
};
inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << partition_name(setting.partition) << ", " << setting.threads << " threads, combiner "
       << (setting.use_combiner ? "on" : "off");
}
/// One suite runs an algorithm in all of them.
class AlgorithmTest : public testing::TestWithParam<Setting> {};

[[nodiscard]] inline std::vector<Setting> settings() {
  return {{PartitionKind::hash, 1, true},
          {PartitionKind::modulo, 2, true},
          {PartitionKind::range, 1, true},
          {PartitionKind::hash, 2, false}};
}
[[nodiscard]] inline std::string setting_name(const testing::TestParamInfo<Setting>& instance) {
  return std::string(partition_name(instance.param.partition)) + "Threads" + std::to_string(instance.param.threads) +
         (instance.param.use_combiner ? "" : "NoCombiner");
}

/// The awkward graphs, and random ones of several densities and seeds.
[[nodiscard]] inline const std::vector<oracle::NamedGraph>& algorithm_graphs() {
  static const std::vector<oracle::NamedGraph> graphs = [] {
    std::vector<oracle::NamedGraph> all = oracle::awkward_graphs();
    for (std::uint64_t seed = 100; seed < 106; ++seed) {
      const std::size_t vertices = 30 + 80 * (seed % 4), edges = vertices * (1 + seed % 5);
      all.push_back({"random_" + std::to_string(seed), oracle::random_graph(vertices, edges, seed % 2 == 0, seed)});
    }
    all.push_back({"random_larger", oracle::random_graph(4000, 16000, true, 200)});
    return all;
  }();
  return graphs;
}

struct AlgorithmOutcome {
  RunReport report;
  std::vector<std::string> columns;
  ResultTable table; ///< this rank's
};

/// Those that a setting is tested on: all on one or two ranks; on more, where each superstep costs much on few cores,
/// every setting gets half of them and every graph two settings.
[[nodiscard]] inline std::vector<oracle::NamedGraph> graphs_for(const Setting& setting) {
  const std::vector<oracle::NamedGraph>& all = algorithm_graphs();
  if (world().size() <= 2) return all;
  std::vector<oracle::NamedGraph> half;
  const bool first_half = setting.partition == PartitionKind::hash;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((i % 2 == 0) == (first_half == (setting.threads == 1))) half.push_back(all[i]);
  }
  return half;
}

/// Builds what the algorithm needs and runs it. Collective.
[[nodiscard]] inline AlgorithmOutcome run_algorithm(std::string_view name, const oracle::Graph& graph,
                                                    const Setting& setting, const AlgorithmOptions& options) {
  const Algorithm& algorithm = find_algorithm(name);
  BuildOptions build_options;
  build_options.partition = setting.partition;
  build_options.needs = algorithm.needs(options);
  build_options.needs.weights = algorithm.reads_weights && !graph.weights.empty();
  const DistributedGraph built = build(graph, build_options);
  core::ThreadTeam team(setting.threads);
  RunOptions run;
  run.use_combiner = setting.use_combiner;
  AlgorithmRun result = algorithm.run(built, team, options, run);
  AlgorithmOutcome outcome{std::move(result.report), {}, std::move(result.result)};
  for (const NamedColumn& column : outcome.table.columns) outcome.columns.push_back(column.name);
  return outcome;
}

/// Column `index` of all ranks by vertex; its kind must be T. Checks that each rank's ids ascend. Collective.
template <class T>
[[nodiscard]] std::map<std::uint64_t, T> column_of(const AlgorithmOutcome& outcome, std::size_t index = 0) {
  struct Item {
    std::uint64_t id;
    T value;
  };
  EXPECT_TRUE(std::ranges::is_sorted(outcome.table.ids));
  const auto& values = std::get<std::vector<T>>(outcome.table.columns.at(index).values);
  EXPECT_EQ(values.size(), outcome.table.ids.size());
  std::vector<Item> mine;
  for (std::size_t i = 0; i < values.size(); ++i) mine.push_back({number(outcome.table.ids[i]), values[i]});
  std::map<std::uint64_t, T> all;
  for (const Item& item : gather_lists(mine)) EXPECT_TRUE(all.emplace(item.id, item.value).second) << item.id;
  return all;
}

/// Some vertices to start from: the first and one in between.
[[nodiscard]] inline std::vector<oracle::Id> sources_in(const oracle::Graph& graph) {
  if (graph.vertices.empty()) return {};
  return {graph.vertices.front(), graph.vertices[graph.vertices.size() * 2 / 3]};
}

} // namespace pregel::testing_support
