// graphgen SPEC --output FILE: writes a generated graph as an edge list. The file is the graph that
// `pregel ALGORITHM --generate SPEC` works on, cleaned in the same way, and its bytes do not depend on the number of
// ranks.
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_line.hpp"
#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/clock.hpp"
#include "core/runtime.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/graph_writer.hpp"

namespace {

struct Options {
  std::string spec;
  std::string output;
  std::optional<std::string> vertices;
  bool directed = false, undirected = false;
  bool self_loops = false, multi_edges = false;
  bool quiet = false;
  int threads = 1;
};

constexpr const char* kDescription =
    "Writes a generated graph as text: `u v` or `u v weight` a line, ascending, undirected edges once (u <= v).\n"
    "SPEC is one of\n"
    "  kron:scale=S[,degree=16][,a=.57,b=.19,c=.19]   2^S vertices, degree * 2^S edges drawn as in Graph500\n"
    "  er:vertices=N,edges=M | degree=D               M (or N*D) independent random pairs\n"
    "  grid:rows=R,cols=C                             chain:n=N    star:n=N    tree:n=N (binary)\n"
    "  smallworld:n=N,k=K,p=P                         ring of K neighbours, rewired with probability P\n"
    "each with [,seed=1] and [,weights=int|real]. Repeats and loops are dropped where edges are drawn at random.";

void declare(CLI::App& app, Options& options) {
  app.add_option("SPEC", options.spec, "what to generate")->required();
  app.add_option("--output", options.output, "edge list to write")->required();
  app.add_option("--vertices", options.vertices, "also write all vertices, isolated ones included, an id a line");
  auto* directed = app.add_flag("--directed", options.directed, "keep the direction in which edges were drawn");
  app.add_flag("--undirected", options.undirected, "u v and v u are one edge (default)")->excludes(directed);
  app.add_flag("--self-loops", options.self_loops, "keep edges from a vertex to itself");
  app.add_flag("--multi-edges", options.multi_edges, "keep repeated edges");
  app.add_option("--threads", options.threads, "threads a rank")
      ->envname("SLURM_CPUS_PER_TASK")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "print nothing but errors");
}

/// Refused before anything is generated. Local.
void require_target(const std::string& path) {
  core::require_writable_target(path);
  if (!core::is_regular_or_new(path))
    throw core::InputError(fmt::format("cannot write {}: graphs need a regular file, which all ranks write", path));
}

core::ExitCode run(const core::Communicator& world, const Options& options) {
  const pregel::GeneratorSpec spec = pregel::parse_generator(options.spec);
  if (options.output.ends_with(".gz")) throw core::InputError("--output: compressed output is not written, use gzip");
  require_target(options.output);
  if (options.vertices) require_target(*options.vertices);
  if (options.vertices && core::file_identity(*options.vertices) == core::file_identity(options.output))
    throw core::InputError("--vertices and --output name the same file");

  const bool weighted = spec.weights != pregel::WeightKind::none;
  pregel::BuildOptions build;
  build.directed = options.directed || (spec.directed && !options.undirected);
  build.partition = pregel::PartitionKind::range; // what a rank has is one piece of the file
  build.self_loops = options.self_loops ? pregel::SelfLoops::keep : spec.default_self_loops();
  build.multi_edges = options.multi_edges ? pregel::MultiEdges::keep : spec.default_multi_edges();
  build.needs = {.path = pregel::MessagePath::along_edges, .weights = weighted, .push = false, .out_edges = true};

  pregel::require_room_for(world, spec);

  const core::Stopwatch watch;
  core::ThreadTeam team(options.threads);
  pregel::GraphInput input = core::agree(world, [&] { return pregel::generate(world, spec, team); });
  const pregel::DistributedGraph graph = pregel::build_graph(world, std::move(input), build);
  const std::string header =
      fmt::format("graphgen {}\nvertices {}\nedges {}\n{}{}", spec.text, graph.vertex_count, graph.edge_count,
                  build.directed ? "directed" : "undirected", weighted ? ", weighted" : "");
  const std::uint64_t bytes = pregel::write_edge_list(world, graph, header, options.output);
  if (options.vertices) pregel::write_vertex_list(world, graph, *options.vertices);

  if (world.rank() == 0 && !options.quiet)
    fmt::print("{}: {} vertices, {} edges, {} bytes, {:.2f} s\n", options.output, graph.vertex_count, graph.edge_count,
               bytes, watch.seconds());
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("graphgen", argc, argv, [](const core::Communicator& world, int count, char** words) {
    Options options;
    CLI::App app(kDescription, "graphgen");
    declare(app, options);
    if (drivers::answers_itself(app, count, words, world.rank() == 0)) return core::ExitCode::success;
    return run(world, options);
  });
}
