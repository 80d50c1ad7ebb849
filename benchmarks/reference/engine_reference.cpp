// The yardstick program: runs one reference kernel on a graph and prints one JSON object, with a checksum that does not
// depend on the order of vertices, so that a result of the engine can be compared with it.
//
//   engine_reference pagerank --graph kron20.el32 --repeat 5
//   engine_reference sssp --graph kron20.wel --sources sources.txt
//   engine_reference load --graph kron20.el --write kron20.el32      times the text loader
//   engine_reference sources --graph kron20.el32 --count 16          prints random vertices that have arcs
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <omp.h>

#include "csr.hpp"
#include "edge_input.hpp"
#include "kernels.hpp"

namespace reference {
namespace {

struct Options {
  std::string kernel;
  std::string graph;
  std::string kron; ///< scale=20,degree=16,seed=1
  std::string sources_file;
  std::string write;
  std::int64_t source = -1;
  int threads = 2;
  int repeat = 3;
  int rounds = 20;
  int count = 16;
  std::uint64_t seed = 1;
  std::int32_t delta = 4; ///< fastest of 1, 2, 4, ... 32 for Kronecker graphs with weights 1..255 (0.11 s; 2: 0.17 s)
  double damping = 0.85;
  bool in_double = false;
  bool afforest = false;
  bool weighted = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// One kernel run from one source (or from none): seconds of the kernel alone and the checksum of its result.
struct Outcome {
  double seconds = 0;
  double check = 0;
};

template <class Kernel, class Check>
Outcome timed(const Kernel& kernel, const Check& check) {
  const double start = now();
  const auto result = kernel();
  const double seconds = now() - start;
  return {seconds, check(result)};
}

/// Sum of the depths in a tree of parents, by a walk up from every vertex that ends where a depth is known.
double sum_of_depths(const Buffer<std::int32_t>& parent) {
  std::vector<std::int64_t> depth(parent.size(), -1);
  std::vector<Vertex> path;
  double sum = 0;
  for (Vertex v = 0; v < parent.size(); ++v) {
    if (parent[v] < 0) continue;
    Vertex at = v;
    while (depth[at] < 0 && static_cast<Vertex>(parent[at]) != at) {
      path.push_back(at);
      at = static_cast<Vertex>(parent[at]);
    }
    if (depth[at] < 0) depth[at] = 0;
    for (std::int64_t d = depth[at]; !path.empty(); path.pop_back()) depth[path.back()] = ++d;
    sum += static_cast<double>(depth[v]);
  }
  return sum;
}

/// Isolated vertices are not counted: an edge list does not know them.
double count_components(const Csr<Vertex>& graph, const Buffer<Vertex>& component) {
  double count = 0;
  for (Vertex v = 0; v < component.size(); ++v) count += component[v] == v && graph.degree(v) > 0 ? 1 : 0;
  return count;
}

double sum_of_distances(const Buffer<std::int32_t>& distance) {
  double sum = 0;
  for (const std::int32_t d : distance) sum += d == kUnreached ? 0 : d;
  return sum;
}

template <class Real>
double sum_of_ranks(const Buffer<Real>& rank) {
  double sum = 0;
  for (const Real r : rank) sum += static_cast<double>(r);
  return sum;
}

template <class T>
double sum_of(const Buffer<T>& values) {
  double sum = 0;
  for (const T value : values) sum += static_cast<double>(value);
  return sum;
}

/// Labels that name a vertex in its own component: as many as components.
double count_labels(const Buffer<Vertex>& component) {
  double count = 0;
  for (Vertex v = 0; v < component.size(); ++v) count += component[v] == v ? 1 : 0;
  return count;
}

using Run = std::function<Outcome(Vertex source)>;

Run make_run(const Options& options, const Csr<Vertex>& graph) {
  if (options.kernel == "bfs") {
    return [&](Vertex source) { return timed([&] { return bfs(graph, source); }, sum_of_depths); };
  }
  if (options.kernel == "components") {
    return [&](Vertex) {
      const auto kernel = options.afforest ? components_afforest : components_shiloach_vishkin;
      return timed([&] { return kernel(graph); },
                   [&](const Buffer<Vertex>& component) { return count_components(graph, component); });
    };
  }
  if (options.kernel == "kcore") {
    return [&](Vertex) { return timed([&] { return core_numbers(graph); }, sum_of<std::int32_t>); };
  }
  if (options.kernel == "bc") {
    return [&](Vertex source) { return timed([&] { return betweenness(graph, source); }, sum_of<double>); };
  }
  if (options.kernel == "triangles") {
    return [&](Vertex) {
      return timed([&] { return count_triangles(graph); },
                   [](std::uint64_t count) { return static_cast<double>(count); });
    };
  }
  if (options.in_double) {
    return [&](Vertex) {
      return timed([&] { return pagerank<double>(graph, options.rounds, options.damping); }, sum_of_ranks<double>);
    };
  }
  return [&](Vertex) {
    const auto damping = static_cast<float>(options.damping);
    return timed([&] { return pagerank<float>(graph, options.rounds, damping); }, sum_of_ranks<float>);
  };
}

EdgeList load_edges(const Options& options) {
  if (!options.graph.empty()) return read_edges(options.graph, options.weighted);
  unsigned scale = 16;
  unsigned degree = 16;
  std::uint64_t seed = 1;
  for (const std::string& item : CLI::detail::split(options.kron, ',')) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const auto value = equals == std::string::npos ? 0 : std::strtoull(item.c_str() + equals + 1, nullptr, 10);
    if (key == "scale" && value >= 1 && value <= 28) {
      scale = static_cast<unsigned>(value);
    } else if (key == "degree" && value >= 1 && value <= 1024) {
      degree = static_cast<unsigned>(value);
    } else if (key == "seed") {
      seed = value;
    } else {
      throw std::runtime_error("--kron: '" + item + "' is not scale=1..28, degree=1..1024 or seed=N");
    }
  }
  return kronecker_edges(scale, degree, seed, options.weighted);
}

template <class Arc>
Csr<Arc> load_graph(const Options& options) {
  return build_csr<Arc>(load_edges(options));
}

std::vector<Vertex> random_sources(const Csr<Vertex>& graph, int count, std::uint64_t seed) {
  if (graph.present_count() == 0) throw std::runtime_error("the graph has no edges to choose sources from");
  std::mt19937_64 random(seed);
  std::vector<Vertex> sources;
  while (sources.size() < static_cast<std::size_t>(count)) {
    const auto v = static_cast<Vertex>(random() % graph.vertex_count());
    if (graph.degree(v) > 0) sources.push_back(v);
  }
  return sources;
}

std::vector<Vertex> list_sources(const Options& options, Vertex vertex_count) {
  std::vector<Vertex> sources;
  if (!options.sources_file.empty()) {
    std::ifstream file(options.sources_file);
    for (Vertex v = 0; file >> v;) sources.push_back(v);
    if (!file.eof()) throw std::runtime_error(options.sources_file + ": not a list of vertices, one a line");
  } else {
    sources.push_back(options.source < 0 ? 0 : static_cast<Vertex>(options.source));
  }
  for (const Vertex v : sources) {
    if (v >= vertex_count) throw std::runtime_error("source " + std::to_string(v) + " is not in the graph");
  }
  if (sources.empty()) throw std::runtime_error(options.sources_file + ": no sources");
  return sources;
}

/// Every source `repeat` times; the median is over all runs, the checksums are one a source.
nlohmann::json measure(const Options& options, const std::vector<Vertex>& sources, const Run& run) {
  std::vector<double> seconds;
  std::vector<double> checks;
  for (const Vertex source : sources) {
    for (int i = 0; i < options.repeat; ++i) {
      const Outcome outcome = run(source);
      seconds.push_back(outcome.seconds);
      if (i == 0) checks.push_back(outcome.check);
    }
  }
  return {{"runs", seconds.size()},
          {"seconds_median", median(seconds)},
          {"seconds_min", *std::min_element(seconds.begin(), seconds.end())},
          {"check", checks.front()},
          {"checks", checks}};
}

template <class Arc>
nlohmann::json describe(const Options& options, const Csr<Arc>& graph) {
  return {{"kernel", options.kernel},
          {"threads", options.threads},
          {"vertices", graph.present_count()},
          {"arcs", graph.arc_count()}};
}

/// Times reading and building; `check` is the number of arcs.
nlohmann::json measure_load(const Options& options) {
  std::vector<double> seconds;
  std::vector<double> read_seconds;
  nlohmann::json result;
  for (int i = 0; i < options.repeat; ++i) {
    const double start = now();
    const EdgeList list = load_edges(options);
    read_seconds.push_back(now() - start);
    const Csr<Vertex> graph = build_csr<Vertex>(list);
    seconds.push_back(now() - start);
    if (i > 0) continue;
    result = describe(options, graph);
    result["edges"] = list.edges.size();
    result["check"] = graph.arc_count();
    if (!options.write.empty()) write_edges(options.write, list);
  }
  result["read_seconds_median"] = median(read_seconds);
  result["seconds_median"] = median(seconds);
  result["seconds_min"] = *std::min_element(seconds.begin(), seconds.end());
  return result;
}

int run_program(const Options& options) {
  nlohmann::json result;
  if (options.kernel == "load") {
    result = measure_load(options);
  } else if (options.kernel == "sources") {
    for (const Vertex v : random_sources(load_graph<Vertex>(options), options.count, options.seed)) {
      std::cout << v << '\n';
    }
    return 0;
  } else if (options.kernel == "sssp") {
    Options weighted = options;
    weighted.weighted = true;
    const auto graph = load_graph<WeightedArc>(weighted);
    result = describe(options, graph);
    result.update(measure(options, list_sources(options, graph.vertex_count()), [&](Vertex source) {
      return timed([&] { return shortest_paths(graph, source, options.delta); }, sum_of_distances);
    }));
  } else if (options.kernel == "scc") {
    const DirectedCsr graph = build_directed(load_edges(options));
    result = describe(options, graph.out);
    result.update(
        measure(options, {0}, [&](Vertex) { return timed([&] { return strong_components(graph); }, count_labels); }));
  } else {
    const auto graph = load_graph<Vertex>(options);
    const bool from_source = options.kernel == "bfs" || options.kernel == "bc";
    const std::vector<Vertex> sources =
        from_source ? list_sources(options, graph.vertex_count()) : std::vector<Vertex>{0};
    result = describe(options, graph);
    result.update(measure(options, sources, make_run(options, graph)));
  }
  std::cout << result.dump(2) << '\n';
  return 0;
}

void declare_options(CLI::App& app, Options& options) {
  app.add_option("kernel", options.kernel,
                 "pagerank, bfs, components, sssp, triangles, kcore, bc, scc, load or sources")
      ->required()
      ->check(CLI::IsMember(
          {"pagerank", "bfs", "components", "sssp", "triangles", "kcore", "bc", "scc", "load", "sources"}));
  auto* const graph =
      app.add_option("--graph", options.graph, "text edge list, .el32 or .wel32")->check(CLI::ExistingFile);
  app.add_option("--kron", options.kron, "instead of a file: scale=S,degree=D,seed=N")->excludes(graph);
  app.add_option("--threads", options.threads, "OpenMP threads")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--repeat", options.repeat, "runs (a source)")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--rounds", options.rounds, "pagerank: rounds")->check(CLI::Range(0, 100000))->capture_default_str();
  app.add_option("--damping", options.damping, "pagerank")->capture_default_str();
  app.add_flag("--double", options.in_double, "pagerank: double instead of float");
  app.add_flag("--afforest", options.afforest, "components: Afforest instead of Shiloach-Vishkin");
  app.add_option("--delta", options.delta, "sssp: bucket width")->check(CLI::Range(1, 1 << 24))->capture_default_str();
  app.add_option("--source", options.source, "bfs, sssp, bc: the source")->check(CLI::Range(0LL, (1LL << 31) - 2));
  app.add_option("--sources", options.sources_file, "bfs, sssp, bc: file of sources, one a line")
      ->check(CLI::ExistingFile);
  app.add_flag("--weighted", options.weighted, "load: read a third column");
  app.add_option("--write", options.write, "load: write the edges as .el32 or, with --weighted, .wel32");
  app.add_option("--count", options.count, "sources: how many")->capture_default_str();
  app.add_option("--seed", options.seed, "sources: seed")->capture_default_str();
}

} // namespace
} // namespace reference

int main(int argc, char** argv) {
  CLI::App app("Shared-memory reference kernels: one kernel, one graph, one JSON object.");
  reference::Options options;
  reference::declare_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.graph.empty() && options.kron.empty()) {
    std::cerr << "engine_reference: error: --graph or --kron is needed\n";
    return 2;
  }
  omp_set_num_threads(options.threads);
  try {
    return reference::run_program(options);
  } catch (const std::exception& error) {
    std::cerr << "engine_reference: error: " << error.what() << '\n';
    return 1;
  }
}
