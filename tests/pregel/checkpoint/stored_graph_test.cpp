// Graphs as tables of a checkpoint, and back: on other ranks, in other partitions, the same graph.
#include "pregel/checkpoint/stored_graph.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/checkpoint/redistribute.hpp"
#include "core/error.hpp"
#include "resumption.hpp"

namespace pregel::testing_support {
namespace {

using core::checkpoint::Part;

core::ThreadTeam& one_thread() {
  static core::ThreadTeam team(1);
  return team;
}

/// The parts of all ranks, on every rank.
std::vector<std::vector<std::byte>> gather_parts(const Part& mine) {
  const std::vector<std::byte> packed = core::checkpoint::pack(mine);
  std::vector<std::size_t> lengths;
  const std::vector<std::byte> all = core::all_gather_varying(world(), std::span<const std::byte>(packed), &lengths);
  std::vector<std::vector<std::byte>> parts;
  auto next = all.begin();
  for (const std::size_t length : lengths) {
    parts.emplace_back(next, next + static_cast<std::ptrdiff_t>(length));
    next += static_cast<std::ptrdiff_t>(length);
  }
  return parts;
}

/// Those that a rank of `comm` reads. The order of parts must not matter: the last comes first.
std::vector<Part> share_of_parts(const core::Communicator& comm, const std::vector<std::vector<std::byte>>& all) {
  std::vector<Part> mine;
  for (std::size_t p = all.size(); p-- > 0;)
    if (p % static_cast<std::size_t>(comm.size()) == static_cast<std::size_t>(comm.rank()))
      mine.push_back(core::checkpoint::unpack(all[p]));
  return mine;
}

/// All that there is to know of each vertex, as text by id.
std::map<std::uint64_t, std::string> vertices_of(const DistributedGraph& graph) {
  std::vector<std::pair<std::uint64_t, std::string>> mine;
  for (std::uint32_t v = 0; v < graph.local_count; ++v) {
    std::ostringstream text;
    text << std::hexfloat << "out " << graph.out_degrees[v] << " in";
    for (std::uint64_t a = graph.in_arcs.offsets[v]; a < graph.in_arcs.offsets[v + 1]; ++a)
      text << ' ' << number(graph.slot_ids[index(graph.in_arcs.entries[a])]) << '*' << graph.in_arcs.weights[a];
    if (graph.out_edges.built()) {
      text << " edges";
      for (std::uint64_t e = graph.out_edges.offsets[v]; e < graph.out_edges.offsets[v + 1]; ++e)
        text << ' ' << number(graph.out_edges.entries[e]) << '*' << graph.out_edges.weights[e];
    }
    mine.emplace_back(number(graph.id_of(LocalId{v})), text.str());
  }
  return gather_texts(*graph.comm, mine);
}

void expect_same_graph(const DistributedGraph& found, const DistributedGraph& wanted) {
  EXPECT_EQ(found.vertex_count, wanted.vertex_count);
  EXPECT_EQ(found.edge_count, wanted.edge_count);
  EXPECT_EQ(found.arc_count, wanted.arc_count);
  EXPECT_EQ(found.fingerprint, wanted.fingerprint);
  EXPECT_EQ(found.directed, wanted.directed);
  EXPECT_EQ(found.weighted, wanted.weighted);
  EXPECT_EQ(found.arcs_from_slot.built(), wanted.arcs_from_slot.built());
  EXPECT_EQ(vertices_of(found), vertices_of(wanted));
}

/// Stores the graph of all ranks and rebuilds it on 1, 2 .. all of them.
void expect_stored(const oracle::Graph& graph, BuildOptions options) {
  LoadedGraph loaded;
  loaded.graph = build(graph, options);
  loaded.description = "some file";
  const auto parts = gather_parts(save_graph(loaded.graph, nullptr));
  const nlohmann::json description = nlohmann::json::parse(describe_graph(loaded).dump());
  const auto wanted = vertices_of(loaded.graph);
  for (int ranks = 1; ranks <= world().size(); ++ranks) {
    const bool takes_part = world().rank() < ranks;
    const core::Communicator comm = world().split(takes_part ? 0 : 1, world().rank());
    if (!takes_part) continue;
    for (const PartitionKind partition : kAllPartitions) {
      if (ranks < world().size() && partition != kAllPartitions[ranks % 3]) continue; // one will do
      SCOPED_TRACE("rebuilt on " + std::to_string(ranks) + " ranks, " + std::string(partition_name(partition)));
      const LoadedGraph rebuilt =
          rebuild_graph(comm, share_of_parts(comm, parts), description, options.needs, {partition}, one_thread());
      EXPECT_EQ(rebuilt.description, "some file");
      EXPECT_EQ(rebuilt.names, nullptr);
      options.partition = partition;
      expect_same_graph(rebuilt.graph, build(graph, options, comm));
      EXPECT_EQ(vertices_of(rebuilt.graph), wanted);
    }
  }
}

std::vector<oracle::NamedGraph> stored_graphs() {
  const bool few = world().size() > 2; // there everything takes its time
  std::vector<oracle::NamedGraph> all = selected_graphs();
  for (const oracle::NamedGraph& named : selected_graphs()) {
    oracle::Graph weighted = oracle::with_weights(named.graph, 17);
    if (!few) all.push_back({named.name + "_float_weights", weighted});
    for (double& weight : weighted.weights) weight /= 7; // no float has these
    all.push_back({named.name + "_double_weights", weighted});
  }
  return all;
}

TEST(StoredGraph, AllKinds) {
  for (const auto& [name, graph] : stored_graphs()) {
    SCOPED_TRACE(name);
    BuildOptions options;
    options.needs.weights = !graph.weights.empty();
    expect_stored(graph, options);
  }
}

TEST(StoredGraph, WithOutEdges) {
  for (const auto& [name, graph] : stored_graphs()) {
    SCOPED_TRACE(name);
    BuildOptions options;
    options.needs.weights = !graph.weights.empty();
    options.needs.out_edges = true;
    options.needs.push = false;
    expect_stored(graph, options);
  }
}

TEST(StoredGraph, BothWays) {
  for (const auto& [name, graph] : stored_graphs()) {
    SCOPED_TRACE(name);
    BuildOptions options;
    options.needs.path = MessagePath::both_ways;
    options.needs.weights = !graph.weights.empty();
    expect_stored(graph, options);
  }
}

TEST(StoredGraph, AfterCleanUp) {
  for (const bool directed : {true, false}) {
    BuildOptions options;
    options.self_loops = SelfLoops::drop;
    options.multi_edges = MultiEdges::drop;
    expect_stored(oracle::random_graph(20, 200, directed, 4), options);
  }
}

TEST(StoredGraph, GivesTheSameResults) {
  const Algorithm& pagerank = find_algorithm("pagerank");
  AlgorithmOptions options;
  options.iterations = 5;
  core::ThreadTeam team(1);
  BuildOptions build_options;
  build_options.needs = pagerank.needs(options);
  LoadedGraph loaded;
  loaded.graph = build(oracle::random_graph(200, 900, true, 6), build_options);
  const RunOutcome wanted = run_of(pagerank, options)(loaded.graph, team, {});
  const auto parts = gather_parts(save_graph(loaded.graph, nullptr));
  const LoadedGraph rebuilt = rebuild_graph(world(), share_of_parts(world(), parts), describe_graph(loaded),
                                            build_options.needs, {PartitionKind::range}, one_thread());
  EXPECT_TRUE(run_of(pagerank, options)(rebuilt.graph, team, {}).values == wanted.values);
}

/// Vertices stay where survivors have them.
TEST(StoredGraph, WithAGivenPartitioner) {
  if (world().size() < 3) GTEST_SKIP() << "needs survivors";
  const oracle::Graph graph = oracle::random_graph(200, 900, true, 6);
  LoadedGraph loaded;
  loaded.graph = build(graph);
  const auto parts = gather_parts(save_graph(loaded.graph, nullptr));
  const std::vector<int> lost{1};
  const bool lives = world().rank() != 1;
  const core::Communicator survivors = world().split(lives ? 0 : 1, world().rank());
  if (!lives) return;
  const Placement placement{PartitionKind::hash, loaded.graph.partitioner.without(lost)};
  const LoadedGraph rebuilt =
      rebuild_graph(survivors, share_of_parts(survivors, parts), describe_graph(loaded), {}, placement, one_thread());
  for (std::uint32_t v = 0; v < loaded.graph.local_count; ++v)
    EXPECT_TRUE(rebuilt.graph.find(loaded.graph.id_of(LocalId{v}))) << "lost by its rank";
  EXPECT_GT(rebuilt.graph.local_count, loaded.graph.local_count) << "got none of the dead rank's";
}

TEST(StoredGraph, Names) {
  // Names of all lengths, each known to the ranks that have it in their share of the file.
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i)
    names.push_back(std::string(static_cast<std::size_t>(i % 50), 'n') + "\xc3\xa9 " + std::to_string(i * 7));
  std::vector<std::string> mine;
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((i + static_cast<std::size_t>(world().rank())) % 3 != 1 || world().size() < 3) mine.push_back(names[i]);
  std::vector<GlobalId> ids;
  LoadedGraph loaded;
  loaded.names = std::make_shared<const NameDirectory>(NameDirectory::build(world(), mine, ids));
  oracle::Graph graph = oracle::random_graph(loaded.names->size(), 900, true, 8);
  loaded.graph = build(graph);
  loaded.description = "names.txt";
  const auto parts = gather_parts(save_graph(loaded.graph, loaded.names.get()));
  std::vector<std::optional<GlobalId>> wanted;
  for (const std::string& name : names) wanted.push_back(loaded.names->find(world(), name));
  for (int ranks = 1; ranks <= world().size(); ++ranks) {
    const bool takes_part = world().rank() < ranks;
    const core::Communicator comm = world().split(takes_part ? 0 : 1, world().rank());
    if (!takes_part) continue;
    const LoadedGraph rebuilt =
        rebuild_graph(comm, share_of_parts(comm, parts), describe_graph(loaded), {}, {}, one_thread());
    ASSERT_TRUE(rebuilt.names);
    EXPECT_EQ(rebuilt.names->size(), loaded.names->size());
    for (std::size_t i = 0; i < names.size(); i += 17)
      EXPECT_EQ(rebuilt.names->find(comm, names[i]), wanted[i]) << names[i];
    EXPECT_FALSE(rebuilt.names->find(comm, "nobody"));
    const std::vector<GlobalId> some{*wanted[5], *wanted[99]};
    EXPECT_EQ(rebuilt.names->names_of(comm, some), (std::vector<std::string>{names[5], names[99]}));
  }
}

TEST(StoredGraph, AnotherFingerprintIsRefused) {
  LoadedGraph loaded;
  loaded.graph = build(oracle::random_graph(50, 100, true, 9));
  const std::vector<Part> mine{save_graph(loaded.graph, nullptr)};
  nlohmann::json description = describe_graph(loaded);
  (void)rebuild_graph(world(), mine, description, {}, {}, one_thread());
  description["fingerprint"] = loaded.graph.fingerprint + 1;
  EXPECT_THROW((void)rebuild_graph(world(), mine, description, {}, {}, one_thread()), core::Error);
}

} // namespace
} // namespace pregel::testing_support
