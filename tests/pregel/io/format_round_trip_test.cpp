// What is written in a format is read again as the same graph, and the bytes are the same for every number of ranks.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "pregel/io/graph_writer.hpp"
#include "pregel/prepare/prepare.hpp"
#include "pregel/support/pregel_testing.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::ScratchDirectory;
using testing_support::selected_graphs;
using testing_support::share_of;
using testing_support::world;

struct Format {
  GraphFormat format;
  const char* ending;
  bool keeps_isolated;
};
constexpr Format kFormats[] = {
    {GraphFormat::edge_list, ".txt", false},    {GraphFormat::graphalytics, ".e", true},
    {GraphFormat::matrix_market, ".mtx", true}, {GraphFormat::metis, ".graph", true},
    {GraphFormat::dimacs, ".gr", true},         {GraphFormat::adjacency_list, ".adj", true},
    {GraphFormat::csv, ".csv", false},          {GraphFormat::csv, ".tsv", false},
    {GraphFormat::hdf5, ".h5", true},
};

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class FormatRoundTrip : public testing::TestWithParam<Format> {
 protected:
  static BuildOptions options_of(const oracle::Graph& graph) {
    BuildOptions options;
    options.directed = graph.directed;
    options.partition = PartitionKind::range;
    options.needs = {.weights = !graph.weights.empty(), .push = false, .out_edges = true};
    return options;
  }

  /// As a graph of this format has it: numbered from 1, without what the format drops.
  GraphInput input_of(const oracle::Graph& graph, const core::Communicator& comm) const {
    GraphInput input = share_of(graph, comm);
    if (!GetParam().keeps_isolated) input.vertices.clear();
    if (numbers_from_one(GetParam().format)) input = renumber(comm, std::move(input), NewOrder::ascending, 1);
    return input;
  }

  DistributedGraph write(const oracle::Graph& graph, const core::Communicator& comm, const std::string& path) const {
    DistributedGraph built = build_graph(comm, input_of(graph, comm), options_of(graph));
    write_graph(comm, built, nullptr, GetParam().format, "a header\nof two lines", path);
    return built;
  }

  /// Reads it as a user would, and builds what was built before.
  void expect_same(const DistributedGraph& expected, const oracle::Graph& graph, const core::Communicator& comm,
                   const std::string& path) {
    ReadOptions read;
    read.graph_file = path;
    read.weights_if_declared = true;
    const bool declares = GetParam().format != GraphFormat::edge_list && GetParam().format != GraphFormat::csv &&
                          GetParam().format != GraphFormat::adjacency_list &&
                          GetParam().format != GraphFormat::graphalytics;
    if (!declares) read.weighted = !graph.weights.empty();
    GraphInput input = read_graph(comm, read, team_);
    BuildOptions options = options_of(graph);
    // An undirected edge is two arcs in this format.
    if (GetParam().format == GraphFormat::dimacs) options.directed = true;
    const bool says = declares && GetParam().format != GraphFormat::dimacs;
    if (says) {
      EXPECT_EQ(input.directed, graph.directed);
    }
    if (GetParam().format != GraphFormat::dimacs) {
      EXPECT_EQ(input.edges.weighted(), options.needs.weights);
    }
    const DistributedGraph again = build_graph(comm, std::move(input), options);
    EXPECT_EQ(again.vertex_count, expected.vertex_count);
    EXPECT_EQ(again.arc_count, expected.arc_count);
    EXPECT_EQ(again.fingerprint, expected.fingerprint);
  }

  core::ThreadTeam team_{1};
  ScratchDirectory directory_{world()};
};

TEST_P(FormatRoundTrip, gives_the_graph_back) {
  const core::Communicator alone = world().split(world().rank(), 0);
  const std::string path = directory_.path(std::string("graph") + GetParam().ending);
  const std::string mine = directory_.path("alone" + std::to_string(world().rank()) + GetParam().ending);
  for (const oracle::NamedGraph& named : selected_graphs()) {
    for (const bool weighted : {false, true}) {
      // Each graph with weights in half of the formats and without in the others: files are fsynced, which takes time.
      const std::size_t place = static_cast<std::size_t>(&named - selected_graphs().data());
      if ((place + static_cast<std::size_t>(GetParam().format)) % 2 == (weighted ? 1 : 0)) continue;
      const oracle::Graph graph = weighted ? oracle::with_weights(named.graph, 7) : named.graph;
      if (GetParam().format == GraphFormat::metis && graph.directed) continue;
      if (weighted && graph.edges.empty()) continue;
      SCOPED_TRACE(named.name + (weighted ? " weighted" : ""));
      const DistributedGraph together = write(graph, world(), path);
      expect_same(together, graph, world(), path);
      const DistributedGraph single = write(graph, alone, mine);
      if (GetParam().format == GraphFormat::hdf5) {
        expect_same(together, graph, alone, path);
        expect_same(single, graph, alone, mine);
      }
      EXPECT_TRUE(content_of(path) == content_of(mine)) << "other bytes on one rank";
      EXPECT_FALSE(content_of(path).empty() && graph.edges.size() > 0);
      core::barrier(world());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(formats, FormatRoundTrip, testing::ValuesIn(kFormats),
                         [](const auto& instance) { return std::string(instance.param.ending + 1); });

TEST(FormatsWritten, names_stay_names) {
  const ScratchDirectory directory(world());
  core::ThreadTeam team(1);
  ReadOptions read;
  read.ids = IdKind::text;
  read.graph_file = directory.write("names.txt", "ann bob\nbob \"c,y\"\ndan dan\n7 bob\n");
  const testing_support::NameOutcome expected = testing_support::read_names(world(), read);
  for (const char* name : {"out.txt", "out.csv", "out.tsv", "out.adj", "out.h5", "out.e"}) {
    GraphInput input = read_graph(world(), read, team);
    const auto names = input.names;
    BuildOptions options;
    options.partition = PartitionKind::range;
    options.needs = {.push = false, .out_edges = true};
    const DistributedGraph graph = build_graph(world(), std::move(input), options);
    ReadOptions again = read;
    again.graph_file = directory.path(name);
    write_graph(world(), graph, names.get(), format_to_write(again.graph_file), "", again.graph_file);
    EXPECT_EQ(testing_support::read_names(world(), again).edges, expected.edges) << name;
    EXPECT_EQ(testing_support::read_names(world(), again).error, "") << name;
    EXPECT_THROW(write_graph(world(), graph, names.get(), GraphFormat::metis, "", directory.path("x.graph")),
                 core::InputError);
  }
}

TEST(FormatsWritten, what_a_format_cannot_hold_is_refused) {
  const ScratchDirectory directory(world());
  BuildOptions options;
  options.partition = PartitionKind::range;
  options.needs = {.push = false, .out_edges = true};
  oracle::Graph graph;
  graph.edges = {{0, 1}, {1, 2}};
  oracle::normalise(graph);
  const DistributedGraph from_zero = testing_support::build(graph, options);
  EXPECT_THROW(write_graph(world(), from_zero, nullptr, GraphFormat::dimacs, "", directory.path("x.gr")), core::Error);
  graph = {};
  graph.edges = {{1, 2}};
  oracle::normalise(graph);
  const DistributedGraph directed = testing_support::build(graph, options);
  EXPECT_THROW(write_graph(world(), directed, nullptr, GraphFormat::metis, "", directory.path("x.graph")),
               core::InputError);
  EXPECT_THROW(std::ignore = format_to_write("x.txt.gz"), core::InputError);
  EXPECT_THROW(std::ignore = format_to_write("x.mtx.zst"), core::InputError);
}

} // namespace
} // namespace pregel
