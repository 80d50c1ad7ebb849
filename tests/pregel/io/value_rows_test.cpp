// Rows of start values: what is read, by number and by name, and what is refused at which line; then random files, that
// all ranks together and each alone read, or refuse, alike.
#include "pregel/io/value_rows.hpp"

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/temporary_directory.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/support/pregel_testing.hpp"
#include "reader_testing.hpp"

namespace pregel::testing_support {
namespace {

class Rows : public testing::Test {
 protected:
  using ById = std::map<std::uint64_t, std::vector<double>>;

  [[nodiscard]] std::string write(const std::string& text) const {
    const std::string path = directory_.file("rows.txt");
    core::barrier(world()); // nobody reads the one before any more
    if (world().rank() == 0) std::ofstream(path, std::ios::binary) << text;
    core::barrier(world());
    return path;
  }
  [[nodiscard]] ById read(const std::string& text, const NameDirectory* names = nullptr) const {
    const ValueRows rows = read_value_rows(world(), write(text), names, graph_);
    std::vector<std::uint64_t> ids;
    for (const GlobalId id : rows.ids) ids.push_back(number(id));
    ids = gather_lists(ids);
    const std::vector<double> values = gather_lists(rows.values);
    EXPECT_EQ(values.size(), ids.size() * rows.width);
    ById found;
    for (std::size_t i = 0; i < ids.size(); ++i)
      found[ids[i]].assign(&values[i * rows.width], &values[i * rows.width] + rows.width);
    return found;
  }
  [[nodiscard]] std::string error_of(const std::string& text) const {
    try {
      std::ignore = read(text);
    } catch (const core::InputError& error) {
      return std::string(error.what()).substr(directory_.file("rows.txt").size());
    }
    return "";
  }

  test::TemporaryDirectory directory_{world()};
  const oracle::Graph chain_ = [] {
    oracle::Graph graph;
    for (oracle::Id v = 0; v < 200; ++v) graph.edges.push_back({v, v + 1});
    oracle::normalise(graph);
    return graph;
  }();
  DistributedGraph graph_ = build(chain_);
};

TEST_F(Rows, are_read_by_number_and_by_name) {
  EXPECT_EQ(read("# features\n7 0.5 -1e3 0x1p-1\r\n\n 3\t1  2 3 \n"), (ById{{3, {1, 2, 3}}, {7, {0.5, -1000, 0.5}}}));
  std::string text;
  ById wanted;
  for (std::uint64_t v = 200; v-- > 0;) { // long enough for every rank to have a share
    text += std::to_string(v);
    for (std::uint64_t c = 0; c < 11; ++c) {
      wanted[v].push_back(static_cast<double>(v) + static_cast<double>(c) / 8);
      text += ' ' + std::to_string(wanted[v].back());
    }
    text += '\n';
  }
  EXPECT_EQ(read(text), wanted);

  const std::vector<std::string> mine = {"alice", "bob", "carol"};
  std::vector<GlobalId> ids;
  const NameDirectory names = NameDirectory::build(world(), mine, ids);
  EXPECT_EQ(read("carol 1 2\nalice 3 4\n", &names), (ById{{0, {3, 4}}, {2, {1, 2}}}));
}

TEST_F(Rows, are_refused_at_their_line) {
  EXPECT_EQ(error_of("1 2 3\n2 2\n3 1 2\n"), ":2: expected 2 values as in the first line, found 1");
  std::string text = "0 1 2\n";
  for (int v = 1; v < 190; ++v) text += std::to_string(v) + " 1\n"; // other ranks see none but these
  EXPECT_EQ(error_of(text), ":2: expected 2 values as in the first line, found 1");
  EXPECT_EQ(error_of("1 2\n2 2 3\n"), ":2: expected 1 value as in the first line, found 2");
  EXPECT_EQ(error_of("1 2 3\n2 2 inf\n"), ":2: 'inf' is not finite: no value can be that");
  EXPECT_EQ(error_of("1 2 3\n2 2 x\n"), ":2: 'x' is not a number: the value must be one");
  EXPECT_EQ(error_of("1 2 3\n201 2 3\n"), ":2: '201' is not a vertex of the graph");
  EXPECT_EQ(error_of("1 2 3\n1 2 3\n"), ":1: '1' is listed more than once");
  EXPECT_THROW(std::ignore = read("# nothing\n"), core::InputError);
  EXPECT_EQ(error_of("1\n"), ":1: expected 'vertex value', found 1 column");
}

/// A few rows of vertices that exist, mostly of one length and each vertex once.
std::string valid_rows(core::CounterRandom& random) {
  static const char* const kValues[] = {"1", "-0.5", "1e-3", "0x1p4", "+2.", "1e-400"};
  const std::uint64_t width = 1 + random.below(4);
  std::string text;
  for (std::uint64_t row = random.below(9), vertex = random.below(20); row > 0; --row, vertex += 1 + random.below(20)) {
    text += std::to_string(vertex);
    for (std::uint64_t i = 0; i < width; ++i)
      text += std::string(random.below(8) == 0 ? "\t" : " ") + kValues[random.below(6)];
    text += random.below(8) == 0 ? " \r\n# x\n\n" : "\n";
  }
  return text;
}

/// What a file says, in one text: its rows by vertex, or why it has none.
std::string told_by(const core::Communicator& comm, const std::string& path, const DistributedGraph& graph) {
  try {
    const ValueRows rows = read_value_rows(comm, path, nullptr, graph);
    EXPECT_EQ(rows.values.size(), rows.ids.size() * rows.width);
    std::map<std::uint64_t, std::string> found;
    const auto ids = core::all_gather_varying(comm, std::span<const GlobalId>(rows.ids));
    const auto values = core::all_gather_varying(comm, std::span<const double>(rows.values));
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t k = 0; k < rows.width; ++k)
        found[number(ids[i])] += ' ' + std::to_string(values[i * rows.width + k]);
    std::string text = "rows:";
    for (const auto& [id, row] : found) text += '\n' + std::to_string(id) + row;
    return text;
  } catch (const core::InputError& error) {
    return error.what();
  }
}

TEST_F(Rows, random_bytes) {
  const FuzzBudget budget(world(), 200);
  const core::Communicator alone = world().split(world().rank(), 0);
  const DistributedGraph here = build(chain_, {}, alone);
  std::uint64_t loaded = 0, round = 0;
  for (; budget.allows(round); ++round) {
    core::CounterRandom random(31, round);
    std::string bytes = valid_rows(random);
    if (random.below(3) != 0) bytes = mutated(bytes, random);
    const std::string path = write(bytes);
    SCOPED_TRACE("round " + std::to_string(round) + ":\n" + bytes);
    const std::string told = told_by(world(), path, graph_);
    ASSERT_EQ(told, told_by(alone, path, here));
    loaded += told.starts_with("rows:");
  }
  EXPECT_GT(loaded, round / 8) << "too few files are valid for the fuzzer to reach the rows";
  EXPECT_LT(loaded, round) << "nothing was ever refused";
}

} // namespace
} // namespace pregel::testing_support
