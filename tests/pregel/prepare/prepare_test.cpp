// Merging, leaving out and renumbering, against naive versions of the same on the whole graph.
#include "pregel/prepare/prepare.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::gather_lists;
using testing_support::share_of;
using testing_support::test_graphs;
using testing_support::world;
using Edges = std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>;

/// All edges of all ranks, ascending.
Edges edges_of(const GraphInput& input) {
  struct Item {
    std::uint64_t source, target;
    double weight;
  };
  std::vector<Item> mine;
  for (std::size_t block = 0; block < input.edges.block_count(); ++block) {
    const auto weights = input.edges.weights(block);
    for (std::size_t i = 0; i < input.edges.edges(block).size(); ++i) {
      const Edge& edge = input.edges.edges(block)[i];
      mine.push_back({number(edge.source), number(edge.target), weights.empty() ? 1.0 : weights[i]});
    }
  }
  Edges edges;
  for (const Item& item : gather_lists(mine)) edges.emplace_back(item.source, item.target, item.weight);
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// A share of consecutive edges, as plain files are dealt out.
GraphInput in_order(const oracle::Graph& graph) {
  GraphInput input;
  input.edges = EdgeBlocks(!graph.weights.empty());
  const auto ranks = static_cast<std::size_t>(world().size()), rank = static_cast<std::size_t>(world().rank());
  for (std::size_t i = graph.edges.size() * rank / ranks; i < graph.edges.size() * (rank + 1) / ranks; ++i)
    input.edges.append({GlobalId{graph.edges[i].source}, GlobalId{graph.edges[i].target}},
                       graph.weights.empty() ? 1.0 : graph.weights[i]);
  return input;
}

TEST(MergeRepeats, keeps_the_first_weight_or_the_sum) {
  for (const oracle::NamedGraph& named : test_graphs()) {
    for (const bool undirected : {false, true}) {
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>> naive;
      for (std::size_t i = 0; i < named.graph.edges.size(); ++i) {
        auto [source, target] = named.graph.edges[i];
        if (undirected && target < source) std::swap(source, target);
        naive[{source, target}].push_back(named.graph.weights.empty() ? 1.0 : named.graph.weights[i]);
      }
      Edges first, sum;
      for (const auto& [ends, weights] : naive) {
        const bool weighted = !named.graph.weights.empty();
        double total = 0;
        for (const double weight : weights) total += weight; // whole numbers: any order gives the same
        first.emplace_back(ends.first, ends.second, weights.front());
        sum.emplace_back(ends.first, ends.second, weighted ? total : 1.0);
      }
      EXPECT_EQ(edges_of(merge_repeats(world(), in_order(named.graph), undirected, MergedWeight::first)), first)
          << named.name;
      EXPECT_EQ(edges_of(merge_repeats(world(), in_order(named.graph), undirected, MergedWeight::sum)), sum)
          << named.name;
    }
  }
}

/// By spreading the smallest id until nothing changes.
std::map<std::uint64_t, std::uint64_t> naive_components(const oracle::Graph& graph) {
  std::map<std::uint64_t, std::uint64_t> label;
  for (const std::uint64_t id : graph.vertices) label[id] = id;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [source, target] : graph.edges) {
      const std::uint64_t least = std::min(label[source], label[target]);
      changed = changed || label[source] != least || label[target] != least;
      label[source] = label[target] = least;
    }
  }
  return label;
}

TEST(LargestComponent, is_kept_alone) {
  core::ThreadTeam team(1);
  for (const oracle::NamedGraph& named : test_graphs()) {
    const auto label = naive_components(named.graph);
    std::map<std::uint64_t, std::size_t> sizes;
    for (const auto& [id, of] : label) ++sizes[of];
    const auto largest =
        std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::uint64_t> vertices;
    for (const auto& [id, of] : label) {
      if (of == largest->first) vertices.push_back(id);
    }
    Edges edges;
    for (std::size_t i = 0; i < named.graph.edges.size(); ++i) {
      const auto& [source, target] = named.graph.edges[i];
      if (label.at(source) == largest->first)
        edges.emplace_back(source, target, named.graph.weights.empty() ? 1.0 : named.graph.weights[i]);
    }
    std::sort(edges.begin(), edges.end());
    const GraphInput kept = keep_largest_component(world(), share_of(named.graph), team);
    EXPECT_EQ(edges_of(kept), edges) << named.name;
    std::vector<std::uint64_t> mine;
    for (const GlobalId id : kept.vertices) mine.push_back(number(id));
    std::vector<std::uint64_t> all = gather_lists(mine);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, vertices) << named.name;
  }
}

TEST(Renumber, by_degree_or_in_order) {
  for (const oracle::NamedGraph& named : test_graphs()) {
    std::map<std::uint64_t, std::uint64_t> degrees;
    for (const std::uint64_t id : named.graph.vertices) degrees[id] = 0;
    for (const auto& [source, target] : named.graph.edges) {
      ++degrees[source];
      ++degrees[target];
    }
    for (const NewOrder order : {NewOrder::ascending, NewOrder::degree}) {
      std::vector<std::uint64_t> sorted = named.graph.vertices;
      if (order == NewOrder::degree)
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](std::uint64_t a, std::uint64_t b) { return degrees[a] > degrees[b]; });
      std::map<std::uint64_t, std::uint64_t> numbers;
      for (std::size_t i = 0; i < sorted.size(); ++i) numbers[sorted[i]] = 5 + i;
      Edges edges;
      for (std::size_t i = 0; i < named.graph.edges.size(); ++i)
        edges.emplace_back(numbers[named.graph.edges[i].source], numbers[named.graph.edges[i].target],
                           named.graph.weights.empty() ? 1.0 : named.graph.weights[i]);
      std::sort(edges.begin(), edges.end());
      OldIds old_ids;
      const GraphInput renumbered = renumber(world(), share_of(named.graph), order, 5, &old_ids);
      EXPECT_EQ(edges_of(renumbered), edges) << named.name;
      EXPECT_EQ(renumbered.contiguous_first, 5U);
      std::map<std::uint64_t, std::uint64_t> way_back;
      const auto ids = gather_lists(old_ids.ids);
      const auto old = gather_lists(std::get<std::vector<std::uint64_t>>(old_ids.columns.at(0).values));
      for (std::size_t i = 0; i < ids.size(); ++i) way_back[old[i]] = number(ids[i]);
      EXPECT_EQ(way_back, numbers) << named.name;
      EXPECT_TRUE(std::ranges::is_sorted(old_ids.ids));
      EXPECT_EQ(renumbered.contiguous_vertices, named.graph.vertices.size()) << named.name;
    }
  }
}

} // namespace
} // namespace pregel
