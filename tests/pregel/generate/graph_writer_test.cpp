// Graphs as edge lists, against a sequential clean-up of the generated edges: the same bytes for every number of ranks.
#include "pregel/io/graph_writer.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "gathered_graph.hpp"
#include "pregel/graph/graph_builder.hpp"

namespace pregel {
namespace {

struct Clean {
  bool directed;
  SelfLoops loops;
  MultiEdges repeats;
};

/// What the file must contain after its header.
std::string expected_lines(const core::Communicator& comm, const std::string& spec, const Clean& clean) {
  std::multimap<std::pair<std::uint64_t, std::uint64_t>, double> edges;
  for (const auto& edge : testing_support::gather_edges(comm, spec)) { // ascending: the smallest weight comes first
    std::pair ends(edge.source, edge.target);
    if (!clean.directed && ends.first > ends.second) std::swap(ends.first, ends.second);
    if (clean.loops == SelfLoops::drop && ends.first == ends.second) continue;
    if (clean.repeats == MultiEdges::drop && edges.contains(ends)) continue;
    edges.emplace(ends, edge.weight);
  }
  const bool weighted = parse_generator(spec).weights != WeightKind::none;
  std::string text;
  char weight[40] = "";
  for (const auto& [ends, value] : edges) {
    if (weighted) std::snprintf(weight, sizeof weight, " %.17g", value);
    text += std::to_string(ends.first) + " " + std::to_string(ends.second) + weight + "\n";
  }
  return text;
}

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class GraphWriter : public testing::Test {
 protected:
  void SetUp() override {
    const auto base = std::filesystem::temp_directory_path() / ("superstep-graph-" + std::to_string(getpid()));
    path_ = core::broadcast_string(world_, base.string(), 0);
  }
  void TearDown() override {
    core::barrier(world_);
    if (world_.rank() == 0) std::filesystem::remove(path_);
    core::barrier(world_);
  }

  DistributedGraph build(const std::string& text, const Clean& clean, PartitionKind kind = PartitionKind::range) {
    const GeneratorSpec spec = parse_generator(text);
    BuildOptions options;
    options.directed = clean.directed;
    options.partition = kind;
    options.self_loops = clean.loops;
    options.multi_edges = clean.repeats;
    options.needs = {.weights = spec.weights != WeightKind::none, .push = false, .out_edges = true};
    return build_graph(world_, generate(world_, spec, team_), options);
  }

  const core::Communicator world_ = core::Communicator::world();
  core::ThreadTeam team_{1};
  std::string path_;
};

TEST_F(GraphWriter, edge_lists_have_known_bytes) {
  for (const char* spec : {"kron:scale=7", "kron:scale=6,weights=int", "er:n=20,edges=300,weights=real",
                           "smallworld:n=50,k=4,p=0.5", "grid:rows=4,cols=5", "chain:n=1", "star:n=0"}) {
    for (const bool directed : {false, true}) {
      for (const Clean& clean :
           {Clean{directed, SelfLoops::drop, MultiEdges::drop}, Clean{directed, SelfLoops::keep, MultiEdges::keep}}) {
        const DistributedGraph graph = build(spec, clean);
        const std::uint64_t bytes = write_edge_list(world_, graph, "first\nsecond", path_);
        const std::string expected = "# first\n# second\n" + expected_lines(world_, spec, clean);
        EXPECT_EQ(content_of(path_), expected) << spec << (directed ? " directed" : " undirected");
        EXPECT_EQ(bytes, expected.size());
        EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(expected, '\n')), graph.edge_count + 2) << spec;
        core::barrier(world_);
      }
    }
  }
}

TEST_F(GraphWriter, vertex_lists_have_the_isolated_ones_too) {
  const DistributedGraph graph = build("er:n=300,edges=20", {false, SelfLoops::drop, MultiEdges::drop});
  write_vertex_list(world_, graph, path_);
  std::string expected;
  for (int v = 0; v < 300; ++v) expected += std::to_string(v) + "\n";
  EXPECT_EQ(content_of(path_), expected);
}

TEST_F(GraphWriter, needs_a_partition_by_ranges) {
  if (world_.size() == 1) return;
  const DistributedGraph graph =
      build("grid:rows=3,cols=3", {false, SelfLoops::keep, MultiEdges::keep}, PartitionKind::hash);
  EXPECT_THROW(write_edge_list(world_, graph, "", path_), core::Error);
}

} // namespace
} // namespace pregel
