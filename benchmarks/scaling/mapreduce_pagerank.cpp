// PageRank as a chain of MapReduce jobs: what a graph costs when its state goes through the disk in every round.
//
//   mpirun -n P mapreduce_pagerank --generate kron:scale=16 --iterations 10 --directory DIR [--output FILE] [--metrics
//   FILE]
//
// A round is one job (Dean, Ghemawat, OSDI 2004; PageRank on it: Lin, Schatz, MLG 2010). Map reads the rank's file of
// vertices (id, rank, neighbours), writes each neighbour's contribution into the shuffle file of its owner, and the
// neighbours themselves into the next round's file, because a job keeps nothing in memory. After the barrier reduce
// reads the shuffle files that are meant for it, sorts them by vertex, adds up, and writes the new file of vertices.
// Contributions are combined before they are written where they meet in a buffer of a million (`--combine off`: never).
// Files are ordinary ones in DIR, so that they may stay in the system's cache: this is the kind case. Mass of vertices
// without neighbours is a counter of the job. Same update as `pregel pagerank --iterations N`, up to rounding.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/metrics.hpp"
#include "core/runtime.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/generators.hpp"

namespace {

constexpr double kDamping = 0.85;

struct Options {
  std::string generate, directory, output, metrics;
  std::uint64_t iterations = 10;
  bool combine = true;
};

/// A binary file of one rank, through a buffer of a megabyte.
class File {
 public:
  File(const std::string& path, const char* mode) : path_(path), file_(std::fopen(path.c_str(), mode)) {
    if (!file_) throw core::InputError("cannot open " + path);
    std::setvbuf(file_.get(), nullptr, _IOFBF, 1 << 20);
  }
  template <class T>
  void write(const T* items, std::size_t count) {
    if (std::fwrite(items, sizeof(T), count, file_.get()) != count) throw core::Error("cannot write " + path_);
    bytes_ += count * sizeof(T);
  }
  /// False at the end.
  template <class T>
  bool read(T* items, std::size_t count) {
    bytes_ += count * sizeof(T);
    return std::fread(items, sizeof(T), count, file_.get()) == count;
  }
  void close() {
    if (std::fclose(file_.release()) != 0) throw core::Error("cannot write " + path_);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
};

struct Contribution {
  std::uint64_t vertex;
  double value;
};

struct Vertex {
  std::uint64_t id = 0;
  double rank = 0;
  std::vector<std::uint64_t> neighbours;

  bool read(File& file) {
    std::uint64_t degree = 0;
    if (!file.read(&id, 1) || !file.read(&rank, 1) || !file.read(&degree, 1)) return false;
    neighbours.resize(degree);
    return degree == 0 || file.read(neighbours.data(), degree);
  }
  void write(File& file) const {
    const std::uint64_t degree = neighbours.size();
    file.write(&id, 1);
    file.write(&rank, 1);
    file.write(&degree, 1);
    file.write(neighbours.data(), degree);
  }
};

void add_up(std::vector<Contribution>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Contribution& a, const Contribution& b) { return a.vertex < b.vertex; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (kept > 0 && list[kept - 1].vertex == list[i].vertex)
      list[kept - 1].value += list[i].value;
    else
      list[kept++] = list[i];
  }
  list.resize(kept);
}

/// One rank's part of the chain of jobs.
class Chain {
 public:
  Chain(const core::Communicator& comm, const Options& options) : comm_(comm), options_(options) {}

  void write_graph(const pregel::DistributedGraph& graph) {
    vertices_ = graph.vertex_count;
    partitioner_ = graph.partitioner;
    File file(state(), "wb");
    Vertex vertex;
    for (const pregel::LocalId v : graph.ascending) {
      vertex.id = pregel::number(graph.id_of(v));
      vertex.rank = 1.0 / static_cast<double>(vertices_);
      vertex.neighbours.clear();
      for (const pregel::GlobalId target : graph.out_edges.row(pregel::index(v)))
        vertex.neighbours.push_back(pregel::number(target));
      vertex.write(file);
    }
    file.close();
  }

  void round() {
    core::agree(comm_, [&] { map(); });
    const double dangling = core::all_reduce_value(comm_, dangling_, core::Reduce::sum);
    core::agree(comm_, [&] { reduce(dangling); });
    std::filesystem::rename(next(), state());
    core::barrier(comm_);
  }

  /// Ranks in this part, ascending by id.
  [[nodiscard]] std::vector<Contribution> ranks() {
    std::vector<Contribution> found;
    File file(state(), "rb");
    for (Vertex vertex; vertex.read(file);) found.push_back({vertex.id, vertex.rank});
    return found;
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t kBuffered = std::size_t{1} << 20;

  [[nodiscard]] std::string path(const std::string& name) const { return options_.directory + "/" + name; }
  [[nodiscard]] std::string state() const { return path(fmt::format("vertices-{}", comm_.rank())); }
  [[nodiscard]] std::string next() const { return state() + ".next"; }
  [[nodiscard]] std::string structure() const { return path(fmt::format("structure-{}", comm_.rank())); }
  [[nodiscard]] std::string shuffle(int from, int to) const { return path(fmt::format("shuffle-{}-{}", from, to)); }

  void map() {
    const auto ranks = static_cast<std::size_t>(comm_.size());
    File input(state(), "rb"), kept(structure(), "wb");
    std::vector<File> files;
    for (int to = 0; to < comm_.size(); ++to) files.emplace_back(shuffle(comm_.rank(), to), "wb");
    std::vector<std::vector<Contribution>> buffers(ranks);
    const auto flush = [&](std::size_t to) {
      if (options_.combine) add_up(buffers[to]);
      files[to].write(buffers[to].data(), buffers[to].size());
      buffers[to].clear();
    };
    dangling_ = 0;
    for (Vertex vertex; vertex.read(input);) {
      vertex.write(kept);
      if (vertex.neighbours.empty()) dangling_ += vertex.rank;
      const double share = vertex.rank / static_cast<double>(vertex.neighbours.size());
      for (const std::uint64_t neighbour : vertex.neighbours) {
        const auto to = static_cast<std::size_t>(partitioner_.owner(pregel::GlobalId{neighbour}));
        buffers[to].push_back({neighbour, share});
        if (buffers[to].size() == kBuffered) flush(to);
      }
    }
    for (std::size_t to = 0; to < ranks; ++to) {
      flush(to);
      bytes_ += files[to].bytes();
      files[to].close();
    }
    bytes_ += input.bytes() + kept.bytes();
    kept.close();
  }

  void reduce(double dangling) {
    std::vector<Contribution> received;
    for (int from = 0; from < comm_.size(); ++from) {
      File file(shuffle(from, comm_.rank()), "rb");
      for (Contribution item; file.read(&item, 1);) received.push_back(item);
      bytes_ += file.bytes();
    }
    add_up(received);
    const auto n = static_cast<double>(vertices_);
    File kept(structure(), "rb"), output(next(), "wb");
    auto sum = received.begin();
    for (Vertex vertex; vertex.read(kept);) {
      while (sum != received.end() && sum->vertex < vertex.id) ++sum;
      const double incoming = sum != received.end() && sum->vertex == vertex.id ? sum->value : 0;
      vertex.rank = (1 - kDamping) / n + kDamping * (incoming + dangling / n);
      vertex.write(output);
    }
    bytes_ += kept.bytes() + output.bytes();
    output.close();
  }

  const core::Communicator& comm_;
  const Options& options_;
  std::uint64_t vertices_ = 0, bytes_ = 0;
  pregel::Partitioner partitioner_ = pregel::Partitioner::hash(1);
  double dangling_ = 0;
};

pregel::DistributedGraph build(const core::Communicator& world, const std::string& text) {
  core::ThreadTeam team(1);
  const pregel::GeneratorSpec spec = pregel::parse_generator(text);
  pregel::BuildOptions build;
  build.directed = spec.directed;
  build.self_loops = spec.default_self_loops();
  build.multi_edges = spec.default_multi_edges();
  build.needs.out_edges = true;
  return pregel::build_graph(world, pregel::generate(world, spec, team), build, team);
}

core::ExitCode run(const core::Communicator& world, const Options& options) {
  core::agree(world, [&] { std::filesystem::create_directories(options.directory); });
  Chain chain(world, options);
  const pregel::DistributedGraph graph = build(world, options.generate);
  core::agree(world, [&] { chain.write_graph(graph); });
  core::barrier(world);
  const core::Stopwatch watch;
  for (std::uint64_t k = 0; k < options.iterations; ++k) chain.round();
  const double seconds = core::all_reduce_value(world, watch.seconds(), core::Reduce::max);
  const std::uint64_t bytes = core::all_reduce_value(world, chain.bytes(), core::Reduce::sum);
  if (world.rank() == 0)
    fmt::print("{} rounds through the disk: {:.3f} s, {:.1f} MB read and written\n", options.iterations, seconds,
               static_cast<double>(bytes) / 1e6);
  core::agree(world, [&] {
    if (!options.output.empty()) { // a part a rank: FILE.RANK
      const std::string part = fmt::format("{}.{}", options.output, world.rank());
      const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "w"), &std::fclose);
      if (!file) throw core::InputError("cannot open " + part);
      for (const Contribution& vertex : chain.ranks())
        fmt::print(file.get(), "{} {:.17g}\n", vertex.vertex, vertex.value);
    }
    if (!options.metrics.empty() && world.rank() == 0)
      core::write_json(options.metrics, {{"run_seconds", seconds},
                                         {"iterations", options.iterations},
                                         {"ranks", world.size()},
                                         {"vertices", graph.vertex_count},
                                         {"edges", graph.edge_count},
                                         {"bytes", bytes}});
  });
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver(
      "mapreduce_pagerank", argc, argv, [](const core::Communicator& world, int count, char** words) {
        Options options;
        std::string combine = "on";
        CLI::App app("PageRank as a chain of MapReduce jobs, to compare with pregel pagerank", "mapreduce_pagerank");
        app.add_option("--generate", options.generate, "the graph, as pregel takes it")->required();
        app.add_option("--iterations", options.iterations, "rounds")
            ->check(drivers::whole_number())
            ->capture_default_str();
        app.add_option("--directory", options.directory, "where the files of each round go")->required();
        app.add_option("--combine", combine, "on, or off")->check(CLI::IsMember({"on", "off"}))->capture_default_str();
        app.add_option("--output", options.output, "ranks as text, a part FILE.RANK each");
        app.add_option("--metrics", options.metrics, "JSON");
        if (drivers::answers_itself(app, count, words, world.rank() == 0)) return core::ExitCode::success;
        options.combine = combine == "on";
        return run(world, options);
      });
}
