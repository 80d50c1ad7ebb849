// The promise: the same bytes for every number of ranks and threads and every partition. One job of seven ranks plays
// all smaller ones on parts of itself, so that the full product costs seconds; tests/cli/determinism does the same with
// whole programs.
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "algorithm_testing.hpp"
#include "core/temporary_directory.hpp"

namespace pregel::testing_support {
namespace {

struct Job {
  std::string name, algorithm;
  AlgorithmOptions options;
  bool brief = false; ///< fewer combinations, for kernels that have little of their own below the engine
};

std::vector<Job> jobs(const oracle::Graph& graph) {
  std::vector<Job> all;
  const auto add = [&](std::string name, std::string algorithm) -> AlgorithmOptions& {
    all.push_back({std::move(name), std::move(algorithm), {}});
    return all.back().options;
  };
  const auto add_brief = [&](const char* algorithm) -> AlgorithmOptions& {
    AlgorithmOptions& options = add(algorithm, algorithm);
    all.back().brief = true;
    return options;
  };
  add("pagerank_iterations", "pagerank").iterations = 10;
  add("pagerank_tolerance", "pagerank").tolerance = 1e-4;
  AlgorithmOptions& textbook = add("pagerank_textbook", "pagerank");
  textbook.variant = "textbook";
  textbook.tolerance = 1e-4;
  add("wcc", "wcc");
  add_brief("cdlp").iterations = 5;
  add_brief("triangles");
  add_brief("lcc");
  add_brief("degree");
  add_brief("hits").iterations = 4;
  for (const char* algorithm : {"kcore", "scc", "mis", "coloring", "diameter", "msf", "matching"}) add_brief(algorithm);
  AlgorithmOptions& walk = add_brief("random-walk");
  walk.iterations = 5;
  walk.walk_p = 0.5;
  walk.walk_q = 2;
  AlgorithmOptions& convolution = add_brief("gcn");
  convolution.width = 11;
  AlgorithmOptions& sage = add_brief("gcn");
  sage.variant = "sage";
  sage.width = 11;
  sage.sample = 3;
  if (graph.vertices.empty()) return all;
  const GlobalId source{graph.vertices[graph.vertices.size() / 2]};
  add("sssp", "sssp").source = source;
  add("bfs", "bfs").source = source;
  AlgorithmOptions& personal = add_brief("ppr");
  personal.source = source;
  personal.iterations = 8;
  add_brief("bc").sources = {GlobalId{graph.vertices.front()}, source};
  AlgorithmOptions& tree = add("bfs_parents", "bfs");
  tree.source = source;
  tree.parents = true;
  return all;
}

/// The bytes of the result file, on every rank of the world; only the first `ranks` of them take part in the run.
std::string bytes_of(const Job& job, const oracle::Graph& graph, int ranks, PartitionKind partition, int threads) {
  const test::TemporaryDirectory directory(world());
  const std::string file = directory.file("result.txt");
  const core::Communicator part = world().split(world().rank() < ranks ? 0 : 1, world().rank());
  if (world().rank() < ranks) {
    const Algorithm& algorithm = find_algorithm(job.algorithm);
    BuildOptions build_options;
    build_options.partition = partition;
    build_options.needs = algorithm.needs(job.options);
    build_options.needs.weights = algorithm.reads_weights;
    const DistributedGraph built = build(graph, build_options, part);
    core::ThreadTeam team(threads);
    const AlgorithmRun run = algorithm.run(built, team, job.options, {});
    write_results(part, run.result, nullptr, file);
  }
  core::barrier(world());
  return test::content_of(file);
}

class Determinism : public testing::TestWithParam<std::size_t> {};

std::vector<oracle::NamedGraph> determinism_graphs() {
  std::vector<oracle::NamedGraph> all;
  for (const bool directed : {true, false}) {
    oracle::Graph graph = oracle::with_weights(oracle::random_graph(500, 2500, directed, 70), 71, 1000);
    for (double& weight : graph.weights) weight /= 7; // sums of these round
    all.push_back({directed ? "random_directed" : "random_undirected", graph});
  }
  const std::set<std::string> awkward{"no_vertices", "repeated_edges", "star", "huge_ids", "dangling"};
  for (const oracle::NamedGraph& named : selected_graphs()) {
    if (awkward.contains(named.name)) all.push_back({named.name, oracle::with_weights(named.graph, 72)});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::Range(std::size_t{0}, determinism_graphs().size()),
                         [](const auto& instance) { return determinism_graphs()[instance.param].name; });

TEST_P(Determinism, SameBytes) {
  const oracle::Graph graph = determinism_graphs()[GetParam()].graph;
  for (const Job& job : jobs(graph)) {
    std::optional<std::string> wanted;
    for (const int ranks : {1, 2, 3, 4, 7}) {
      if (ranks > world().size() || (job.brief && ranks % 2 == 0)) continue;
      for (const PartitionKind partition : kAllPartitions) {
        if (job.brief && partition == PartitionKind::modulo) continue;
        for (const int threads : {1, 2}) {
          const std::string found = bytes_of(job, graph, ranks, partition, threads);
          if (!wanted) wanted = found;
          EXPECT_TRUE(found == *wanted) << job.name << " on " << ranks << " ranks, " << partition_name(partition)
                                        << ", " << threads << " threads";
        }
      }
    }
    if (job.algorithm == "msf") continue; // a line an edge of the forest
    EXPECT_EQ(std::ranges::count(*wanted, '\n'), static_cast<std::ptrdiff_t>(graph.vertices.size())) << job.name;
  }
}

} // namespace
} // namespace pregel::testing_support
