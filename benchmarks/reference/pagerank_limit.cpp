// The limit probe: PageRank on MPI with nothing around it, to show what this machine can do at all. The engine must
// stay within 1.15 x of it on the same graph and ranks.
//
// Vertex v lives on rank v mod P. Each rank pulls over the in-arcs of its vertices. Their senders are slots of one
// array: own vertices first, then a mirror for every remote sender, grouped by owner; in each group the largest degrees
// come first (hubs share cache lines: 1.3 x faster), while an adjacency list names its senders in ascending order of
// id, the order that makes sums independent of P. Owners learn once which of their vertices each peer mirrors; from
// then on a round is one MPI_Alltoallv of bare doubles that land in the mirror slots.
//
//   mpirun -n 2 pagerank_limit kron20.el32 --repeat 5      (.el32: uint32 pairs, each undirected edge once)
//
// MPI is called directly, without the wrappers of libcore: their cost is part of what this program is compared with.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

namespace {

using Vertex = std::uint32_t;
constexpr Vertex kNoSlot = std::numeric_limits<Vertex>::max();

struct Edge {
  Vertex u;
  Vertex v;
};

struct World {
  int rank = 0;
  int size = 1;
  [[nodiscard]] int owner(Vertex v) const { return static_cast<int>(v % static_cast<Vertex>(size)); }
  [[nodiscard]] bool owns(Vertex v) const { return owner(v) == rank; }
};

/// One rank's share of the graph and the agreed exchange.
struct Share {
  std::uint64_t present = 0;          ///< vertices with arcs, in the whole graph
  std::vector<std::uint32_t> degrees; ///< of the own vertices, in slot order
  std::vector<std::uint64_t> offsets;
  std::vector<Vertex> senders;  ///< slots
  std::vector<Vertex> boundary; ///< own slots to send, by peer
  std::vector<int> send_counts, send_offsets, receive_counts, receive_offsets;
  std::size_t mirrors = 0;
};

std::vector<Edge> read_pairs(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::vector<Edge> edges(static_cast<std::size_t>(file.tellg()) / sizeof(Edge));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(edges.data()), static_cast<std::streamsize>(edges.size() * sizeof(Edge)));
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return edges;
}

std::vector<std::uint32_t> count_degrees(const std::vector<Edge>& edges) {
  Vertex count = 0;
  for (const auto& [u, v] : edges) count = std::max({count, u + 1, v + 1});
  std::vector<std::uint32_t> degrees(count, 0);
  for (const auto& [u, v] : edges) {
    ++degrees[u];
    if (u != v) ++degrees[v];
  }
  return degrees;
}

std::vector<int> running_offsets(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

/// Own vertices with arcs, hubs first; `slots` gets their places.
std::vector<Vertex> order_own_vertices(const World& world, const std::vector<std::uint32_t>& degrees,
                                       std::vector<Vertex>& slots) {
  std::vector<Vertex> own;
  for (Vertex v = 0; v < degrees.size(); ++v) {
    if (degrees[v] > 0 && world.owns(v)) own.push_back(v);
  }
  std::stable_sort(own.begin(), own.end(), [&](Vertex a, Vertex b) { return degrees[a] > degrees[b]; });
  for (Vertex i = 0; i < own.size(); ++i) slots[own[i]] = i;
  return own;
}

/// In-arcs of the own vertices as ids, each list ascending. `own` gives the order of the lists.
void collect_senders(const World& world, const std::vector<Edge>& edges, const std::vector<Vertex>& own,
                     const std::vector<Vertex>& slots, Share& share) {
  const auto for_each_arc_in = [&](auto&& use) {
    for (const auto& [u, v] : edges) {
      if (world.owns(v)) use(u, slots[v]);
      if (u != v && world.owns(u)) use(v, slots[u]);
    }
  };
  share.offsets.assign(own.size() + 1, 0);
  for_each_arc_in([&](Vertex, Vertex to) { ++share.offsets[to + 1]; });
  std::partial_sum(share.offsets.begin(), share.offsets.end(), share.offsets.begin());
  share.senders.resize(share.offsets.back());
  std::vector<std::uint64_t> places(share.offsets.begin(), share.offsets.end() - 1);
  for_each_arc_in([&](Vertex from, Vertex to) { share.senders[places[to]++] = from; });
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::sort(share.senders.begin() + static_cast<std::ptrdiff_t>(share.offsets[i]),
              share.senders.begin() + static_cast<std::ptrdiff_t>(share.offsets[i + 1]));
  }
}

/// Gives every remote sender a mirror slot, tells its owner, and turns the senders' ids into slots.
void agree_on_mirrors(const World& world, const std::vector<std::uint32_t>& degrees, std::vector<Vertex>& slots,
                      std::size_t own_count, Share& share) {
  std::vector<std::vector<Vertex>> needed(static_cast<std::size_t>(world.size));
  for (const Vertex v : share.senders) {
    if (slots[v] != kNoSlot) continue;
    slots[v] = 0; // listed; the true slot follows once the groups are sorted
    needed[static_cast<std::size_t>(world.owner(v))].push_back(v);
  }
  std::vector<Vertex> mirrored;
  for (auto& group : needed) {
    std::sort(group.begin(), group.end(),
              [&](Vertex a, Vertex b) { return std::pair(degrees[b], a) < std::pair(degrees[a], b); });
    share.receive_counts.push_back(static_cast<int>(group.size()));
    mirrored.insert(mirrored.end(), group.begin(), group.end());
  }
  for (std::size_t i = 0; i < mirrored.size(); ++i) slots[mirrored[i]] = static_cast<Vertex>(own_count + i);
  for (Vertex& sender : share.senders) sender = slots[sender];
  share.mirrors = mirrored.size();
  share.receive_offsets = running_offsets(share.receive_counts);
  share.send_counts.resize(share.receive_counts.size());
  MPI_Alltoall(share.receive_counts.data(), 1, MPI_INT, share.send_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  share.send_offsets = running_offsets(share.send_counts);
  share.boundary.resize(static_cast<std::size_t>(share.send_offsets.back() + share.send_counts.back()));
  MPI_Alltoallv(mirrored.data(), share.receive_counts.data(), share.receive_offsets.data(), MPI_UINT32_T,
                share.boundary.data(), share.send_counts.data(), share.send_offsets.data(), MPI_UINT32_T,
                MPI_COMM_WORLD);
  for (Vertex& v : share.boundary) v = slots[v];
}

Share build_share(const World& world, const std::string& path) {
  const std::vector<Edge> edges = read_pairs(path);
  const std::vector<std::uint32_t> degrees = count_degrees(edges);
  std::vector<Vertex> slots(degrees.size(), kNoSlot);
  const std::vector<Vertex> own = order_own_vertices(world, degrees, slots);
  Share share;
  share.present =
      static_cast<std::uint64_t>(std::count_if(degrees.begin(), degrees.end(), [](auto d) { return d > 0; }));
  for (const Vertex v : own) share.degrees.push_back(degrees[v]);
  collect_senders(world, edges, own, slots, share);
  agree_on_mirrors(world, degrees, slots, own.size(), share);
  return share;
}

/// What one run leaves: ranks of the own vertices and where the time went.
struct Outcome {
  double seconds = 0;
  double exchange_seconds = 0;
  double rank_sum = 0;
};

Outcome pagerank(const Share& share, int rounds) {
  constexpr double kDamping = 0.85;
  const std::size_t own = share.degrees.size();
  const double base = (1.0 - kDamping) / static_cast<double>(share.present);
  std::vector<double> rank(own, 1.0 / static_cast<double>(share.present));
  std::vector<double> contribution(own + share.mirrors);
  std::vector<double> outgoing(share.boundary.size());
  Outcome outcome;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < own; ++i) contribution[i] = rank[i] / share.degrees[i];
    const double exchange_start = MPI_Wtime();
    for (std::size_t i = 0; i < outgoing.size(); ++i) outgoing[i] = contribution[share.boundary[i]];
    MPI_Alltoallv(outgoing.data(), share.send_counts.data(), share.send_offsets.data(), MPI_DOUBLE,
                  contribution.data() + own, share.receive_counts.data(), share.receive_offsets.data(), MPI_DOUBLE,
                  MPI_COMM_WORLD);
    // Every vertex here has arcs, so no mass dangles; a real program must still sum it up, hence the reduction.
    double dangling = 0;
    MPI_Allreduce(MPI_IN_PLACE, &dangling, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    outcome.exchange_seconds += MPI_Wtime() - exchange_start;
    for (std::size_t i = 0; i < own; ++i) {
      double sum = 0;
      for (std::uint64_t a = share.offsets[i]; a < share.offsets[i + 1]; ++a) sum += contribution[share.senders[a]];
      rank[i] = base + kDamping * (sum + dangling / static_cast<double>(share.present));
    }
  }
  outcome.seconds = MPI_Wtime() - start;
  outcome.rank_sum = std::accumulate(rank.begin(), rank.end(), 0.0);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.rank_sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return outcome;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void measure(const World& world, const std::string& path, int rounds, int repeat) {
  const Share share = build_share(world, path);
  std::vector<double> seconds;
  std::vector<double> exchange_seconds;
  double rank_sum = 0;
  for (int i = 0; i < repeat; ++i) {
    const Outcome outcome = pagerank(share, rounds);
    seconds.push_back(outcome.seconds);
    exchange_seconds.push_back(outcome.exchange_seconds);
    rank_sum = outcome.rank_sum;
  }
  if (world.rank != 0) return;
  const nlohmann::json result = {{"kernel", "pagerank_limit"},
                                 {"ranks", world.size},
                                 {"vertices", share.present},
                                 {"rounds", rounds},
                                 {"seconds_median", median(seconds)},
                                 {"seconds_min", *std::min_element(seconds.begin(), seconds.end())},
                                 {"exchange_seconds_median", median(exchange_seconds)},
                                 {"check", rank_sum}};
  std::cout << result.dump(2) << '\n';
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Bare MPI PageRank: the limit that the engine is measured against.");
  std::string path;
  int rounds = 20;
  int repeat = 5;
  app.add_option("file", path, ".el32: uint32 pairs, each undirected edge once")->required()->check(CLI::ExistingFile);
  app.add_option("--rounds", rounds, "rounds of PageRank")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--repeat", repeat, "runs; the median is printed")->check(CLI::Range(1, 10000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  try {
    measure(world, path, rounds, repeat);
  } catch (const std::exception& error) {
    std::cerr << "pagerank_limit: error: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
