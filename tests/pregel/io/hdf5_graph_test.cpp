// HDF5 graphs that other programs may have written: what is accepted, and every way of contradicting oneself. Then
// files of random numbers: whatever they hold, all ranks agree and nothing but an error comes of it.
#include <cmath>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/hdf5.hpp"
#include "core/random.hpp"
#include "reader_testing.hpp"

namespace pregel {
namespace {

namespace hdf5 = core::hdf5;
using testing_support::NameOutcome;
using testing_support::NumberOutcome;
using testing_support::read_names;
using testing_support::read_numbers;
using testing_support::ScratchDirectory;

/// What a file says; two vertices 3 and 5, two edges, unless changed.
struct Content {
  std::string format = "superstep-graph";
  std::uint32_t layout = 1;
  std::uint8_t directed = 1, weighted = 0, named = 0;
  std::uint64_t vertices = 2, edges = 2;
  std::vector<std::uint64_t> ids{3, 5}, offsets{0, 1, 2};
  std::vector<std::uint32_t> targets{5, 5};
  std::vector<double> weights{0.5, 7};
  std::vector<std::uint64_t> name_offsets{0, 1, 3};
  std::string names = "abb";
};

class Hdf5Graph : public testing::Test {
 protected:
  std::string write(const Content& content) {
    core::barrier(world_);
    if (world_.rank() == 0) {
      auto file = hdf5::File::create(path_);
      hdf5::write_string_attribute(file, "/", "format", content.format);
      hdf5::write_attribute(file, "/", "layout", content.layout);
      hdf5::write_attribute(file, "/", "directed", content.directed);
      hdf5::write_attribute(file, "/", "weighted", content.weighted);
      hdf5::write_attribute(file, "/", "named", content.named);
      hdf5::write_attribute(file, "/", "vertices", content.vertices);
      hdf5::write_attribute(file, "/", "edges", content.edges);
      hdf5::write_dataset(file, "ids", std::span(content.ids));
      hdf5::write_dataset(file, "offsets", std::span(content.offsets));
      hdf5::write_dataset(file, "targets", std::span(content.targets));
      if (content.weighted != 0) hdf5::write_dataset(file, "weights", std::span(content.weights));
      if (content.named != 0) {
        hdf5::write_dataset(file, "name_offsets", std::span(content.name_offsets));
        hdf5::write_dataset(
            file, "names",
            std::span(reinterpret_cast<const std::uint8_t*>(content.names.data()), content.names.size()));
      }
      file.close();
    }
    core::barrier(world_);
    return path_;
  }
  NumberOutcome read(const Content& content, bool weighted = false) {
    ReadOptions options;
    options.graph_file = write(content);
    options.weighted = weighted;
    NumberOutcome outcome = read_numbers(world_, options);
    // A file with several faults may be refused for another one of them where it is dealt out in other shares.
    const NumberOutcome alone = read_numbers(alone_, options);
    EXPECT_EQ(alone.error.empty(), outcome.error.empty()) << alone.error << " / " << outcome.error;
    if (alone.error.empty()) {
      EXPECT_EQ(alone, outcome);
    }
    const std::size_t at = outcome.error.find(path_);
    if (at != std::string::npos) outcome.error.replace(at, path_.size(), "FILE");
    return outcome;
  }
  /// The error after `change` was made.
  template <class Change>
  std::string error(const Change& change, bool weighted = false) {
    Content content;
    change(content);
    return read(content, weighted).error;
  }

  core::Communicator world_ = core::Communicator::world();
  core::Communicator alone_ = world_.split(world_.rank(), 0);
  ScratchDirectory directory_{world_};
  std::string path_ = directory_.path("graph.h5");
};

TEST_F(Hdf5Graph, is_read) {
  const NumberOutcome plain = read({});
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.edges, (std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>{{3, 5, 1}, {5, 5, 1}}));
  EXPECT_EQ(plain.vertices, (std::vector<std::uint64_t>{3, 5}));
  EXPECT_EQ(plain.directed, true);
  Content content;
  content.weighted = 1;
  content.ids = {4, 5};
  content.directed = 0;
  const NumberOutcome weighted = read(content, true);
  EXPECT_EQ(weighted.edges, (std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>{{4, 5, 0.5}, {5, 5, 7}}));
  EXPECT_EQ(weighted.contiguous_first, 4U);
  EXPECT_EQ(weighted.contiguous, 2U);
  EXPECT_EQ(weighted.directed, false);
}

TEST_F(Hdf5Graph, names) {
  Content content;
  content.named = 1;
  content.ids = {0, 1};
  content.targets = {1, 1};
  ReadOptions options;
  options.graph_file = write(content);
  EXPECT_EQ(read_names(world_, options).edges,
            (std::vector<std::tuple<std::string, std::string, double>>{{"a", "bb", 1}, {"bb", "bb", 1}}));
  content.names = "zbb";
  write(content);
  EXPECT_TRUE(read_names(world_, options).error.ends_with("names must ascend bytewise, and their ids be 0, 1, 2, ..."));
  content.names = "a b";
  write(content);
  EXPECT_TRUE(read_names(world_, options).error.ends_with("' b': no blanks can be in a name"));
  content.name_offsets = {0, 0, 3};
  write(content);
  EXPECT_TRUE(read_names(world_, options).error.ends_with("name 0 is empty"));
  content.name_offsets = {0, 1, 4};
  write(content);
  EXPECT_TRUE(read_names(world_, options).error.ends_with("name_offsets point beyond the names"));
}

TEST_F(Hdf5Graph, lies_are_refused) {
  EXPECT_EQ(error([](Content& c) { c.format = "matrix"; }),
            "FILE: this HDF5 file holds no graph: its attribute 'format' should be 'superstep-graph'");
  EXPECT_EQ(error([](Content& c) { c.layout = 2; }), "FILE: the graph has a layout of a later version");
  EXPECT_EQ(error([](Content& c) { c.vertices = 3; }),
            "FILE: dataset 'ids' has 2 elements, and the attributes promise 3");
  EXPECT_EQ(error([](Content& c) { c.edges = 3; }),
            "FILE: dataset 'targets' has 2 elements, and the attributes promise 3");
  EXPECT_EQ(error([](Content& c) {
              c.offsets = {0, 1};
            }),
            "FILE: dataset 'offsets' has 2 elements, and the attributes promise 3");
  EXPECT_EQ(error([](Content& c) { c.weighted = 1, c.weights = {1}; }, true),
            "FILE: dataset 'weights' has 1 elements, and the attributes promise 2");
  EXPECT_EQ(error([](Content& c) { c.weighted = 1, c.weights = {1, NAN}; }, true), "FILE: a weight is not finite");
  EXPECT_EQ(error([](Content&) {}, true),
            "FILE: this graph has no weights: leave --weighted out, and every weight is 1");
  EXPECT_EQ(error([](Content& c) { c.named = 1; }), "FILE: the vertices have names: give --ids string");
  EXPECT_EQ(error([](Content& c) { c.ids = {5, 3}; }), "FILE: ids do not ascend at position 1");
  EXPECT_EQ(error([](Content& c) { c.ids = {5, 5}; }), "FILE: ids do not ascend at position 1");
  EXPECT_EQ(error([](Content& c) {
              c.ids = {3, ~std::uint64_t{0}};
            }),
            "FILE: 18446744073709551615 is too large for a vertex id");
  EXPECT_EQ(error([](Content& c) {
              c.offsets = {1, 1, 2};
            }),
            "FILE: offsets must begin with 0 and end with the number of edges");
  EXPECT_EQ(error([](Content& c) {
              c.offsets = {0, 1, 1};
            }),
            "FILE: offsets must begin with 0 and end with the number of edges");
  EXPECT_EQ(error([](Content& c) { c.offsets = {0, 9, 2}; }), "FILE: offsets do not ascend at position 1");
  EXPECT_EQ(error([](Content& c) { c.targets = {5, 4}; }), "FILE: target 4 is not among the ids");
  EXPECT_EQ(error([](Content& c) { c.targets = {5, 6}; }), "FILE: target 6 is not among the ids");
  EXPECT_EQ(error([](Content& c) { c.targets = {5, 2}; }), "FILE: target 2 is not among the ids");
  EXPECT_EQ(error([](Content& c) {
              c.ids = {3, std::uint64_t{1} << 40};
              c.targets = {3, 7};
            }),
            "FILE: target 7 is not among the ids");
  EXPECT_EQ(error([](Content& c) { c.ids = {4, 5}, c.targets = {5, 3}; }), "FILE: target 3 is not among the ids");
}

TEST_F(Hdf5Graph, what_is_missing_or_no_file_of_hdf5) {
  Content content;
  content.weighted = 0;
  write(content);
  if (world_.rank() == 0) {
    const auto file = hdf5::File::open_for_writing(path_);
    hdf5::write_attribute<std::uint8_t>(file, "/", "weighted", 1); // and there are none
  }
  core::barrier(world_);
  ReadOptions options;
  options.graph_file = path_;
  EXPECT_NE(read_numbers(world_, options).error, "");
  options.graph_file = directory_.write("cut.h5", std::string("\x89HDF\r\n\x1a\n and then something else", 31));
  EXPECT_NE(read_numbers(world_, options).error, "");
  options.graph_file = directory_.write("text.h5", "1 2\n");
  EXPECT_NE(read_numbers(world_, options).error, "");
}

TEST_F(Hdf5Graph, random_numbers) {
  const testing_support::FuzzBudget budget(world_, 150);
  std::uint64_t loaded = 0, round = 0;
  for (; budget.allows(round); ++round) {
    core::CounterRandom random(21, round);
    Content content;
    const auto change = [&](auto& list) {
      if (list.empty() || random.below(3) != 0) return;
      const std::uint64_t value = random.below(4) == 0 ? random.next() : random.below(8);
      list[random.below(list.size())] = static_cast<std::remove_reference_t<decltype(list[0])>>(value);
    };
    content.weighted = static_cast<std::uint8_t>(random.below(2));
    change(content.ids);
    change(content.offsets);
    change(content.targets);
    change(content.weights);
    if (random.below(8) == 0) content.edges = random.below(2) == 0 ? random.next() : random.below(4);
    if (random.below(8) == 0) content.vertices = random.below(2) == 0 ? random.next() : random.below(4);
    SCOPED_TRACE(round);
    loaded += read(content, content.weighted != 0).error.empty();
  }
  EXPECT_GT(loaded, round / 10);
  EXPECT_LT(loaded, round);
}

} // namespace
} // namespace pregel
