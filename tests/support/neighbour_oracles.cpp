#include "support/neighbour_oracles.hpp"

#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace oracle {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;
using Matrix = std::vector<std::vector<long double>>;

Pair ends(const Graph& graph, const Edge& edge) {
  return {position(graph, edge.source), position(graph, edge.target)};
}

/// All (from, to) without loops and repeats; an undirected edge both ways.
std::set<Pair> simple_arcs(const Graph& graph) {
  std::set<Pair> arcs;
  for (const Edge& edge : graph.edges) {
    const auto [source, target] = ends(graph, edge);
    if (source == target) continue;
    arcs.emplace(source, target);
    if (!graph.directed) arcs.emplace(target, source);
  }
  return arcs;
}

std::vector<std::set<std::size_t>> neighbours(const Graph& graph) {
  std::vector<std::set<std::size_t>> sets(graph.vertices.size());
  for (const auto& [a, b] : simple_arcs(graph)) {
    sets[a].insert(b);
    sets[b].insert(a);
  }
  return sets;
}

/// How many edges lead from a row's vertex to a column's.
Matrix adjacency(const Graph& graph) {
  Matrix matrix(graph.vertices.size(), std::vector<long double>(graph.vertices.size(), 0));
  for (const Edge& edge : graph.edges) {
    const auto [source, target] = ends(graph, edge);
    matrix[source][target] += 1;
    if (!graph.directed && source != target) matrix[target][source] += 1;
  }
  return matrix;
}

void scale_to_length_one(std::vector<long double>& vector) {
  long double squares = 0;
  for (const long double x : vector) squares += x * x;
  for (long double& x : vector) x = squares > 0 ? x / std::sqrt(squares) : 0;
}

std::vector<double> rounded(const std::vector<long double>& values) {
  return {values.begin(), values.end()};
}

} // namespace

std::vector<Id> community_labels(const Graph& graph, std::size_t rounds) {
  std::vector<Id> labels = graph.vertices;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::map<Id, std::size_t>> seen(labels.size());
    for (const Edge& edge : graph.edges) {
      const auto [source, target] = ends(graph, edge);
      ++seen[target][labels[source]];
      if (source != target) ++seen[source][labels[target]];
    }
    for (std::size_t v = 0; v < labels.size(); ++v) {
      std::size_t most = 0;
      for (const auto& [label, count] : seen[v]) { // ascending: the smallest comes first
        if (count <= most) continue;
        most = count;
        labels[v] = label;
      }
    }
  }
  return labels;
}

double modularity(const Graph& graph, const std::vector<Id>& communities) {
  std::map<Pair, long double> between;
  std::vector<long double> out(communities.size(), 0), in(communities.size(), 0);
  long double edges = 0;
  const auto add = [&](std::size_t source, std::size_t target) {
    between[{source, target}] += 1;
    out[source] += 1;
    in[target] += 1;
    edges += 1;
  };
  for (const Edge& edge : graph.edges) {
    const auto [source, target] = ends(graph, edge);
    add(source, target);
    if (!graph.directed) add(target, source);
  }
  if (edges == 0) return 0;
  long double sum = 0;
  for (const auto& [pair, count] : between) sum += communities[pair.first] == communities[pair.second] ? count : 0;
  for (std::size_t u = 0; u < communities.size(); ++u)
    for (std::size_t v = 0; v < communities.size(); ++v)
      if (communities[u] == communities[v]) sum -= out[u] * in[v] / edges;
  return static_cast<double>(sum / edges);
}

std::vector<std::uint64_t> triangles(const Graph& graph) {
  const auto sets = neighbours(graph);
  std::vector<std::uint64_t> counts(sets.size(), 0);
  for (std::size_t v = 0; v < sets.size(); ++v) {
    for (const std::size_t a : sets[v])
      for (const std::size_t b : sets[v]) counts[v] += a < b && sets[a].contains(b) ? 1 : 0;
  }
  return counts;
}

std::vector<double> clustering(const Graph& graph) {
  const auto sets = neighbours(graph);
  const auto arcs = simple_arcs(graph);
  std::vector<double> coefficients(sets.size(), 0);
  for (std::size_t v = 0; v < sets.size(); ++v) {
    std::uint64_t between = 0;
    for (const std::size_t a : sets[v])
      for (const std::size_t b : sets[v]) between += arcs.contains({a, b}) ? 1 : 0;
    const auto d = static_cast<double>(sets[v].size());
    if (d >= 2) coefficients[v] = static_cast<double>(between) / (d * (d - 1));
  }
  return coefficients;
}

std::vector<Degrees> degrees(const Graph& graph) {
  std::vector<Degrees> all(graph.vertices.size());
  for (const Edge& edge : graph.edges) {
    const auto [source, target] = ends(graph, edge);
    ++all[source].out;
    ++all[target].in;
    if (graph.directed || source == target) continue;
    ++all[target].out;
    ++all[source].in;
  }
  return all;
}

Importance hubs_and_authorities(const Graph& graph, std::size_t updates) {
  const Matrix matrix = adjacency(graph);
  const std::size_t n = matrix.size();
  std::vector<long double> hubs(n, 1), authorities(n, 1);
  scale_to_length_one(hubs);
  scale_to_length_one(authorities);
  for (std::size_t update = 0; update < updates; ++update) {
    for (std::size_t v = 0; v < n; ++v) {
      authorities[v] = 0;
      for (std::size_t u = 0; u < n; ++u) authorities[v] += matrix[u][v] * hubs[u];
    }
    scale_to_length_one(authorities);
    for (std::size_t v = 0; v < n; ++v) {
      hubs[v] = 0;
      for (std::size_t u = 0; u < n; ++u) hubs[v] += matrix[v][u] * authorities[u];
    }
    scale_to_length_one(hubs);
  }
  return {rounded(hubs), rounded(authorities)};
}

std::vector<double> personalised_pagerank(const Graph& graph, Id source, std::size_t iterations, double damping) {
  const Matrix matrix = adjacency(graph);
  const std::size_t n = matrix.size(), home = position(graph, source);
  std::vector<long double> ranks(n, 0), out(n, 0);
  ranks[home] = 1;
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) out[u] += matrix[u][v];
  for (std::size_t i = 0; i < iterations; ++i) {
    std::vector<long double> next(n, 0);
    next[home] = 1 - static_cast<long double>(damping);
    for (std::size_t u = 0; u < n; ++u) {
      if (out[u] == 0) next[home] += damping * ranks[u];
      for (std::size_t v = 0; v < n; ++v)
        if (matrix[u][v] > 0) next[v] += damping * ranks[u] * matrix[u][v] / out[u];
    }
    ranks = std::move(next);
  }
  return rounded(ranks);
}

} // namespace oracle
