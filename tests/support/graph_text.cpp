#include "support/graph_text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace oracle {
namespace {

/// Calls use(line) for each line that is not a comment; `use` returns false for one it does not understand.
template <class Use>
void for_each_line(const std::string& path, const Use& use) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    if (!use(fields)) throw std::runtime_error(path + ":" + std::to_string(number) + ": not understood");
  }
}

} // namespace

std::string edge_list_text(const Graph& graph) {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    text << graph.edges[i].source << ' ' << graph.edges[i].target;
    if (!graph.weights.empty()) text << ' ' << graph.weights[i];
    text << '\n';
  }
  return text.str();
}

std::string vertex_list_text(const Graph& graph) {
  std::ostringstream text;
  for (const Id v : graph.vertices) text << v << '\n';
  return text.str();
}

Graph read_graph_text(const std::string& edge_file, bool directed, const std::string& vertex_file) {
  Graph graph;
  graph.directed = directed;
  for_each_line(edge_file, [&](std::istringstream& fields) {
    Edge edge;
    if (!(fields >> edge.source >> edge.target)) return false;
    graph.edges.push_back(edge);
    if (double weight = 0; fields >> weight) graph.weights.push_back(weight);
    return graph.weights.empty() || graph.weights.size() == graph.edges.size();
  });
  if (!vertex_file.empty()) {
    for_each_line(vertex_file, [&](std::istringstream& fields) {
      Id id = 0;
      if (!(fields >> id)) return false;
      graph.vertices.push_back(id);
      return true;
    });
  }
  normalise(graph);
  return graph;
}

} // namespace oracle
