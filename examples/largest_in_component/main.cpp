// Every vertex learns the largest vertex id in its connected component: a complete program on Superstep.
//   mpirun -n RANKS largest_in_component EDGE_LIST RESULT
#include <algorithm>
#include <cstdint>
#include <span>

#include "core/runtime.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/readers.hpp"
#include "pregel/io/results.hpp"

/// A vertex tells its neighbours the largest id it knows, whenever it learns of a larger one. When nobody does, the job
/// ends.
struct LargestInComponent {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static Message combine(Message a, Message b) { return std::max(a, b); }
  static constexpr bool combine_in_any_order = true; // the largest of numbers: order cannot change a bit

  void compute(pregel::Vertex<LargestInComponent>& vertex, std::span<const Message> messages,
               pregel::Context& context) const {
    const bool first = context.superstep() == 0;
    std::uint64_t largest = first ? pregel::number(vertex.id()) : vertex.value();
    for (const Message message : messages) largest = std::max(largest, message);
    if (first || largest > vertex.value()) vertex.send_to_neighbors(largest);
    vertex.value() = largest;
    vertex.vote_to_halt(); // until a message arrives
  }
};

core::ExitCode run(const core::Communicator& world, int argc, char** argv) {
  if (argc != 3) throw core::InputError("usage: largest_in_component EDGE_LIST RESULT");
  core::ThreadTeam team(1);
  const pregel::DistributedGraph graph =
      pregel::build_graph(world, pregel::read_graph(world, {.graph_file = argv[1]}, team), {.directed = false});

  pregel::Engine<LargestInComponent> engine(graph, {}, team, {});
  engine.run();

  pregel::ResultTable table{{}, {{"largest", std::vector<std::uint64_t>{}}}}; // ascending by id
  auto& column = std::get<std::vector<std::uint64_t>>(table.columns[0].values);
  for (const pregel::LocalId v : graph.ascending) {
    table.ids.push_back(graph.id_of(v));
    column.push_back(engine.values()[pregel::index(v)]);
  }
  pregel::write_results(world, table, nullptr, argv[2]);
  return core::ExitCode::success;
}

int main(int argc, char** argv) {
  return core::run_driver("largest_in_component", argc, argv, run);
}
