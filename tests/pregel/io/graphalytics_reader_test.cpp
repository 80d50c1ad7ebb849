// Graphalytics: the vertex file beside the edge file, its completeness, the direction.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "pregel/error.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::gzip;
using testing_support::NameOutcome;
using testing_support::NumberOutcome;
using testing_support::read_every_way;
using testing_support::read_names;
using testing_support::read_numbers;
using testing_support::ScratchDirectory;

using Edges = std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>;
using Vertices = std::vector<std::uint64_t>;

class GraphalyticsReader : public testing::Test {
 protected:
  core::Communicator world_ = core::Communicator::world();
  ScratchDirectory directory_{world_};
  ReadOptions options_;
};

TEST_F(GraphalyticsReader, finds_the_vertex_file_beside_the_edge_file) {
  options_.graph_file = directory_.write("g.e", "1 3 0.5\n3 1 0.25\n");
  directory_.write("g.v", "# vertices\n1\n3 further columns 7\n\n900719925474099312 \n");
  options_.weighted = true;
  const NumberOutcome outcome = read_every_way(world_, options_);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.edges, (Edges{{1, 3, 0.5}, {3, 1, 0.25}}));
  EXPECT_EQ(outcome.vertices, (Vertices{1, 3, 900719925474099312}));
}

TEST_F(GraphalyticsReader, finds_compressed_companions) {
  options_.graph_file = directory_.write("g.e.gz", gzip("1 2\n"));
  directory_.write("g.v.gz", gzip("1\n2\n3\n"));
  EXPECT_EQ(read_every_way(world_, options_).vertices, (Vertices{1, 2, 3}));
}

TEST_F(GraphalyticsReader, takes_an_edge_file_alone_for_an_edge_list) {
  options_.graph_file = directory_.write("g.e", "1 2\n");
  const NumberOutcome outcome = read_numbers(world_, options_);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.edges, (Edges{{1, 2, 1}}));
  options_.format = GraphFormat::graphalytics;
  EXPECT_EQ(read_numbers(world_, options_).error,
            "cannot open " + directory_.path("g.v") + ": No such file or directory");
}

TEST_F(GraphalyticsReader, lets_the_user_choose) {
  options_.graph_file = directory_.write("g.e", "1 2\n");
  directory_.write("g.v", "1\n"); // incomplete, and not looked at
  options_.format = GraphFormat::edge_list;
  EXPECT_EQ(read_numbers(world_, options_).error, "");
  options_.vertex_file = directory_.write("others.txt", "1\n2\n3");
  EXPECT_EQ(read_every_way(world_, options_).vertices, (Vertices{1, 2, 3}));
}

TEST_F(GraphalyticsReader, takes_empty_files) {
  options_.graph_file = directory_.write("g.e", "");
  directory_.write("g.v", "");
  EXPECT_EQ(read_every_way(world_, options_).error, "");
  directory_.write("g.v", "5\n");
  EXPECT_EQ(read_every_way(world_, options_).vertices, (Vertices{5}));
}

TEST_F(GraphalyticsReader, refuses_bad_vertex_lines) {
  options_.graph_file = directory_.write("g.e", "1 bad\n");
  const std::string vertex_file = directory_.write("g.v", "1\n2\n-3\n");
  EXPECT_EQ(read_every_way(world_, options_).error,
            vertex_file + ":3: '-3' is negative: vertex ids go from 0 to 18446744073709551614");
}

TEST_F(GraphalyticsReader, refuses_endpoints_that_are_not_listed) {
  const std::string vertex_file = directory_.write("g.v", "1\n2\n3\n");
  options_.graph_file = directory_.write("g.e", "1 2\n# comment\n2 3\n3 4\n5 1\n6 6\n");
  EXPECT_EQ(read_every_way(world_, options_).error,
            options_.graph_file + ":4: '4' is not listed in the vertex file " + vertex_file);
  const NameOutcome names = read_names(world_, options_, 2);
  EXPECT_EQ(names.error, options_.graph_file + ":4: '4' is not listed in the vertex file " + vertex_file);
  directory_.write("g.v", "");
  EXPECT_EQ(read_every_way(world_, options_).error,
            options_.graph_file + ":1: '1' is not listed in the vertex file " + vertex_file);
}

TEST_F(GraphalyticsReader, checks_sparse_and_dense_lists_of_some_size) {
  core::CounterRandom random(4);
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
    std::string vertices, edges;
    for (std::uint64_t v = 0; v < 5000; ++v) vertices += std::to_string(v * step) + "\n";
    for (int e = 0; e < 20000; ++e) {
      edges += std::to_string(random.below(5000) * step) + " " + std::to_string(random.below(5000) * step) + "\n";
    }
    const std::string vertex_file = directory_.write("g.v", vertices);
    options_.graph_file = directory_.write("g.e", edges);
    EXPECT_EQ(read_numbers(world_, options_, 2).error, "");
    const std::string stranger = std::to_string(5000 * step);
    directory_.write("g.e", edges + "0 " + stranger + "\n" + stranger + " 0\n");
    EXPECT_EQ(read_numbers(world_, options_, 2).error,
              options_.graph_file + ":20001: '" + stranger + "' is not listed in the vertex file " + vertex_file);
  }
}

TEST_F(GraphalyticsReader, knows_the_direction_from_the_properties) {
  const std::string graph = directory_.write("g.e", "");
  EXPECT_EQ(directed_by_properties(graph), std::nullopt);
  directory_.write("g.properties", "# a\r\n graph.g.vertex-file = g.v\r\n  graph.g.directed = true \r\n");
  EXPECT_EQ(directed_by_properties(graph), true);
  EXPECT_EQ(directed_by_properties(graph + ".gz"), true);
  EXPECT_EQ(directed_by_properties(directory_.path("g.txt")), std::nullopt);
  directory_.write("g.properties", "#graph.g.directed=true\ngraph.g.directed=false\n");
  EXPECT_EQ(directed_by_properties(graph), false);
  const std::string properties = directory_.write("g.properties", "\ngraph.g.directed = maybe\n");
  try {
    std::ignore = directed_by_properties(graph);
    ADD_FAILURE() << "'maybe' was taken";
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(), properties + ":2: 'maybe' is neither true nor false");
  }
}

TEST_F(GraphalyticsReader, reads_the_official_examples) {
  const char* data = std::getenv("SUPERSTEP_TEST_DATA");
  const std::string graphs = std::string(data == nullptr ? "" : data) + "/graphs/";
  if (data == nullptr || !std::filesystem::exists(graphs + "example-directed.e")) GTEST_SKIP() << "no " << graphs;
  options_.weighted = true;
  options_.graph_file = graphs + "example-directed.e";
  NumberOutcome outcome = read_numbers(world_, options_, 2);
  EXPECT_EQ(outcome.edges.size(), 17U); // as the .properties say
  EXPECT_EQ(outcome.vertices.size(), 10U);
  EXPECT_EQ(directed_by_properties(options_.graph_file), true);
  options_.graph_file = graphs + "example-undirected.e";
  outcome = read_numbers(world_, options_, 2);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(directed_by_properties(options_.graph_file), false);
}

} // namespace
} // namespace pregel
