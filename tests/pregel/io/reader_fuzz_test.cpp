// Random bytes and mutated files. Whatever comes, a reader loads exactly what the naive reader loads or refuses the
// line that it refuses, in the same words on one rank and on all, with any block size and number of threads.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "pregel/io/graph_size.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::FuzzBudget;
using testing_support::gzip;
using testing_support::mutated;
using testing_support::NameOutcome;
using testing_support::NumberOutcome;
using testing_support::odd_byte;
using testing_support::Outcome;
using testing_support::read_naively;
using testing_support::read_names;
using testing_support::read_numbers;
using testing_support::ScratchDirectory;

/// A valid file of a few lines in mixed layouts.
std::string valid_file(core::CounterRandom& random) {
  static const char* const kBlanks[] = {" ", "\t", "  ", " \t "};
  static const char* const kEnds[] = {"\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n# x\n", " 17\n"};
  static const char* const kWeights[] = {"1", "0.5", "-1e3", "0x1p4", "+2.", "1e-400", "12345678.1234567"};
  std::string text = random.below(8) == 0 ? "\xef\xbb\xbf" : "";
  for (std::uint64_t line = random.below(12); line > 0; --line) {
    for (int column = 0; column < 2; ++column) {
      text += std::to_string(random.next() >> random.below(64));
      text += kBlanks[random.below(4)];
    }
    text += kWeights[random.below(7)];
    text += kEnds[random.below(8)];
  }
  if (!text.empty() && random.below(4) == 0) text.pop_back();
  return text;
}

std::string random_bytes(core::CounterRandom& random) {
  std::string bytes(random.below(200), '\0');
  for (char& c : bytes) c = odd_byte(random);
  return bytes;
}

class ReaderFuzz : public testing::Test {
 protected:
  /// Any block size and number of threads.
  [[nodiscard]] ReadOptions options(const std::string& file, bool weighted, core::CounterRandom& random) const {
    ReadOptions result;
    result.graph_file = file;
    result.weighted = weighted;
    result.format = file.ends_with(".e") ? GraphFormat::graphalytics : GraphFormat::edge_list;
    result.limits.block_bytes = 1 + (random.below(2) == 0 ? random.below(16) : random.below(400));
    return result;
  }

  /// "FILE:N: reason" as "line N".
  template <class Id>
  [[nodiscard]] static Outcome<Id> without_reason(Outcome<Id> outcome, const std::string& file) {
    if (outcome.error.empty()) return outcome;
    EXPECT_TRUE(outcome.error.starts_with(file + ":")) << outcome.error;
    const std::size_t begin = file.size() + 1;
    outcome.error = "line " + outcome.error.substr(begin, outcome.error.find(':', begin) - begin);
    return outcome;
  }

  core::Communicator world_ = core::Communicator::world();
  core::Communicator alone_ = world_.split(world_.rank(), 0);
  ScratchDirectory directory_{world_};
};

TEST_F(ReaderFuzz, text) {
  const FuzzBudget budget(world_, 400);
  for (std::uint64_t round = 0; budget.allows(round); ++round) {
    core::CounterRandom random(11, round);
    const std::string bytes = random.below(3) == 0 ? random_bytes(random) : mutated(valid_file(random), random);
    const bool weighted = random.below(2) == 0;
    const std::string file = directory_.write("graph.txt", bytes);
    const int threads = 1 + static_cast<int>(random.below(3));
    SCOPED_TRACE("round " + std::to_string(round));

    const NumberOutcome numbers = read_numbers(world_, options(file, weighted, random), threads);
    ASSERT_EQ(numbers, read_numbers(alone_, options(file, weighted, random)));
    ASSERT_EQ(without_reason(numbers, file), read_naively<std::uint64_t>(bytes, weighted)) << numbers.error;
    const NameOutcome names = read_names(world_, options(file, weighted, random), threads);
    ASSERT_EQ(names, read_names(alone_, options(file, weighted, random)));
    ASSERT_EQ(without_reason(names, file), read_naively<std::string>(bytes, weighted)) << names.error;
  }
}

TEST_F(ReaderFuzz, compressed) {
  const FuzzBudget budget(world_, 200);
  for (std::uint64_t round = 0; budget.allows(round); ++round) {
    core::CounterRandom random(12, round);
    std::string packed = gzip(valid_file(random), static_cast<int>(random.below(3)));
    if (random.below(3) == 0) packed += gzip(valid_file(random));
    packed = mutated(packed, random);
    const std::string file = directory_.write("graph.gz", packed);
    SCOPED_TRACE("round " + std::to_string(round));
    ReadOptions first = options(file, false, random);
    ReadOptions second = options(file, false, random);
    ASSERT_EQ(read_numbers(world_, first, 1 + static_cast<int>(random.below(3))), read_numbers(alone_, second));
  }
}

TEST_F(ReaderFuzz, vertex_files) {
  const FuzzBudget budget(world_, 200);
  for (std::uint64_t round = 0; budget.allows(round); ++round) {
    core::CounterRandom random(13, round);
    std::string vertices, edges;
    for (std::uint64_t v = random.below(10); v > 0; --v) vertices += std::to_string(random.below(10)) + "\n";
    for (std::uint64_t e = random.below(5); e > 0; --e) {
      edges += std::to_string(random.below(10)) + " " + std::to_string(random.below(10)) + "\n";
    }
    if (random.below(3) == 0) vertices = mutated(vertices, random);
    directory_.write("graph.v", vertices);
    const std::string file = directory_.write("graph.e", edges);
    SCOPED_TRACE("round " + std::to_string(round));
    const NumberOutcome numbers = read_numbers(world_, options(file, false, random), 2);
    ASSERT_EQ(numbers, read_numbers(alone_, options(file, false, random)));
    if (numbers.error.empty()) {
      for (const auto& [source, target, weight] : numbers.edges) {
        ASSERT_TRUE(std::binary_search(numbers.vertices.begin(), numbers.vertices.end(), source));
        ASSERT_TRUE(std::binary_search(numbers.vertices.begin(), numbers.vertices.end(), target));
      }
    }
  }
}

/// A small valid file of a format. Weights are the same at both ends of an edge.
std::string valid_file_of(GraphFormat format, core::CounterRandom& random) {
  const std::uint64_t n = 1 + random.below(6);
  const std::uint64_t m = random.below(8);
  const auto vertex = [&] { return std::to_string(1 + random.below(n)); };
  const std::string sizes = std::to_string(n) + " " + std::to_string(m);
  std::string text;
  switch (format) {
    case GraphFormat::matrix_market:
      text = "%%MatrixMarket matrix coordinate real general\n% x\n" + std::to_string(n) + " " + sizes + "\n";
      for (std::uint64_t i = 0; i < m; ++i) text += vertex() + " " + vertex() + " 1.5\n";
      return text;
    case GraphFormat::dimacs:
      text = "c x\np sp " + sizes + "\n";
      for (std::uint64_t i = 0; i < m; ++i) text += "a " + vertex() + " " + vertex() + " 7\n";
      return text;
    case GraphFormat::adjacency_list:
      for (std::uint64_t i = 0; i < m; ++i) text += vertex() + (i % 2 == 0 ? ": " : " ") + vertex() + " 2.5\n";
      return text;
    case GraphFormat::csv:
      text = "src,dst,w\n";
      for (std::uint64_t i = 0; i < m; ++i) text += vertex() + ",\"" + vertex() + "\",0.25\n";
      return text;
    default: // METIS: a chain
      text = std::to_string(n) + " " + std::to_string(n - 1) + " 001\n";
      for (std::uint64_t v = 1; v <= n; ++v) {
        if (v > 1) text += std::to_string(v - 1) + " 3 ";
        if (v < n) text += std::to_string(v + 1) + " 3";
        text += "\n";
      }
      return text;
  }
}

class FormatFuzz : public ReaderFuzz, public testing::WithParamInterface<GraphFormat> {
 protected:
  /// A look at the file refuses nothing that reading accepts, and what it is sure of is so.
  void expect_fitting_size(const ReadOptions& options, const NumberOutcome& read) const {
    try {
      const GraphSize size = size_of(world_, options);
      if (read.error.empty() && size.exact) {
        EXPECT_EQ(size.vertices, read.contiguous);
      }
    } catch (const core::InputError& error) {
      EXPECT_NE(read.error, "") << error.what();
    }
  }
};

TEST_P(FormatFuzz, one_outcome_everywhere) {
  const FuzzBudget budget(world_, 150);
  std::uint64_t loaded = 0, round = 0;
  for (; budget.allows(round); ++round) {
    core::CounterRandom random(14 + static_cast<std::uint64_t>(GetParam()), round);
    std::string bytes = valid_file_of(GetParam(), random);
    if (random.below(4) != 0) bytes = mutated(bytes, random);
    if (random.below(6) == 0) {
      bytes = random.below(2) == 0 ? gzip(bytes) : testing_support::zstd(bytes);
      if (random.below(2) == 0) bytes = mutated(bytes, random);
    }
    const std::string file = directory_.write("graph.any", bytes);
    SCOPED_TRACE("round " + std::to_string(round));
    ReadOptions first = options(file, random.below(2) == 0, random);
    ReadOptions second = options(file, first.weighted, random);
    first.format = second.format = GetParam();
    const NumberOutcome numbers = read_numbers(world_, first, 1 + static_cast<int>(random.below(3)));
    const NumberOutcome alone = read_numbers(alone_, second);
    ASSERT_EQ(numbers.error, alone.error);
    ASSERT_EQ(numbers, alone);
    loaded += numbers.error.empty();
    expect_fitting_size(first, numbers);
    for (const auto& [source, target, weight] : numbers.edges) {
      ASSERT_TRUE(std::isfinite(weight));
      if (numbers.contiguous_first == 0) continue; // formats that number their vertices from 1
      ASSERT_TRUE(source - 1 < numbers.contiguous && target - 1 < numbers.contiguous);
    }
  }
  EXPECT_GE(loaded, round / 8) << "too few files are valid for the fuzzer to reach the data";
  EXPECT_LT(loaded, round) << "nothing was ever refused";
}

INSTANTIATE_TEST_SUITE_P(formats, FormatFuzz,
                         testing::Values(GraphFormat::matrix_market, GraphFormat::metis, GraphFormat::dimacs,
                                         GraphFormat::adjacency_list, GraphFormat::csv));

} // namespace
} // namespace pregel
