// Rows of start values: what is read, by number and by name, and what is refused at which line.
#include "pregel/io/value_rows.hpp"

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/temporary_directory.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel::testing_support {
namespace {

class Rows : public testing::Test {
 protected:
  using ById = std::map<std::uint64_t, std::vector<double>>;

  [[nodiscard]] std::string write(const std::string& text) const {
    const std::string path = directory_.file("rows.txt");
    if (world().rank() == 0) std::ofstream(path) << text;
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
  DistributedGraph graph_ = build([] {
    oracle::Graph graph;
    for (oracle::Id v = 0; v < 200; ++v) graph.edges.push_back({v, v + 1});
    oracle::normalise(graph);
    return graph;
  }());
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

} // namespace
} // namespace pregel::testing_support
