// Sizes of arrays are those of graph_builder.cpp and distributed_graph.hpp; what it all came to in real runs is in
// docs/running.md.
#include "pregel_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "pregel_identity.hpp"

namespace drivers {
namespace {

/// Measured with a graph of one vertex.
constexpr std::uint64_t kProcessBytes = 30 << 20;
/// The estimate of a real peak is too high by at most so much (docs/running.md): less is not refused.
constexpr double kSurelyExact = 0.75, kSurelySampled = 0.5;

/// One graph on one rank, in expectation.
struct Shares {
  double vertices, edges, arcs, slots;
};

Shares shares_of(const pregel::GraphSize& size, const pregel::GraphNeeds& needs, bool directed, double ranks) {
  const auto all_vertices = static_cast<double>(size.vertices), all_edges = static_cast<double>(size.edges);
  const bool both_ways = !directed || needs.path == pregel::MessagePath::both_ways;
  Shares s{all_vertices / ranks, all_edges / ranks, all_edges / ranks * (both_ways ? 2 : 1), 0};
  // A remote vertex has a mirror here unless all its arcs go elsewhere; few arcs on hubs make it fewer.
  const double remote = all_vertices - s.vertices;
  s.slots = s.vertices + (all_vertices > 0 ? remote * (1 - std::exp(-s.arcs / all_vertices)) : 0);
  return s;
}

double weight_bytes(const pregel::GraphNeeds& needs, bool directed) {
  const bool marks = needs.directions && directed;
  return needs.weights || marks ? 4 : 0; // most weights fit a float
}

double graph_bytes(const Shares& s, const pregel::GraphNeeds& needs, bool directed) {
  const double arc = 4 + weight_bytes(needs, directed);
  double bytes = s.vertices * (8 + 8 + 4 + 4) + s.arcs * arc;        // rows and their offsets, order, degrees
  bytes += s.slots * (8 + 4 + 2) + (s.slots - s.vertices) * (4 + 8); // ids and their index, the exchange's lists
  if (needs.push) bytes += s.slots * 8 + s.arcs * arc;
  if (needs.out_edges) bytes += s.vertices * 8 + s.edges * 8;
  return bytes;
}

/// Arcs are sorted out of place: two arrays, beside the table of ids. Listed edges are freed while arcs are made of
/// them.
double building_bytes(const Shares& s, const pregel::GraphNeeds& needs, bool directed) {
  const double arc = 8 + (weight_bytes(needs, directed) > 0 ? 8 : 0);
  return 2 * s.arcs * arc + s.slots * 34;
}

MemoryForecast memory_of(const pregel::GraphSize& size, bool directed, const std::vector<pregel::GraphNeeds>& plan,
                         int ranks) {
  double kept = 0, most = 0, slots = 0, vertices = 0, arcs = 0;
  for (std::size_t g = 0; g < plan.size(); ++g) {
    const Shares s = shares_of(size, plan[g], directed, ranks);
    const double listed = s.edges * (size.weighted ? 24 : 16);
    const bool is_last = g + 1 == plan.size();
    most = std::max(most, kept + (is_last ? 0 : listed) + std::max(listed, building_bytes(s, plan[g], directed)));
    kept += graph_bytes(s, plan[g], directed);
    slots = std::max(slots, s.slots);
    vertices = s.vertices;
    arcs = std::max(arcs, s.arcs);
  }
  const auto bytes = [](double x) { return static_cast<std::uint64_t>(x); };
  return {kProcessBytes, bytes(most), bytes(kept), bytes(vertices * (16 + 16)), bytes(slots * 17)};
}

/// How often an algorithm goes over all arcs.
enum class Passes {
  once, ///< the cost is of the whole run
  each_superstep,
  each_source,
  each_block, ///< of eight columns, in each layer
};
/// Nanoseconds of one core for an arc in a pass, in a graph of a million arcs; `growth` is the power of the number of
/// arcs by which they become more.
struct Cost {
  const char* algorithm;
  double nanoseconds;
  Passes passes = Passes::once;
  double growth = 0;
};
// Kronecker graphs of degree 16; docs/performance.md, and for what is not there the ratio to PageRank in one list.
constexpr std::array<Cost, 21> kCosts{{{"pagerank", 1.0, Passes::each_superstep},
                                       {"ppr", 1.1, Passes::each_superstep},
                                       {"hits", 2.6, Passes::each_superstep},
                                       {"cdlp", 3.4, Passes::each_superstep},
                                       {"random-walk", 14, Passes::each_superstep},
                                       {"bfs", 0.4},
                                       {"sssp", 9.4},
                                       {"wcc", 5.5},
                                       {"scc", 2.7},
                                       {"mis", 4.8},
                                       {"matching", 53},
                                       {"msf", 82},
                                       {"degree", 0.25},
                                       {"aggregate", 0.6},
                                       {"triangles", 38, Passes::once, 0.23},
                                       {"lcc", 38, Passes::once, 0.23},
                                       {"kcore", 13},
                                       {"coloring", 41, Passes::once, 0.15},
                                       {"diameter", 2.2},
                                       {"bc", 2.8, Passes::each_source},
                                       {"gcn", 5, Passes::each_block, 0.15}}};
constexpr double kLoadNanoseconds = 100; // an edge
constexpr std::uint64_t kUsualSupersteps = 50;

TimeForecast time_of(const AlgorithmChoice& choice, std::uint64_t vertices, double arcs, double cores) {
  const auto* const cost = std::ranges::find(kCosts, choice.algorithm, &Cost::algorithm);
  if (cost == kCosts.end() || choice.variant != "standard") return {choice.algorithm, {}, ""};
  const double nanoseconds = cost->nanoseconds * std::pow(std::max(arcs, 1.0) / 1e6, cost->growth);
  TimeForecast time{choice.algorithm, 0,
                    (nanoseconds < 10 ? fmt::format("{:.2g}", nanoseconds) : fmt::format("{:.0f}", nanoseconds)) +
                        " ns of a core an arc"};
  std::uint64_t passes = 1;
  switch (cost->passes) {
    case Passes::once: break;
    case Passes::each_superstep: {
      const bool is_short = choice.algorithm == "cdlp" || choice.algorithm == "random-walk";
      passes = std::min(choice.iterations.value_or(is_short ? 10 : kUsualSupersteps) + 1, choice.max_supersteps);
      time.assumption += fmt::format(" and superstep, {} supersteps", passes);
      break;
    }
    case Passes::each_source:
      if (!choice.sources_file.empty()) return {choice.algorithm, {}, ""};
      passes = choice.source.empty() ? vertices : 1;
      time.assumption += fmt::format(" and source, {} source{}", passes, passes == 1 ? "" : "s");
      break;
    case Passes::each_block: {
      const pregel::AlgorithmOptions options = algorithm_options_of(choice);
      passes = options.layers * ((options.width + 7) / 8);
      time.assumption += fmt::format(" and eight columns of a layer, {} times", passes);
      break;
    }
  }
  time.seconds = static_cast<double>(passes) * nanoseconds * 1e-9 * arcs / cores * choice.repeat;
  return time;
}

pregel::GraphSize size_of_input(const core::Communicator& comm, const PregelOptions& o, bool& directed) {
  if (!o.generate.empty()) {
    const pregel::GeneratorSpec spec = pregel::parse_generator(o.generate);
    directed = o.asked_direction().value_or(spec.directed);
    return pregel::size_of(spec);
  }
  pregel::GraphSize size = pregel::size_of(comm, read_options_of(o, o.graph));
  if (const auto asked = o.asked_direction())
    directed = *asked;
  else
    directed = size.directed ? *size.directed : pregel::directed_by_properties(o.graph).value_or(true);
  return size;
}

/// The ranks that share this one's machine, and what there is for each: of the machine with the least. Collective.
void look_at_machines(const core::Communicator& comm, const PregelOptions& o, Forecast& f) {
  const auto here = static_cast<std::uint64_t>(comm.split_shared().size());
  const std::uint64_t available = o.memory_limit.value_or(pregel::available_bytes());
  const std::uint64_t share = available / here;
  const std::uint64_t least = core::all_reduce_value(comm, share, core::Reduce::min);
  const std::uint64_t ranks_there =
      core::all_reduce_value(comm, share == least ? here : std::uint64_t{0}, core::Reduce::max);
  f.ranks_here = static_cast<int>(ranks_there);
  f.available = core::all_reduce_value(comm, share == least && here == ranks_there ? available : ~std::uint64_t{0},
                                       core::Reduce::min);
}

std::string gigabytes(std::uint64_t bytes) {
  const double x = static_cast<double>(bytes);
  return x < 1e9 ? fmt::format("{:.0f} MB", x / 1e6) : fmt::format("{:.1f} GB", x / 1e9);
}
std::string seconds_of(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// The rows of gcn, of each of `vertices` on a rank: before and after a layer, a block of messages, and the result.
std::uint64_t row_bytes(const std::vector<const AlgorithmChoice*>& choices, std::uint64_t vertices) {
  constexpr std::uint64_t kRows = 4;
  std::uint64_t widest = 0;
  for (const AlgorithmChoice* choice : choices) {
    if (choice->algorithm == "gcn") widest = std::max(widest, algorithm_options_of(*choice).width);
  }
  return kRows * widest * sizeof(double) * vertices;
}

} // namespace

std::uint64_t MemoryForecast::peak() const noexcept {
  return process + std::max(loading, graphs + values + messages);
}

Forecast forecast(const core::Communicator& comm, const PregelOptions& o, const std::vector<GraphUser>& users) {
  Forecast f;
  f.size = size_of_input(comm, o, f.directed);
  pregel::BuildOptions build;
  build.directed = f.directed;
  const bool cleans_itself = !o.generate.empty() && o.self_loops == "auto" && o.multi_edges == "auto" &&
                             pregel::parse_generator(o.generate).default_multi_edges() == pregel::MultiEdges::drop;
  if (cleans_itself) {
    build.self_loops = pregel::SelfLoops::drop;
    build.multi_edges = pregel::MultiEdges::drop;
  }
  const std::vector<pregel::GraphNeeds> plan = plan_graphs(users, build, f.size.weighted).needs;
  f.graphs = plan.size();
  f.ranks = comm.size();
  f.threads = o.threads;
  f.memory = memory_of(f.size, f.directed, plan, f.ranks);
  const std::vector<const AlgorithmChoice*> choices = o.choices();
  f.memory.values += row_bytes(choices, f.size.vertices / static_cast<std::uint64_t>(f.ranks));
  look_at_machines(comm, o, f);

  const auto machine = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const double busy = std::min(1.0, static_cast<double>(machine) / (f.ranks_here * f.threads));
  const double cores = f.ranks * f.threads * busy;
  f.load_seconds = kLoadNanoseconds * 1e-9 * static_cast<double>(f.size.edges) / cores;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const double arcs = shares_of(f.size, users[i].needs, f.directed, 1).arcs;
    f.runs.push_back(time_of(*choices[i], f.size.vertices, arcs, cores));
  }
  return f;
}

std::vector<std::string> lines_of(const Forecast& f) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("graph: {}{} vertices, {}{} edges listed, {}{} (from {})", f.size.exact ? "" : "about ",
                              f.size.vertices, f.size.exact ? "" : "about ", f.size.edges,
                              f.directed ? "directed" : "undirected", f.size.weighted ? ", weighted" : "",
                              f.size.source));
  lines.push_back(fmt::format("memory of a rank: at most {} at once", gigabytes(f.memory.peak())));
  lines.push_back(fmt::format("  loading   {:>9}", gigabytes(f.memory.loading)));
  lines.push_back(fmt::format("  graph     {:>9}{}", gigabytes(f.memory.graphs),
                              f.graphs > 1 ? fmt::format("  ({} graphs)", f.graphs) : ""));
  lines.push_back(fmt::format("  values    {:>9}", gigabytes(f.memory.values)));
  lines.push_back(fmt::format("  messages  {:>9}", gigabytes(f.memory.messages)));
  lines.push_back(fmt::format("  process   {:>9}", gigabytes(f.memory.process)));
  lines.push_back(fmt::format("memory of a machine: {} for {} rank{}, {} available",
                              gigabytes(f.memory.peak() * static_cast<std::uint64_t>(f.ranks_here)), f.ranks_here,
                              f.ranks_here == 1 ? "" : "s", gigabytes(f.available)));
  lines.push_back(fmt::format("time on {} rank{} x {} thread{}, if every core is free and nothing goes over a network:",
                              f.ranks, f.ranks == 1 ? "" : "s", f.threads, f.threads == 1 ? "" : "s"));
  lines.push_back(
      fmt::format("  load         {:>8}  ({:.0f} ns of a core an edge)", seconds_of(f.load_seconds), kLoadNanoseconds));
  for (const TimeForecast& run : f.runs) {
    lines.push_back(run.seconds
                        ? fmt::format("  {:<12} {:>8}  ({})", run.algorithm, seconds_of(*run.seconds), run.assumption)
                        : fmt::format("  {:<12} {:>8}  (depends on more than the size)", run.algorithm, "?"));
  }
  return lines;
}

void require_memory(const core::Communicator& comm, const PregelOptions& o, const std::vector<GraphUser>& users) {
  if (!o.generate.empty()) pregel::require_room_for(comm, pregel::parse_generator(o.generate));
  Forecast f;
  try {
    f = forecast(comm, o, users);
  } catch (const core::InputError&) { // on all ranks; the reader is about to say the same, with the line
    return;
  }
  const double surely = f.size.exact ? kSurelyExact : kSurelySampled;
  const std::uint64_t needed = f.memory.peak() * static_cast<std::uint64_t>(f.ranks_here);
  if (static_cast<double>(needed) * surely <= static_cast<double>(f.available)) return;
  core::InputError error(fmt::format(
      "{} vertices and {} edges take about {} on {} rank{} of a machine that has {} available; take more machines, or "
      "--memory-limit off to try",
      f.size.vertices, f.size.edges, gigabytes(needed), f.ranks_here, f.ranks_here == 1 ? "" : "s",
      gigabytes(f.available)));
  error.set_rank(0); // all ranks know
  throw error;
}

} // namespace drivers
