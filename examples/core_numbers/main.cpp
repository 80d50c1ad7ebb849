// The core number of every vertex: the largest k such that it belongs to a subgraph in which all have k neighbours or
// more. Found by peeling: at level k vertices with at most k neighbours leave, which may make others leave; when nobody
// leaves any more, the level rises to the smallest number of neighbours that is left. Shows aggregators, master(), and
// how a program survives: with a directory for checkpoints it goes on from the last one when it is started again, and
// under `mpirun --with-ft ulfm` (Open MPI 5) by itself.
//   mpirun -n RANKS core_numbers EDGE_LIST RESULT [CHECKPOINTS]
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>

#include "pregel/pregel.hpp"

struct CoreNumbers {
  struct Value {
    std::uint64_t neighbours = 0; ///< that have not left
    std::uint64_t core = 0;       ///< the level at which it left
    bool left = false;
  };
  using Message = std::uint64_t; // how many neighbours have left
  static Message combine(Message a, Message b) { return a + b; }
  static constexpr bool combine_in_any_order = true; // integers: order cannot change a bit

  std::uint64_t level = 0; // each rank has a copy; master() changes all of them alike
  pregel::CountAggregator leaving;
  pregel::MinAggregator<std::uint64_t> fewest;

  void declare(pregel::AggregatorRegistry& registry) {
    leaving = registry.count("leaving");
    fewest = registry.min<std::uint64_t>("fewest");
  }

  void compute(pregel::Vertex<CoreNumbers>& vertex, std::span<const Message> messages, pregel::Context& context) const {
    Value& value = vertex.value();
    if (context.superstep() == 0) value.neighbours = vertex.degree();
    for (const Message gone : messages) value.neighbours -= std::min(gone, value.neighbours);
    if (!value.left && value.neighbours <= level) {
      value.left = true;
      value.core = level;
      vertex.send_to_neighbors(1);
      context.aggregate(leaving, 1);
    }
    if (value.left) {
      vertex.vote_to_halt(); // when all have, the job ends
    } else {
      context.aggregate(fewest, value.neighbours);
    }
  }

  void master(pregel::MasterContext& context) {
    if (context.aggregated(leaving)) return; // their neighbours do not know yet
    if (const auto smallest = context.aggregated(fewest)) level = *smallest;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) { // what master() changes is part of a checkpoint
    archive& level;
  }
};

void attempt(const core::Communicator& world, char** argv, pregel::Checkpointer* checkpoints) {
  core::ThreadTeam team(1);
  pregel::BuildOptions options;
  options.directed = false;
  options.self_loops = pregel::SelfLoops::drop;   // a vertex is not its own neighbour,
  options.multi_edges = pregel::MultiEdges::drop; // and nobody is a neighbour twice
  const pregel::DistributedGraph graph =
      pregel::build_graph(world, pregel::read_graph(world, {.graph_file = argv[1]}, team), options);

  pregel::RunOptions run_options;
  run_options.checkpointer = checkpoints;
  pregel::Engine<CoreNumbers> engine(graph, {}, team, run_options);
  const pregel::RunReport report = engine.run();
  if (world.rank() == 0) {
    std::cout << "largest core number " << engine.program().level << ", " << report.supersteps() << " supersteps\n";
  }

  pregel::ResultTable table{{}, {{"core", std::vector<std::uint64_t>{}}}}; // ascending by id
  auto& column = std::get<std::vector<std::uint64_t>>(table.columns[0].values);
  for (const pregel::LocalId v : graph.ascending) {
    table.ids.push_back(graph.id_of(v));
    column.push_back(engine.values()[pregel::index(v)].core);
  }
  pregel::write_results(world, table, nullptr, argv[2]);
}

core::ExitCode run(core::Session& session, int argc, char** argv) {
  if (argc != 3 && argc != 4) throw core::InputError("usage: core_numbers EDGE_LIST RESULT [CHECKPOINTS]");
  const std::string directory = argc == 4 ? argv[3] : "";
  pregel::JobCheckpoints checkpoints({.directory = directory, .every = 2, .resume = true},
                                     {{"program", "core_numbers"}});
  if (!directory.empty()) checkpoints.prepare(session.world());
  std::uint64_t attempts = 0;
  session.until_completed(
      [&] { // again, on the ranks that are left, when one has died
        checkpoints.begin_attempt(session.world(), attempts);
        attempt(session.world(), argv, directory.empty() ? nullptr : &checkpoints);
      },
      [&](const core::Loss&) { ++attempts; });
  return core::ExitCode::success;
}

int main(int argc, char** argv) {
  return core::run_session("core_numbers", argc, argv, run);
}
