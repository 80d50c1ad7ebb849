// Every format beside the edge list: what its files mean, in each of their kinds, and every way of being malformed. All
// are read on all ranks and on one, in blocks from one byte on and on several threads, with one outcome.
#include <optional>

#include <gtest/gtest.h>

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
using testing_support::zstd;
using Edges = std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>;
using Names = std::vector<std::tuple<std::string, std::string, double>>;

class FormatsReader : public testing::Test {
 protected:
  /// What a file of this name and content is read as; "FILE" stands for its path in the error.
  NumberOutcome read(const std::string& name, std::string_view text, ReadOptions options = {}) {
    options.graph_file = directory_.write(name, text);
    NumberOutcome outcome = read_every_way(world_, options);
    hide_path(outcome.error, options.graph_file);
    return outcome;
  }
  std::string error(const std::string& name, std::string_view text, ReadOptions options = {}) {
    options.graph_file = directory_.write(name, text);
    NumberOutcome outcome = read_numbers(world_, options);
    for (const std::size_t block_bytes : {1, 7}) {
      options.limits.block_bytes = block_bytes;
      EXPECT_EQ(read_numbers(world_, options, 2).error, outcome.error);
    }
    hide_path(outcome.error, options.graph_file);
    return outcome.error;
  }
  NameOutcome names(const std::string& name, std::string_view text, ReadOptions options = {}) {
    options.graph_file = directory_.write(name, text);
    NameOutcome outcome = read_names(world_, options);
    options.limits.block_bytes = 3;
    EXPECT_EQ(read_names(world_, options, 2), outcome);
    hide_path(outcome.error, options.graph_file);
    return outcome;
  }

  static void hide_path(std::string& message, const std::string& path) {
    if (message.starts_with(path)) message.replace(0, path.size(), "FILE");
  }
  static ReadOptions weighted() {
    ReadOptions options;
    options.weighted = true;
    return options;
  }
  static ReadOptions as_directed(bool directed, bool with_weights = false) {
    ReadOptions options;
    options.directed = directed;
    options.weighted = with_weights;
    return options;
  }
  static ReadOptions columns(std::vector<std::string> names, bool with_weights = false) {
    ReadOptions options;
    options.columns = std::move(names);
    options.weighted = with_weights;
    return options;
  }

  core::Communicator world_ = core::Communicator::world();
  ScratchDirectory directory_{world_};
};

TEST_F(FormatsReader, matrix_market_general) {
  const NumberOutcome outcome = read("a.mtx",
                                     "%%MatrixMarket matrix coordinate real general\n% comment\n\n"
                                     "4 4 3\n1 2 0.5\n% inside\n 4 4 -2e3\r\n2 1 +7",
                                     weighted());
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.edges, (Edges{{1, 2, 0.5}, {2, 1, 7}, {4, 4, -2000}}));
  EXPECT_EQ(outcome.contiguous_first, 1U);
  EXPECT_EQ(outcome.contiguous, 4U);
  EXPECT_EQ(outcome.directed, true);
}

TEST_F(FormatsReader, matrix_market_is_known_by_its_first_line_and_ignores_values_unless_asked) {
  EXPECT_EQ(read("a.txt", "%%MatrixMarket MATRIX Coordinate Integer General\n2 2 1\n1 2 5\n").edges,
            (Edges{{1, 2, 1}}));
  EXPECT_EQ(read("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n").contiguous, 3U);
}

TEST_F(FormatsReader, matrix_market_symmetric_is_undirected_and_made_whole_for_directed) {
  const char* const text = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 3 6\n3 2 -7\n";
  EXPECT_EQ(read("a.mtx", text, weighted()).edges, (Edges{{2, 1, 5}, {3, 2, -7}, {3, 3, 6}}));
  EXPECT_EQ(read("a.mtx", text).directed, false);
  EXPECT_EQ(read("a.mtx", text, as_directed(true, true)).edges,
            (Edges{{1, 2, 5}, {2, 1, 5}, {2, 3, -7}, {3, 2, -7}, {3, 3, 6}}));
}

TEST_F(FormatsReader, matrix_market_skew_symmetric_has_opposite_edges) {
  const char* const text = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 -0.5\n";
  EXPECT_EQ(read("a.mtx", text, weighted()).edges, (Edges{{1, 2, -5}, {1, 3, 0.5}, {2, 1, 5}, {3, 1, -0.5}}));
  EXPECT_EQ(read("a.mtx", text).edges, (Edges{{1, 2, 1}, {1, 3, 1}, {2, 1, 1}, {3, 1, 1}}));
  EXPECT_EQ(read("a.mtx", text, as_directed(false)).edges, (Edges{{2, 1, 1}, {3, 1, 1}}));
}

TEST_F(FormatsReader, matrix_market_headers_that_are_refused) {
  const auto with = [&](const std::string& banner) { return error("a.mtx", "%%MatrixMarket " + banner + "\n2 2 0\n"); };
  EXPECT_EQ(error("a.mtx", ""), "FILE:1: the file is empty: expected '%%MatrixMarket matrix coordinate ...'");
  EXPECT_EQ(error("a.mtx", "1 2\n"),
            "FILE:1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate ...': if this is another "
            "format, say so (--format)");
  EXPECT_EQ(with("matrix coordinate real"),
            "FILE:1: expected '%%MatrixMarket object format values symmetry', found 4 words");
  EXPECT_EQ(with("vector coordinate real general"), "FILE:1: 'vector' is no graph: the object must be 'matrix'");
  EXPECT_EQ(with("matrix array real general"),
            "FILE:1: this is a dense matrix (array): a graph is a sparse one (coordinate)");
  EXPECT_EQ(with("matrix dense real general"), "FILE:1: 'dense': the format must be 'coordinate'");
  EXPECT_EQ(with("matrix coordinate complex general"), "FILE:1: the values are complex: weights are real");
  EXPECT_EQ(with("matrix coordinate quaternion general"),
            "FILE:1: 'quaternion': values must be 'pattern', 'integer' or 'real'");
  EXPECT_EQ(with("matrix coordinate real hermitian"),
            "FILE:1: 'hermitian': the symmetry must be 'general', 'symmetric' or 'skew-symmetric'");
  EXPECT_EQ(with("matrix coordinate pattern skew-symmetric"),
            "FILE:1: a skew-symmetric matrix has values: 'pattern' cannot be");
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(error("a.mtx", banner + "% nothing\n"), "FILE:2: the file ends before the line 'rows columns entries'");
  EXPECT_EQ(error("a.mtx", banner + "2 2\n"), "FILE:2: expected 'rows columns entries', found 2 columns");
  EXPECT_EQ(error("a.mtx", banner + "2 -2 1\n"), "FILE:2: '-2' is no size: expected 'rows columns entries'");
  EXPECT_EQ(error("a.mtx", banner + "2 3 0\n"),
            "FILE:2: a graph is a square matrix, and this one has 2 rows and 3 columns");
  EXPECT_EQ(error("a.mtx", banner + "999999999999999 999999999999999 0\n")
                .starts_with("FILE:2: the header promises 999999999999999 vertices: "),
            true);
  EXPECT_EQ(error("a.mtx", banner + "2 2 1\n1 2\n", weighted()),
            "FILE:2: a pattern matrix has no values: leave --weighted out, and every weight is 1");
}

TEST_F(FormatsReader, matrix_market_entries_that_are_refused) {
  const auto with = [&](const std::string& kind, const std::string& entries) {
    return error("a.mtx", "%%MatrixMarket matrix coordinate " + kind + "\n3 3 2\n" + entries);
  };
  EXPECT_EQ(with("pattern general", "1 2\n"), "FILE:2: the header promises 2 entries, and 1 follow");
  EXPECT_EQ(with("pattern general", "1 2\n1 3\n2 3\n"), "FILE:2: the header promises 2 entries, and 3 follow");
  EXPECT_EQ(with("pattern general", "1 2\n0 3\n"), "FILE:4: 0 is not an index of this matrix: they go from 1 to 3");
  EXPECT_EQ(with("pattern general", "1 4\n2 3\n"), "FILE:3: 4 is not an index of this matrix: they go from 1 to 3");
  EXPECT_EQ(with("pattern general", "1 2\n2 3 7\n"), "FILE:4: expected 'row column', found 3 columns");
  EXPECT_EQ(with("real general", "1 2 3\n2 3\n"), "FILE:4: expected 'row column value', found 2 columns");
  EXPECT_EQ(with("real general", "1 2 3\n2\n"), "FILE:4: expected 'row column value', found 1 column");
  EXPECT_EQ(with("real general", "1 2 x\n2 3 1\n"), "FILE:3: 'x' is not a number: the value must be one");
  EXPECT_EQ(with("integer general", "1 2 3\n2 3 1.5\n"), "FILE:4: '1.5' is not an integer, as the header promises");
  EXPECT_EQ(with("real skew-symmetric", "2 2 1\n2 3 1\n"),
            "FILE:3: a skew-symmetric matrix has no entries on the diagonal");
  EXPECT_EQ(with("real general", "1 -2 x\n2 3 1\n"),
            "FILE:3: '-2' is negative: vertex ids go from 0 to 18446744073709551614");
}

TEST_F(FormatsReader, metis_plain) {
  const NumberOutcome outcome = read("a.graph", "% comment\n 4 2\n2 3\n1\n% inside\n1\n\n\n");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.edges, (Edges{{1, 2, 1}, {1, 3, 1}}));
  EXPECT_EQ(outcome.contiguous_first, 1U);
  EXPECT_EQ(outcome.contiguous, 4U);
  EXPECT_EQ(outcome.directed, false);
  EXPECT_EQ(read("a.metis", "3 1\n\r\n3\r\n2").edges, (Edges{{2, 3, 1}}));
  EXPECT_EQ(read("a.metis", "3 1\n\n3\n2\n", as_directed(true)).edges, (Edges{{2, 3, 1}, {3, 2, 1}}));
  EXPECT_EQ(read("loop.metis", "2 2\n1 2\n1\n").edges, (Edges{{1, 1, 1}, {1, 2, 1}}));
  EXPECT_EQ(read("a.metis", "0 0\n").edges, Edges{});
}

TEST_F(FormatsReader, metis_weight_flags) {
  const Edges edges{{1, 2, 0.5}, {2, 3, 8}};
  EXPECT_EQ(read("a.metis", "3 2 1\n2 0.5\n1 0.5 3 8\n2 8\n", weighted()).edges, edges);
  EXPECT_EQ(read("a.metis", "3 2 001\n2 0.5\n1 0.5 3 8\n2 8\n", weighted()).edges, edges);
  EXPECT_EQ(read("a.metis", "3 2 11\n9 2 0.5\n9 1 0.5 3 8\n9 2 8\n", weighted()).edges, edges);
  EXPECT_EQ(read("a.metis", "3 2 011 2\n9 9 2 0.5\n9 9 1 0.5 3 8\n9 9 2 8\n", weighted()).edges, edges);
  EXPECT_EQ(read("a.metis", "3 2 101\n7 2 0.5\n7 1 0.5 3 8\n7 2 8\n", weighted()).edges, edges);
  EXPECT_EQ(read("a.metis", "3 2 111 3\n7 9 9 9 2 0.5\n7 9 9 9 1 0.5 3 8\n7 9 9 9 2 8\n", weighted()).edges, edges);
  const Edges ones{{1, 2, 1}, {2, 3, 1}};
  EXPECT_EQ(read("a.metis", "3 2 111\n7 9 2 0.5\n7 9 1 0.5 3 8\n7 9 2 8\n").edges, ones);
  EXPECT_EQ(read("a.metis", "3 2 000\n2\n1 3\n2\n").edges, ones);
  EXPECT_EQ(read("a.metis", "3 2 010\n9 2\n9 1 3\n9 2\n").edges, ones);
  EXPECT_EQ(read("a.metis", "3 2 100\n9 2\n9 1 3\n9 2\n").edges, ones);
  EXPECT_EQ(read("a.metis", "3 2 110\n7 9 2\n7 9 1 3\n7 9 2\n").edges, ones);
}

TEST_F(FormatsReader, metis_files_that_are_refused) {
  const auto refused = [&](const std::string& text, ReadOptions options = {}) {
    return error("a.metis", text, std::move(options));
  };
  EXPECT_EQ(refused("% nothing\n"), "FILE:1: the file ends before the line 'vertices edges'");
  EXPECT_EQ(refused("3\n"), "FILE:1: expected 'vertices edges [format [weights]]', found 1 columns");
  EXPECT_EQ(refused("3 x\n"), "FILE:1: 'x' is no size: expected 'vertices edges [format [weights]]'");
  EXPECT_EQ(refused("2 1 2\n2\n1\n"),
            "FILE:1: '2' is no format: up to three digits 0 or 1, for vertex sizes, vertex weights, edge weights");
  EXPECT_EQ(refused("2 1 1 2\n2\n1\n"), "FILE:1: the format '1' and 2 vertex weights contradict each other");
  EXPECT_EQ(refused("2 1 11 0\n2\n1\n"), "FILE:1: the format '11' and 0 vertex weights contradict each other");
  EXPECT_EQ(refused("2 1 11 x\n2\n1\n"), "FILE:1: 'x' is no number of vertex weights");
  EXPECT_EQ(refused("3 1\n2\n1\n"),
            "FILE:1: the header promises 3 vertices, and 2 lines follow (an empty line is a vertex without edges)");
  EXPECT_EQ(refused("2 1\n2\n1\n2\n"), "FILE:4: the header promises 2 vertices: this line is one too many");
  EXPECT_EQ(refused("2 2\n2\n1\n"), "FILE:1: the header promises 2 edges, and the lines list 1 (each at both ends)");
  EXPECT_EQ(refused("2 1\n2\n0\n"), "FILE:3: 0 is not a vertex of this graph: they go from 1 to 2");
  EXPECT_EQ(refused("2 1\n3\n1\n"), "FILE:2: 3 is not a vertex of this graph: they go from 1 to 2");
  EXPECT_EQ(refused("2 1\n2\nx\n").starts_with("FILE:3: 'x' is not a number"), true);
  EXPECT_EQ(refused("2 1 1\n2 5\n1\n"), "FILE:3: neighbour 1 has no weight, as the header promises");
  EXPECT_EQ(refused("2 1 1\n2 5\n1 y\n"), "FILE:3: 'y' is not a number: the weight must be one");
  EXPECT_EQ(refused("2 1 10\n\n9 1\n"), "FILE:2: a vertex has 1 size or weight column(s) by the header, found 0");
  EXPECT_EQ(refused("2 1\n2\n1\n", weighted()),
            "FILE:1: this file has no edge weights: leave --weighted out, and every weight is 1");
  EXPECT_EQ(refused("4 2\n2\n1\n% x\n4\n\n"),
            "FILE:5: vertex 3 lists 4, which does not list it: an edge stands in the lines of both its ends");
  EXPECT_EQ(refused("6 2\n\n\n6 5 4 2\n\n\n\n"), // the smallest of several, on any number of ranks
            "FILE:4: vertex 3 lists 2, which does not list it: an edge stands in the lines of both its ends");
  EXPECT_EQ(
      refused("3 2 1\n2 5 3 1\n1 5\n1 2\n"),
      "FILE:2: vertex 1 lists 3, which does not list it with the same weight: an edge stands in the lines of both "
      "its ends");
  EXPECT_EQ(refused("999999999999999 0\n").starts_with("FILE:1: the header promises 999999999999999 vertices: "), true);
}

TEST_F(FormatsReader, dimacs) {
  const char* const text = "c roads\nc\np sp 4 3\na 1 2 803\nc inside\na 2 1 803\n\na 3  3 0.5";
  const NumberOutcome outcome = read("a.gr", text, weighted());
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.edges, (Edges{{1, 2, 803}, {2, 1, 803}, {3, 3, 0.5}}));
  EXPECT_EQ(outcome.contiguous_first, 1U);
  EXPECT_EQ(outcome.contiguous, 4U);
  EXPECT_EQ(outcome.directed, std::nullopt);
  EXPECT_EQ(read("a.txt", text).edges, (Edges{{1, 2, 1}, {2, 1, 1}, {3, 3, 1}})) << "known by its first lines";
}

TEST_F(FormatsReader, dimacs_files_that_are_refused) {
  const auto refused = [&](const std::string& text) { return error("a.gr", text); };
  EXPECT_EQ(refused("c\nc\n"), "FILE:2: the file ends before the line 'p sp vertices arcs'");
  EXPECT_EQ(refused("a 1 2 3\n"), "FILE:1: expected 'p sp vertices arcs' before anything but comments (c)");
  EXPECT_EQ(refused("p edge 3 2\n"),
            "FILE:1: this is no shortest-path file: its problem line must be 'p sp vertices arcs'");
  EXPECT_EQ(refused("p sp 3\n"), "FILE:1: expected 'p sp vertices arcs', found 3 words");
  EXPECT_EQ(refused("p sp 3 1.5\n"), "FILE:1: '1.5' is no size: expected 'p sp vertices arcs'");
  EXPECT_EQ(refused("p sp 3 2\na 1 2 3\n"), "FILE:1: the header promises 2 arcs, and 1 follow");
  EXPECT_EQ(refused("p sp 3 0\na 1 2 3\n"), "FILE:1: the header promises 0 arcs, and 1 follow");
  EXPECT_EQ(refused("p sp 3 1\na 1 4 3\n"), "FILE:2: 4 is not a vertex of this graph: they go from 1 to 3");
  EXPECT_EQ(refused("p sp 3 1\na 0 2 3\n"), "FILE:2: 0 is not a vertex of this graph: they go from 1 to 3");
  EXPECT_EQ(refused("p sp 3 1\na 1 2\n"), "FILE:2: expected 'a source target weight', found 3 columns");
  EXPECT_EQ(refused("p sp 3 1\na 1 2 3 4\n"), "FILE:2: expected 'a source target weight', found 5 columns");
  EXPECT_EQ(refused("p sp 3 1\na 1 2 inf\n"), "FILE:2: 'inf' is not finite: no weight can be that");
  EXPECT_EQ(refused("p sp 3 1\na x 2 1\n").starts_with("FILE:2: 'x' is not a number"), true);
  EXPECT_EQ(refused("p sp 3 1\ne 1 2\n"),
            "FILE:2: 'e' begins no line of this format: expected 'a source target weight'");
  EXPECT_EQ(refused("p sp 3 1\na 1 2 3\np sp 3 1\n"), "FILE:3: a second problem line: a file holds one graph");
}

TEST_F(FormatsReader, adjacency_lists) {
  EXPECT_EQ(read("a.adj", "# x\n1 2 3\n2\n\n5:\t1\r\n7 : 5 5\n8:").edges,
            (Edges{{1, 2, 1}, {1, 3, 1}, {5, 1, 1}, {7, 5, 1}, {7, 5, 1}}));
  EXPECT_EQ(read("a.adj", "# x\n1 2 3\n2\n\n8:").vertices, (std::vector<std::uint64_t>{2, 8}));
  EXPECT_EQ(read("a.adj", "1: 2 0.5 3 7\n4 1 -1\n", weighted()).edges, (Edges{{1, 2, 0.5}, {1, 3, 7}, {4, 1, -1}}));
  EXPECT_EQ(read("a.txt", "# known by the colon\n1: 2\n2 1 1\n").edges, (Edges{{1, 2, 1}, {2, 1, 1}, {2, 1, 1}}));
  EXPECT_EQ(names("a.adj", "ann: bob cy\nbob\ndan : ann\n").edges,
            (Names{{"ann", "bob", 1}, {"ann", "cy", 1}, {"dan", "ann", 1}}));
}

TEST_F(FormatsReader, adjacency_lists_that_are_refused) {
  EXPECT_EQ(error("a.adj", "1 2\n2: -3\n"), "FILE:2: '-3' is negative: vertex ids go from 0 to 18446744073709551614");
  EXPECT_EQ(error("a.adj", "1:2\n").starts_with("FILE:1: '1:2' is not a number"), true);
  EXPECT_EQ(error("a.adj", "1 : : 2\n").starts_with("FILE:1: ':' is not a number"), true);
  EXPECT_EQ(error("a.adj", "1: 2 0.5 3\n", weighted()),
            "FILE:1: expected 'vertex neighbour weight neighbour weight ...': the last neighbour has no weight");
  EXPECT_EQ(error("a.adj", "1: 2 x\n", weighted()), "FILE:1: 'x' is not a number: the weight must be one");
}

TEST_F(FormatsReader, csv) {
  EXPECT_EQ(read("a.csv", "src,dst\n1,2\n\n 3 , \"4\" \r\n").edges, (Edges{{1, 2, 1}, {3, 4, 1}}));
  EXPECT_EQ(read("a.tsv", "\tkind\tfrom\tto\n\tx\t1\t2\nz\t\t5\t6", columns({"from", "to"})).edges,
            (Edges{{1, 2, 1}, {5, 6, 1}}));
  EXPECT_EQ(read("a.csv", "w;to;from\n0.5;1;2\n-3;4;5\n", columns({"from", "to", "w"}, true)).edges,
            (Edges{{2, 1, 0.5}, {5, 4, -3}}));
  EXPECT_EQ(read("a.csv", "a,b,c\n1,2,3\n", columns({"3", "1"})).edges, (Edges{{3, 1, 1}}));
  EXPECT_EQ(read("a.csv", "a,b,c\n1,2,3\n", weighted()).edges, (Edges{{1, 2, 3}}));
  EXPECT_EQ(read("a.csv", "a,b\n7,7\n", columns({"a", "a"})).edges, (Edges{{7, 7, 1}}));
  EXPECT_EQ(names("a.csv", "#who,whom\n\"O\"\"Hara\",x\n\"a,b\",\"c\"\n", columns({"whom", "who"})).edges,
            (Names{{"c", "a,b", 1}, {"x", "O\"Hara", 1}}));
}

TEST_F(FormatsReader, csv_files_that_are_refused) {
  EXPECT_EQ(error("a.csv", "\n \n"), "FILE:1: the file is empty: expected a header that names the columns");
  EXPECT_EQ(error("a.csv", "a b\n1 2\n"),
            "FILE:1: expected 2 columns or more, separated by comma, semicolon or tab; found 1");
  EXPECT_EQ(error("a.csv", "a,b\n1,2\n", columns({"a", "c"})),
            "FILE:1: no column has the name 'c': the header is 'a,b'");
  EXPECT_EQ(error("a.csv", "a,a\n1,2\n", columns({"a", "2"})),
            "FILE:1: two columns have the name 'a': choose by number");
  EXPECT_EQ(error("a.csv", "\"a,b\n1,2\n"), "FILE:1: a quote in the header is not closed");
  EXPECT_EQ(error("a.csv", "a,b\n1,2\n1\n"), "FILE:3: 1 field where the header has 2");
  EXPECT_EQ(error("a.csv", "a,b\n1,2,3\n"), "FILE:2: 3 fields where the header has 2");
  EXPECT_EQ(error("a.csv", "a,b\n1,\n"), "FILE:2: column 'b': there is no vertex");
  EXPECT_EQ(error("a.csv", "a,b\n1,2.5\n"),
            "FILE:2: column 'b': '2.5' is not a vertex id: ids are decimal integers without sign, point or exponent");
  EXPECT_EQ(error("a.csv", "a,b\n\"1,2\n"),
            "FILE:2: a quote is not closed on this line, or something follows it: a record is one line");
  EXPECT_EQ(error("a.csv", "a,b,c\n1,2,\n", weighted()),
            "FILE:2: column 'c': '' is not a number: the weight must be one");
  EXPECT_EQ(error("a.csv", "a,b,c\n1,2,3\n", columns({"a", "b"}, true)),
            "--columns must name the source, the target and with --weighted the weight");
  EXPECT_EQ(names("a.csv", "a,b\nNew York,x\n").error, "FILE:2: column 'a': 'New York': no blanks can be in a name");
}

TEST_F(FormatsReader, compressed_text_of_every_format) {
  const std::string mtx = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n";
  const std::string metis = "3 1\n2\n1\n\n";
  for (const auto& pack :
       {+[](std::string_view text) { return gzip(text); }, +[](std::string_view text) { return zstd(text); }}) {
    EXPECT_EQ(read("a.mtx.zst", pack(mtx)).edges, (Edges{{1, 2, 1}, {3, 1, 1}}));
    EXPECT_EQ(read("packed", pack(mtx)).edges, (Edges{{1, 2, 1}, {3, 1, 1}}));
    EXPECT_EQ(read("a.graph.gz", pack(metis)).edges, (Edges{{1, 2, 1}}));
    EXPECT_EQ(read("a.gr.gz", pack("p sp 2 1\na 2 1 5\n"), weighted()).edges, (Edges{{2, 1, 5}}));
    EXPECT_EQ(read("a.csv.zst", pack("a,b\n7,8\n")).edges, (Edges{{7, 8, 1}}));
    EXPECT_EQ(read("a.adj.gz", pack("7: 8\n")).edges, (Edges{{7, 8, 1}}));
    EXPECT_EQ(error("a.graph.gz", pack("4 2\n2\n1\n% x\n4\n\n")),
              "FILE:5: vertex 3 lists 4, which does not list it: an edge stands in the lines of both its ends");
  }
}

TEST_F(FormatsReader, zstd_streams) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * 7919 % 10007) + ' ' + std::to_string(i) + '\n';
  const std::string frame = zstd(text);
  const NumberOutcome plain = read("a.txt", text);
  NumberOutcome packed = read("a.zst", frame);
  EXPECT_EQ(packed.error, "");
  EXPECT_EQ(packed.edges, plain.edges);
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_EQ(read("two.zst", zstd("1 2\n3 ") + skippable + zstd("4\n")).edges, (Edges{{1, 2, 1}, {3, 4, 1}}));
  EXPECT_EQ(error("cut.zst", frame.substr(0, frame.size() - 9))
                .ends_with("the zstd data end too early: is the file complete?"),
            true);
  std::string damaged = frame;
  damaged[frame.size() / 2] = static_cast<char>(damaged[frame.size() / 2] ^ 0x55);
  EXPECT_NE(error("damaged.zst", damaged).find("the zstd data are damaged ("), std::string::npos);
  EXPECT_NE(error("rest.zst", zstd("1 2\n") + "rest").find("the zstd data are damaged ("), std::string::npos);
  EXPECT_EQ(error("twice.zst", zstd(zstd("1 2\n"))),
            "FILE:1: the compressed data hold zstd data again: decompress the file once");
}

TEST_F(FormatsReader, names_need_a_format_that_has_them) {
  EXPECT_EQ(names("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n").error,
            "FILE: Matrix Market numbers its vertices: leave --ids string out");
  EXPECT_EQ(names("a.gr", "p sp 1 0\n").error, "FILE: DIMACS numbers its vertices: leave --ids string out");
  EXPECT_EQ(names("a.metis", "1 0\n\n").error, "FILE: METIS numbers its vertices: leave --ids string out");
}

TEST_F(FormatsReader, weights_that_the_file_declares) {
  ReadOptions options;
  options.weights_if_declared = true;
  core::ThreadTeam team(1);
  const auto weighted_as_read = [&](const std::string& name, std::string_view text) {
    options.graph_file = directory_.write(name, text);
    return read_graph(world_, options, team).edges.weighted();
  };
  EXPECT_TRUE(weighted_as_read("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n"));
  EXPECT_FALSE(weighted_as_read("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"));
  EXPECT_TRUE(weighted_as_read("a.metis", "2 1 1\n2 5\n1 5\n"));
  EXPECT_FALSE(weighted_as_read("a.metis", "2 1\n2\n1\n"));
  EXPECT_TRUE(weighted_as_read("a.gr", "p sp 2 1\na 1 2 5\n"));
  EXPECT_FALSE(weighted_as_read("a.txt", "1 2 5\n"));
}

} // namespace
} // namespace pregel
