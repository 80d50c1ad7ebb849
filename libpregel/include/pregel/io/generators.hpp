// Graphs from a formula. Each rank makes its share; the union is the same for every number of ranks and threads because
// every random number is a function of (seed, edge or vertex number).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_input.hpp"

namespace pregel {

enum class GeneratorKind { kronecker, erdos_renyi, grid, chain, star, binary_tree, small_world };
enum class WeightKind { none, integers, reals };

/// Parsed form of "kron:scale=20,degree=16,seed=1,weights=int" and its relatives (docs/generators.md lists all keys).
struct GeneratorSpec {
  GeneratorKind kind{};
  std::string text; ///< as the user wrote it
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;             ///< listed before clean-up
  unsigned scale = 0;                  ///< kron: 2^scale vertices
  double a = 0.57, b = 0.19, c = 0.19; ///< kron: probabilities of the quadrants; the fourth is what is left
  std::uint64_t rows = 0, columns = 0; ///< grid
  std::uint64_t neighbours = 0;        ///< small world: k, even
  double rewire = 0;                   ///< small world: probability
  std::uint64_t seed = 1;
  WeightKind weights = WeightKind::none;
  bool directed = false; ///< what the generator is by nature (none is directed); --directed / --undirected override

  /// kron and er repeat edges and make loops, a rewired small world repeats edges; these are the defaults of clean-up
  /// for this spec.
  [[nodiscard]] SelfLoops default_self_loops() const;
  [[nodiscard]] MultiEdges default_multi_edges() const;
};

/// InputError naming the bad key or value. Local.
[[nodiscard]] GeneratorSpec parse_generator(std::string_view text);

/// Refuses a graph that cannot fit, before time is spent on it: more than 2^32-2 vertices for a rank, or listed edges
/// that alone are larger than a machine's memory and swap. InputError. Collective.
void require_room_for(const core::Communicator& comm, const GeneratorSpec& spec);

/// This rank's share. Weights are functions of (seed, the unordered pair of endpoints), so that repeats agree. Local:
/// of `comm` only rank and size are read. Throws std::bad_alloc, perhaps on one rank only: call it inside core::agree.
[[nodiscard]] GraphInput generate(const core::Communicator& comm, const GeneratorSpec& spec, core::ThreadTeam& team);

} // namespace pregel
