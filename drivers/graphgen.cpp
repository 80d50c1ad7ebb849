// graphgen SPEC --output FILE writes a generated graph, in the format that the file's name tells. The file is the graph
// that `pregel ALGORITHM --generate SPEC` works on, cleaned in the same way.
//
// graphgen --convert IN OUT writes the graph of a file in another format, cleaned and prepared as the options say.
//
// In both cases the bytes do not depend on the number of ranks.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_line.hpp"
#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/clock.hpp"
#include "core/runtime.hpp"
#include "core/thread_team.hpp"
#include "graph_file_options.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/graph_writer.hpp"
#include "pregel/prepare/prepare.hpp"

namespace {

struct Options : drivers::GraphFileOptions {
  std::string spec, output, to = "auto";
  std::vector<std::string> convert; // nothing, or what to read and what to write
  std::optional<std::string> vertex_output;
  bool quiet = false;
  int threads = 1;

  [[nodiscard]] const std::string& target() const { return convert.empty() ? output : convert[1]; }
  /// To write. InputError for names of compressed files.
  [[nodiscard]] pregel::GraphFormat target_format() const {
    return to == "auto" ? pregel::format_to_write(target()) : pregel::parse_graph_format(to);
  }
};

constexpr const char* kDescription =
    "Writes a generated graph, or with --convert the graph of a file. The name of the file written tells the format;\n"
    "names that tell nothing get `u v` or `u v weight` a line, ascending, undirected edges once (u <= v).\n"
    "SPEC is one of\n"
    "  kron:scale=S[,degree=16][,a=.57,b=.19,c=.19]   2^S vertices, degree * 2^S edges drawn as in Graph500\n"
    "  er:vertices=N,edges=M | degree=D               M (or N*D) independent random pairs\n"
    "  grid:rows=R,cols=C                             chain:n=N    star:n=N    tree:n=N (binary)\n"
    "  smallworld:n=N,k=K,p=P                         ring of K neighbours, rewired with probability P\n"
    "each with [,seed=1] and [,weights=int|real]. Repeats and loops are dropped where edges are drawn at random.";

void declare(CLI::App& app, Options& options) {
  auto* convert = app.add_option("--convert", options.convert, "IN OUT: read one graph file and write another")
                      ->expected(2)
                      ->check(drivers::not_empty());
  app.add_option("SPEC", options.spec, "what to generate")->excludes(convert);
  app.add_option("--output", options.output, "file to write a generated graph to")->excludes(convert);
  app.add_option("--to", options.to, "format to write (auto: by the file's name)")
      ->check(CLI::IsMember(pregel::graph_format_names()))
      ->capture_default_str();
  drivers::add_graph_file_options(app, options);
  for (const char* option : {"--self-loops", "--multi-edges"})
    app.get_option(option)->expected(0, 1)->default_str("keep"); // as flags they keep
  app.add_option("--vertices", options.vertex_output, "also write all vertices, isolated ones included, an id a line");
  app.add_option("--threads", options.threads, "threads a rank")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_flag("--quiet", options.quiet, "print nothing but errors");
}

/// What is refused before a file is opened. Local.
void check(const Options& options) {
  if (options.convert.empty() && options.spec.empty()) throw core::InputError("SPEC is required, or --convert IN OUT");
  if (options.convert.empty() && options.output.empty()) throw core::InputError("--output is required");
  const pregel::GraphFormat format = options.target_format();
  drivers::check_graph_file_options(options, pregel::numbers_from_one(format));
  const bool describes_file = options.format != "auto" || options.ids != "number" || !options.columns.empty();
  if (options.convert.empty() && (describes_file || options.weighted))
    throw core::InputError("--format, --ids, --columns and --weighted describe files; they go with --convert");
  drivers::require_shared_target(options.target(), "graphs");
  if (options.vertex_output) drivers::require_shared_target(*options.vertex_output, "graphs");
  const std::string source = options.convert.empty() ? "" : options.convert[0], target = options.target();
  const std::string beside_source = drivers::vertex_file_beside(source),
                    beside_target = drivers::vertex_file_beside(target);
  std::string vertices = options.vertex_output.value_or("");
  if (!vertices.empty() && !beside_target.empty() &&
      core::file_identity(vertices) == core::file_identity(beside_target))
    vertices.clear(); // the same list, and no other file
  const drivers::NamedFile inputs[] = {{"IN of --convert", &source}, {"the vertices of IN", &beside_source}};
  const drivers::NamedFile targets[] = {{options.convert.empty() ? "--output" : "OUT", &target},
                                        {"the vertices of OUT", &beside_target},
                                        {"--vertices", &vertices},
                                        {"--old-ids", &options.old_ids}};
  drivers::require_separate_files(inputs, targets);
}

/// The edges, how to build their graph, and what to call it.
struct Source {
  pregel::GraphInput input;
  pregel::BuildOptions build;
  std::string title;
};

/// Collective.
Source generate(const core::Communicator& world, const Options& options, core::ThreadTeam& team) {
  const pregel::GeneratorSpec spec = pregel::parse_generator(options.spec);
  pregel::require_room_for(world, spec);
  Source source;
  source.input = core::agree(world, [&] { return pregel::generate(world, spec, team); });
  source.build.directed = options.asked_direction().value_or(spec.directed);
  drivers::set_policies(options, spec.default_self_loops(), spec.default_multi_edges(), source.build);
  source.build.needs.weights = spec.weights != pregel::WeightKind::none;
  source.title = spec.text;
  return source;
}

/// Collective.
Source read(const core::Communicator& world, const Options& options, core::ThreadTeam& team) {
  const std::string& file = options.convert[0];
  pregel::ReadOptions read = drivers::read_options_of(options, file);
  read.weights_if_declared = true;
  Source source;
  source.input = pregel::read_graph(world, read, team);
  source.build.directed = drivers::direction_of(options, file, source.input);
  drivers::set_policies(options, pregel::SelfLoops::keep, pregel::MultiEdges::keep, source.build);
  source.build.needs.weights = source.input.edges.weighted();
  source.title = std::filesystem::path(file).filename().string();
  return source;
}

core::ExitCode run(const core::Communicator& world, const Options& options) {
  check(options);
  const pregel::GraphFormat format = options.target_format();
  const core::Stopwatch watch;
  core::ThreadTeam team(options.threads);
  Source source = options.convert.empty() ? generate(world, options, team) : read(world, options, team);
  source.build.partition = pregel::PartitionKind::range; // what a rank has is one piece of the file
  source.build.needs.push = false;
  source.build.needs.out_edges = true;
  pregel::OldIds old_ids;
  pregel::GraphInput input = drivers::prepare(world, options, std::move(source.input), source.build.directed, team,
                                              old_ids, pregel::numbers_from_one(format));
  const std::shared_ptr<const pregel::NameDirectory> names = input.names;

  const pregel::DistributedGraph graph = pregel::build_graph(world, std::move(input), source.build);
  const std::string header =
      fmt::format("graphgen {}\nvertices {}\nedges {}\n{}{}", source.title, graph.vertex_count, graph.edge_count,
                  graph.directed ? "directed" : "undirected", graph.weighted ? ", weighted" : "");
  const std::uint64_t bytes = pregel::write_graph(world, graph, names.get(), format, header, options.target());
  if (options.vertex_output) pregel::write_vertex_list(world, graph, *options.vertex_output, names.get());
  if (!options.old_ids.empty()) pregel::write_results(world, old_ids, nullptr, options.old_ids);

  if (world.rank() == 0 && !options.quiet)
    fmt::print("{}: {} vertices, {} edges, {} bytes, {:.2f} s\n", options.target(), graph.vertex_count,
               graph.edge_count, bytes, watch.seconds());
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
