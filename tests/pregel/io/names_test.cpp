// String ids: their order, their numbers, and files that use them.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/results.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

using testing_support::NameOutcome;
using testing_support::read_naively;
using testing_support::read_names;
using testing_support::ScratchDirectory;

/// Names of awkward kinds: short, long, sharing prefixes, with bytes above 127.
std::string awkward_name(core::CounterRandom& random) {
  static const char* const kStarts[] = {"", "a", "vertex", "http://example.org/resource/", "\xc3\xa9", "\xff"};
  std::string name = kStarts[random.below(6)] + std::to_string(random.below(300));
  if (random.below(20) == 0) name += std::string(random.below(300), 'z');
  return name;
}

class Names : public testing::Test {
 protected:
  /// This rank's share of names that repeat on the rank and between ranks.
  [[nodiscard]] std::vector<std::string> share(std::size_t count) const {
    core::CounterRandom random(6, static_cast<std::uint64_t>(world_.rank()));
    std::vector<std::string> names;
    while (names.size() < count) names.push_back(awkward_name(random));
    return names;
  }
  /// All ranks' names in bytewise order.
  [[nodiscard]] std::vector<std::string> all_of(const std::vector<std::string>& mine) const {
    std::string joined;
    for (const std::string& name : mine) joined += name + '\n';
    const auto bytes = core::all_gather_varying(world_, std::span<const char>(joined));
    std::set<std::string> all;
    std::string name;
    for (const char c : bytes) {
      if (c != '\n') {
        name += c;
      } else {
        all.insert(std::exchange(name, {}));
      }
    }
    return {all.begin(), all.end()};
  }

  core::Communicator world_ = core::Communicator::world();
};

TEST_F(Names, are_numbered_in_bytewise_order) {
  for (const std::size_t count : {0, 1, 10, 3000}) {
    const auto mine = share(count);
    const auto all = all_of(mine);
    std::vector<GlobalId> ids;
    const NameDirectory directory = NameDirectory::build(world_, mine, ids);
    ASSERT_EQ(directory.size(), all.size());
    ASSERT_EQ(ids.size(), mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_LT(number(ids[i]), all.size());
      EXPECT_EQ(all[number(ids[i])], mine[i]);
    }
  }
}

TEST_F(Names, may_be_on_one_rank_only) {
  for (int owner = 0; owner < world_.size(); ++owner) {
    const std::vector<std::string> mine =
        world_.rank() == owner ? std::vector<std::string>{"b", "a", "c", "a"} : std::vector<std::string>{};
    std::vector<GlobalId> ids;
    const NameDirectory directory = NameDirectory::build(world_, mine, ids);
    EXPECT_EQ(directory.size(), 3U);
    if (world_.rank() == owner) {
      EXPECT_EQ(ids, (std::vector{GlobalId{1}, GlobalId{0}, GlobalId{2}, GlobalId{0}}));
    }
  }
}

TEST_F(Names, are_found_both_ways) {
  const auto mine = share(500);
  const auto all = all_of(mine);
  std::vector<GlobalId> ids;
  const NameDirectory directory = NameDirectory::build(world_, mine, ids);
  for (std::size_t i = 0; i < all.size(); i += 37) EXPECT_EQ(directory.find(world_, all[i]), GlobalId{i});
  EXPECT_EQ(directory.find(world_, "no such name"), std::nullopt);
  EXPECT_EQ(directory.find(world_, ""), std::nullopt);
  EXPECT_EQ(directory.find(world_, "\xff\xff\xff"), std::nullopt);

  core::CounterRandom random(7, static_cast<std::uint64_t>(world_.rank()));
  std::vector<GlobalId> questions = {kNoVertex, GlobalId{all.size()}};
  std::vector<std::string> expected = {"", ""};
  for (std::uint64_t i = 0; i < 100 * static_cast<std::uint64_t>(world_.rank()); ++i) {
    questions.push_back(GlobalId{random.below(all.size())});
    expected.push_back(all[number(questions.back())]);
  }
  EXPECT_EQ(directory.names_of(world_, questions), expected);
  expected[0] = "no such name";
  expected[1] = "";
  questions[1] = kNoVertex;
  EXPECT_EQ(directory.ids_of(world_, expected), questions);
}

TEST_F(Names, of_an_empty_directory_are_unknown) {
  std::vector<GlobalId> ids;
  const NameDirectory directory = NameDirectory::build(world_, {}, ids);
  EXPECT_EQ(directory.size(), 0U);
  EXPECT_EQ(directory.find(world_, "a"), std::nullopt);
  const std::vector<std::string> asked = {"a", "b"};
  EXPECT_EQ(directory.ids_of(world_, asked), (std::vector{kNoVertex, kNoVertex}));
  EXPECT_EQ(directory.names_of(world_, ids), std::vector<std::string>{});
}

class NamedGraph : public Names {
 protected:
  NameOutcome read(std::string_view bytes, bool weighted = false) {
    ReadOptions options;
    options.graph_file = directory_.write("graph.txt", bytes);
    options.weighted = weighted;
    NameOutcome outcome = read_names(world_, options);
    for (const std::size_t block_bytes : {1, 7, 100}) {
      options.limits.block_bytes = block_bytes;
      EXPECT_EQ(read_names(world_, options, 3), outcome);
    }
    if (outcome.error.starts_with(options.graph_file)) outcome.error.replace(0, options.graph_file.size(), "FILE");
    return outcome;
  }

  ScratchDirectory directory_{world_};
};

TEST_F(NamedGraph, takes_any_bytes_but_blanks) {
  const std::string text =
      "# comment\nalice bob\r\nb#b %notfirst 2008\n\t1 01\nhttp://a/b?c=d,e;f caf\xc3\xa9\n % comment\nalice alice\n";
  const NameOutcome outcome = read(text);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome, read_naively<std::string>(text, false));
  ASSERT_EQ(outcome.edges.size(), 5U);
  EXPECT_EQ(outcome.edges.front(), (std::tuple<std::string, std::string, double>{"1", "01", 1.0}));
  EXPECT_EQ(read("a b 0.5\na c 0x1p3\n", true).edges,
            (std::vector<std::tuple<std::string, std::string, double>>{{"a", "b", 0.5}, {"a", "c", 8}}));
}

TEST_F(NamedGraph, is_refused_with_line_and_reason) {
  using namespace std::string_literals;
  EXPECT_EQ(read("a b\nc\n").error, "FILE:2: expected 'source target', found 1 column");
  EXPECT_EQ(
      read("a b\nalice,bob\n").error,
      "FILE:2: expected 'source target', found 1 column (columns must be separated by blanks or tabs, not by ',')");
  EXPECT_EQ(read("a b\0c\n"s).error, "FILE:1: this line holds a zero byte: binary data or UTF-16, not a text file");
  EXPECT_EQ(read("a b one\n", true).error, "FILE:1: 'one' is not a number: the weight must be one");
}

TEST_F(NamedGraph, has_a_vertex_file_too) {
  ReadOptions options;
  options.graph_file = directory_.write("g.e", "bob alice\n");
  const std::string vertex_file = directory_.write("g.v", "carol\nalice x\n#dave\nbob\n");
  EXPECT_EQ(read_names(world_, options, 2).vertices, (std::vector<std::string>{"alice", "bob", "carol"}));
  directory_.write("g.e", "bob alice\nbob dave\n");
  EXPECT_EQ(read_names(world_, options, 2).error,
            options.graph_file + ":2: 'dave' is not listed in the vertex file " + vertex_file);
}

TEST_F(NamedGraph, agrees_with_the_naive_reader_on_larger_files) {
  core::CounterRandom random(8);
  std::string text;
  for (int line = 0; line < 5000; ++line) text += awkward_name(random) + "\t" + awkward_name(random) + "\n";
  EXPECT_EQ(read(text), read_naively<std::string>(text, false));
}

/// All ranks' values, ascending by id.
std::vector<std::pair<std::uint64_t, double>> gather(const core::Communicator& comm,
                                                     const std::vector<std::pair<GlobalId, double>>& mine) {
  struct Item {
    std::uint64_t id;
    double value;
  };
  std::vector<Item> items;
  for (const auto& [id, value] : mine) items.push_back({number(id), value});
  std::vector<std::pair<std::uint64_t, double>> all;
  for (const Item& item : core::all_gather_varying(comm, std::span<const Item>(items))) {
    all.emplace_back(item.id, item.value);
  }
  std::sort(all.begin(), all.end());
  return all;
}

using Values = std::vector<std::pair<std::uint64_t, double>>;

TEST_F(NamedGraph, takes_start_values_by_number_and_by_name) {
  const std::string numbers = directory_.write("values", "# ranks\n7 0.5\n3 infinity\n18446744073709551614 -2 x\n");
  EXPECT_EQ(gather(world_, read_values(world_, numbers, nullptr)),
            (Values{{3, std::numeric_limits<double>::infinity()}, {7, 0.5}, {18446744073709551614U, -2}}));

  const std::vector<std::string> mine = {"alice", "bob", "carol"};
  std::vector<GlobalId> ids;
  const NameDirectory directory = NameDirectory::build(world_, mine, ids);
  const std::string names = directory_.write("names", "carol 1\nalice 0x1p-1\n");
  EXPECT_EQ(gather(world_, read_values(world_, names, &directory)), (Values{{0, 0.5}, {2, 1}}));
}

TEST_F(NamedGraph, refuses_bad_start_values) {
  std::vector<GlobalId> ids;
  const std::vector<std::string> mine = {"alice"};
  const NameDirectory directory = NameDirectory::build(world_, mine, ids);
  const auto error_of = [&](const std::string& bytes, const NameDirectory* names) -> std::string {
    const std::string path = directory_.write("values", bytes);
    try {
      std::ignore = read_values(world_, path, names);
    } catch (const core::InputError& error) {
      return std::string(error.what()).substr(path.size());
    }
    return "";
  };
  EXPECT_EQ(error_of("1 2\n3\n", nullptr), ":2: expected 'vertex value', found 1 column");
  EXPECT_EQ(error_of("1 nan\n", nullptr), ":1: 'nan' is not finite: no value can be that");
  EXPECT_EQ(error_of("alice 1\n\nbob 2\nbob x\n", &directory), ":4: 'x' is not a number: the value must be one");
  EXPECT_EQ(error_of("alice 1\n\nbob 2\ncarol 3\n", &directory), ":3: 'bob' is not a vertex of the graph");
}

} // namespace
} // namespace pregel
