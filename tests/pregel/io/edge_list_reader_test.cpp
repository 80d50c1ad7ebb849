// Plain edge lists: what people meet in the wild, and what is refused with which words.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/random.hpp"
#include "pregel/error.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::NumberOutcome;
using testing_support::read_every_way;
using testing_support::read_naively;
using testing_support::read_numbers;
using testing_support::ScratchDirectory;

using Edges = std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>;

class EdgeListReader : public testing::Test {
 protected:
  /// The outcome of reading these bytes, every way; "FILE" stands for the path in errors.
  NumberOutcome read(std::string_view bytes, bool weighted = false) {
    ReadOptions options;
    options.graph_file = directory_.write("graph.txt", bytes);
    options.weighted = weighted;
    options.format = GraphFormat::edge_list; // other formats are known by their first bytes
    NumberOutcome outcome = read_every_way(world_, options);
    if (outcome.error.starts_with(options.graph_file)) outcome.error.replace(0, options.graph_file.size(), "FILE");
    return outcome;
  }
  Edges edges(std::string_view bytes, bool weighted = false) {
    NumberOutcome outcome = read(bytes, weighted);
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.vertices.empty());
    return outcome.edges;
  }
  std::string error(std::string_view bytes, bool weighted = false) { return read(bytes, weighted).error; }

  core::Communicator world_ = core::Communicator::world();
  ScratchDirectory directory_{world_};
};

const Edges kTwo = {{1, 2, 1}, {3, 4, 1}};

TEST_F(EdgeListReader, takes_every_layout) {
  EXPECT_EQ(edges("1 2\n3 4\n"), kTwo);
  EXPECT_EQ(edges("1 2\n3 4"), kTwo) << "no newline at the end";
  EXPECT_EQ(edges("1\t2\n3\t4\n"), kTwo) << "tabs";
  EXPECT_EQ(edges("1 \t  2\n3\t\t4\n"), kTwo) << "several blanks";
  EXPECT_EQ(edges("  1 2  \n\t3 4\t\n"), kTwo) << "blanks at both ends";
  EXPECT_EQ(edges("1 2\r\n3 4\r\n"), kTwo) << "CR LF";
  EXPECT_EQ(edges("1 2\r\n3 4\r"), kTwo) << "CR at the end of the file";
  EXPECT_EQ(edges("1 2\r\r\n3 4 \r\n"), kTwo) << "CR CR LF";
  EXPECT_EQ(edges("\n1 2\n\n  \n\r\n3 4\n\n"), kTwo) << "blank lines";
  EXPECT_EQ(edges("# a\n% b\n1 2\n  # c 5 6\n#\n3 4\n%%\n"), kTwo) << "comments";
  EXPECT_EQ(edges("# a\r\n1 2\r\n%\r\n3 4\r\n"), kTwo) << "comments with CR LF";
  EXPECT_EQ(edges("\xef\xbb\xbf"
                  "1 2\n3 4\n"),
            kTwo)
      << "byte order mark";
  EXPECT_EQ(edges("\xef\xbb\xbf# comment\n1 2\n3 4\n"), kTwo) << "byte order mark before a comment";
  EXPECT_EQ(edges("1 2 1082040961\n3 4 x y z\n"), kTwo) << "further columns";
  EXPECT_EQ(edges("1 2 # remark\n3 4 %\n"), kTwo) << "remarks behind";
}

TEST_F(EdgeListReader, takes_files_without_edges) {
  EXPECT_EQ(edges(""), Edges{});
  EXPECT_EQ(edges("\n"), Edges{});
  EXPECT_EQ(edges("\r\n\r\n"), Edges{});
  EXPECT_EQ(edges("\xef\xbb\xbf"), Edges{});
  EXPECT_EQ(edges("# nothing\n% at all"), Edges{});
  EXPECT_EQ(edges("   "), Edges{});
  EXPECT_EQ(edges("#"), Edges{});
}

TEST_F(EdgeListReader, keeps_loops_and_repeats) {
  EXPECT_EQ(edges("5 5\n1 2\n1 2\n2 1\n"), (Edges{{1, 2, 1}, {1, 2, 1}, {2, 1, 1}, {5, 5, 1}}));
}

TEST_F(EdgeListReader, takes_large_ids) {
  EXPECT_EQ(edges("18446744073709551614 9223372036854775808\n007 0\n"),
            (Edges{{7, 0, 1}, {18446744073709551614U, 9223372036854775808U, 1}}));
}

TEST_F(EdgeListReader, reads_weights_only_when_asked) {
  EXPECT_EQ(edges("1 2 0.5\n3 4\t-1e3\r\n5 6 0x1p-2 1082040961\n7 8  +3.  \n9 9 .25", true),
            (Edges{{1, 2, 0.5}, {3, 4, -1000}, {5, 6, 0.25}, {7, 8, 3}, {9, 9, 0.25}}));
  EXPECT_EQ(edges("1 2 abc\n"), (Edges{{1, 2, 1}}));
}

TEST_F(EdgeListReader, refuses_bad_ids) {
  EXPECT_EQ(error("1 2\n3 -4\n"), "FILE:2: '-4' is negative: vertex ids go from 0 to 18446744073709551614");
  EXPECT_EQ(error("1.5 2\n"),
            "FILE:1: '1.5' is not a vertex id: ids are decimal integers without sign, point or exponent");
  EXPECT_EQ(error("1 1e6\n"),
            "FILE:1: '1e6' is not a vertex id: ids are decimal integers without sign, point or exponent");
  EXPECT_EQ(
      error("# names\nalice 2\n"),
      "FILE:2: 'alice' is not a number: vertex ids are decimal integers, unless names are asked for (--ids string)");
  EXPECT_EQ(error("1 18446744073709551615"),
            "FILE:1: '18446744073709551615' is too large for a vertex id: ids go up to 18446744073709551614");
  EXPECT_EQ(error("1 99999999999999999999\n"),
            "FILE:1: '99999999999999999999' is too large for a vertex id: ids go up to 18446744073709551614");
  EXPECT_EQ(
      error("1 2\n\n3\xc2\xa0"
            "4\n"),
      "FILE:3: '3\\xc2\\xa04' is not a number: vertex ids are decimal integers, unless names are asked for (--ids "
      "string)");
}

TEST_F(EdgeListReader, refuses_missing_columns_and_other_separators) {
  EXPECT_EQ(error("1 2\n3\n"), "FILE:2: expected 'source target', found 1 column");
  EXPECT_EQ(error("1 2\r\n3\r\n"), "FILE:2: expected 'source target', found 1 column");
  EXPECT_EQ(error("1 2\n3"), "FILE:2: expected 'source target', found 1 column");
  EXPECT_EQ(error("1 2 5\n3 4\n", true), "FILE:2: expected 'source target weight', found 2 columns");
  EXPECT_EQ(error("1,2\n"), "FILE:1: '1,2': columns must be separated by blanks or tabs, not by ','");
  EXPECT_EQ(error("1, 2\n"), "FILE:1: '1,': columns must be separated by blanks or tabs, not by ','");
  EXPECT_EQ(error("1;2\n"), "FILE:1: '1;2': columns must be separated by blanks or tabs, not by ';'");
  EXPECT_EQ(error("1|2\n"), "FILE:1: '1|2': columns must be separated by blanks or tabs, not by '|'");
}

TEST_F(EdgeListReader, refuses_bad_weights) {
  EXPECT_EQ(error("1 2 heavy\n", true), "FILE:1: 'heavy' is not a number: the weight must be one");
  EXPECT_EQ(error("1 2 inf\n", true), "FILE:1: 'inf' is not finite: no weight can be that");
  EXPECT_EQ(error("1 2 -NaN\n", true), "FILE:1: '-NaN' is not finite: no weight can be that");
  EXPECT_EQ(error("1 2 1e999\n", true), "FILE:1: '1e999' is too large: it does not fit into a double");
  EXPECT_EQ(error("1 2 0,5\n", true), "FILE:1: '0,5' is not a number: the decimal separator is a point");
}

TEST_F(EdgeListReader, refuses_what_is_no_text) {
  using namespace std::string_literals;
  const std::string zero = "this line holds a zero byte: binary data or UTF-16, not a text file";
  const std::string stray =
      "a carriage return inside the line: convert the line ends (tr '\\r' '\\n' for those of old Macs)";
  EXPECT_EQ(error("1 2\n\0\0\0\n"s), "FILE:2: " + zero);
  EXPECT_EQ(error("1 2 \0\n"s), "FILE:1: " + zero);
  EXPECT_EQ(error("1 2\r3 4\r5 6\r"), "FILE:1: " + stray);
  EXPECT_EQ(error("# old Mac\r1 2\r"), "FILE:1: " + stray);
  EXPECT_EQ(error("\r1 2\n"), "FILE:1: " + stray);
  EXPECT_EQ(error("\x89HDF\r\n\x1a\n\0\0"s), "FILE:1: this is an HDF5 file, not a text file");
  EXPECT_EQ(error("\xff\xfe"
                  "1\0 \0002\0\n\0"s),
            "FILE:1: this is UTF-16 text: convert it (iconv -f UTF-16 -t UTF-8)");
  EXPECT_EQ(error("BZh91AY&SY"),
            "FILE:1: this is a bzip2 file: decompress it first (gzip and zstd are read as they are)");
  EXPECT_EQ(error("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n"),
            "FILE:1: this is a Matrix Market file: its line of sizes would be taken for data");
}

TEST_F(EdgeListReader, names_the_first_of_many_bad_lines) {
  std::string text;
  for (int line = 1; line <= 600; ++line) text += line % 100 == 37 ? "bad\n" : "1 2\n";
  EXPECT_TRUE(error(text).starts_with("FILE:37: 'bad' is not a number")) << error(text);
}

TEST_F(EdgeListReader, takes_lines_longer_than_a_block) {
  ReadOptions options;
  std::string comment(10 << 20, 'x');
  comment.front() = '#';
  comment.back() = '\n';
  const std::string blanks(3 << 20, ' ');
  options.graph_file =
      directory_.write("graph.txt", "1 2\n" + comment + "3" + blanks + "4" + blanks + "\n5 6\n" + comment);
  for (const int threads : {1, 3}) {
    const NumberOutcome outcome = read_numbers(world_, options, threads);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.edges, (Edges{{1, 2, 1}, {3, 4, 1}, {5, 6, 1}}));
  }
}

TEST_F(EdgeListReader, refuses_lines_beyond_all_measure) {
  ReadOptions options;
  options.limits = {.block_bytes = 64, .longest_line = 1000};
  const auto error_of = [&](std::string_view bytes) {
    options.graph_file = directory_.write("graph.txt", bytes);
    const std::string error = read_numbers(world_, options, 2).error;
    return error.empty() ? error : error.substr(options.graph_file.size());
  };
  EXPECT_EQ(error_of("1 2\n#" + std::string(999, 'x') + "\n3 4\n"), "");
  EXPECT_EQ(error_of("1 2\n#" + std::string(999, 'x')), "");
  EXPECT_EQ(error_of("1 2\n#" + std::string(1001, 'x') + "\n3 4\n"),
            ":2: a line of more than 1000 bytes: is this a text file?");
  EXPECT_EQ(error_of("1 2\n" + std::string(5000, '\0')),
            ":2: this line holds a zero byte: binary data or UTF-16, not a text file");
}

TEST_F(EdgeListReader, names_files_that_cannot_be_read) {
  ReadOptions options;
  options.graph_file = directory_.path("missing.txt");
  EXPECT_EQ(read_numbers(world_, options).error, "cannot open " + options.graph_file + ": No such file or directory");
  options.graph_file = directory_.path("");
  EXPECT_EQ(read_numbers(world_, options).error, "cannot open " + options.graph_file + ": Is a directory");
  options.graph_file = directory_.path("pipe");
  if (world_.rank() == 0) {
    ASSERT_EQ(::mkfifo(options.graph_file.c_str(), 0600), 0);
  }
  directory_.write("graph.txt", ""); // all wait for rank 0
  EXPECT_EQ(read_numbers(world_, options).error,
            "cannot read " + options.graph_file + ": not a regular file (ranks cannot share a pipe or a device)");
}

TEST_F(EdgeListReader, agrees_with_the_naive_reader_on_larger_files) {
  core::CounterRandom random(3);
  std::string text;
  for (int line = 0; line < 20000; ++line) {
    text += std::to_string(random.next() >> random.below(64)) + "\t" + std::to_string(random.below(1000)) + " " +
            std::to_string(random.uniform()) + (random.below(9) == 0 ? "\r\n" : "\n");
  }
  ReadOptions options;
  options.graph_file = directory_.write("graph.txt", text);
  for (const bool weighted : {false, true}) {
    options.weighted = weighted;
    for (const std::size_t block_bytes : {100, 4096, 1 << 21}) {
      options.limits.block_bytes = block_bytes;
      for (const int threads : {1, 2}) {
        EXPECT_EQ(read_numbers(world_, options, threads), read_naively<std::uint64_t>(text, weighted));
      }
    }
  }
}

TEST_F(EdgeListReader, reads_snap_files) {
  const char* data = std::getenv("SUPERSTEP_TEST_DATA");
  const std::string file = std::string(data == nullptr ? "" : data) + "/graphs/ca-GrQc.txt";
  if (data == nullptr || !std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  ReadOptions options;
  options.graph_file = file;
  const NumberOutcome outcome = read_numbers(world_, options, 2);
  EXPECT_EQ(outcome, read_naively<std::uint64_t>(bytes, false));
  EXPECT_EQ(outcome.edges.size(), 28980U); // as the file's header says
}

} // namespace
} // namespace pregel
