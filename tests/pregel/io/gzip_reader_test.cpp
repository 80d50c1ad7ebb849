// Compressed files: whole, in several members, padded, truncated, damaged, and under any name.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::gzip;
using testing_support::NumberOutcome;
using testing_support::read_every_way;
using testing_support::read_naively;
using testing_support::read_numbers;
using testing_support::ScratchDirectory;

class GzipReader : public testing::Test {
 protected:
  NumberOutcome read(std::string_view bytes, const std::string& name = "graph.txt.gz") {
    ReadOptions options;
    options.graph_file = directory_.write(name, bytes);
    NumberOutcome outcome = read_every_way(world_, options);
    if (outcome.error.starts_with(options.graph_file)) outcome.error.replace(0, options.graph_file.size(), "FILE");
    return outcome;
  }

  core::Communicator world_ = core::Communicator::world();
  ScratchDirectory directory_{world_};
};

const std::string kText = "# comment\r\n1 2\n3 4\n\n5 6";
const NumberOutcome kExpected = {{{1, 2, 1}, {3, 4, 1}, {5, 6, 1}}, {}, ""};

TEST_F(GzipReader, reads_one_member) {
  EXPECT_EQ(read(gzip(kText)), kExpected);
  EXPECT_EQ(read(gzip("\xef\xbb\xbf" + kText)), kExpected);
  EXPECT_EQ(read(gzip("")), (NumberOutcome{}));
}

TEST_F(GzipReader, goes_by_content_and_not_by_name) {
  EXPECT_EQ(read(gzip(kText), "graph.txt"), kExpected);
  EXPECT_EQ(read(kText, "plain.gz"), kExpected);
}

TEST_F(GzipReader, reads_many_members) {
  EXPECT_EQ(read(gzip("# comment\n1 ") + gzip("") + gzip("2\n3 4\n5") + gzip(" 6\n")), kExpected);
  EXPECT_EQ(read(gzip("1 2\n3 4\n") + std::string(512, '\0') + gzip("5 6") + std::string(1024, '\0')), kExpected);
}

TEST_F(GzipReader, counts_lines_of_the_text) {
  EXPECT_EQ(
      read(gzip("1 2\n3 4\nfive 6\n7\n")).error,
      "FILE:3: 'five' is not a number: vertex ids are decimal integers, unless names are asked for (--ids string)");
}

TEST_F(GzipReader, refuses_truncated_files) {
  const std::string early = "the gzip data end too early: is the file complete?";
  const std::string stored = gzip(kText, 0); // stored, so that the text appears byte by byte
  EXPECT_EQ(read(stored.substr(0, stored.size() - 1)).error, "FILE:5: " + early);
  EXPECT_EQ(read(stored.substr(0, stored.size() - 12)).error, "FILE:4: " + early);
  EXPECT_EQ(read(stored.substr(0, 5)).error, "FILE:1: " + early);
  EXPECT_EQ(read(gzip("1 2\n") + stored.substr(0, 12)).error, "FILE:2: " + early);
  const std::string bad_first = gzip("1 2\nbad\n3 4\n", 0);
  EXPECT_EQ(read(bad_first.substr(0, bad_first.size() - 3)).error.substr(0, 13), "FILE:2: 'bad'");
}

TEST_F(GzipReader, refuses_damaged_files) {
  std::string packed = gzip("1 2\n3 4\n");
  packed[packed.size() - 8] ^= 1; // the checksum
  EXPECT_EQ(read(packed).error, "FILE:3: the gzip data are damaged (incorrect data check)");
  packed = gzip("1 2\n3 4\n");
  packed[10] = '\x07'; // a block type that does not exist
  EXPECT_EQ(read(packed).error, "FILE:1: the gzip data are damaged (invalid block type)");
  EXPECT_EQ(read(gzip("1 2\n") + "garbage and more garbage").error,
            "FILE:2: something that is not gzip data follows the end of the gzip data");
  EXPECT_EQ(read(gzip(gzip("1 2\n"))).error,
            "FILE:1: the compressed data hold gzip data again: decompress the file once");
}

TEST_F(GzipReader, agrees_with_the_naive_reader_on_larger_files) {
  core::CounterRandom random(5);
  std::string text;
  for (int line = 0; line < 30000; ++line) {
    text += std::to_string(random.below(1 << 20)) + " " + std::to_string(random.below(1 << 20)) + "\n";
    if (line % 1000 == 0) text += std::string("#").append(random.below(20000), '-') + "\n";
  }
  ReadOptions options;
  options.graph_file = directory_.write("graph.gz", gzip(text, 1));
  for (const std::size_t block_bytes : {1000, 65536, 1 << 21}) {
    options.limits.block_bytes = block_bytes;
    for (const int threads : {1, 3}) {
      EXPECT_EQ(read_numbers(world_, options, threads), read_naively<std::uint64_t>(text, false));
    }
  }
}

TEST_F(GzipReader, refuses_lines_beyond_all_measure) {
  ReadOptions options;
  options.limits = {.block_bytes = 64, .longest_line = 1000};
  options.graph_file = directory_.write("graph.gz", gzip("1 2\n#" + std::string(999, 'x') + "\n3 4\n"));
  EXPECT_EQ(read_numbers(world_, options).error, "");
  options.graph_file = directory_.write("graph.gz", gzip("1 2\n#" + std::string(1001, 'x') + "\n3 4\n"));
  EXPECT_EQ(read_numbers(world_, options, 2).error,
            options.graph_file + ":2: a line of more than 1000 bytes: is this a text file?");
}

} // namespace
} // namespace pregel
