// Counting the triangles through every vertex. A naive vertex program sends every list of neighbours to every
// neighbour; this is a distributed algorithm on the same graph instead, whose rounds are supersteps of the engine's
// loop, so that traces, checkpoints, faults and metrics work as for any program:
//
//   0            every rank counts its vertices' neighbours and tells the mirrors
//   1            orients the edges (oriented_lists.hpp); sends the lists of round 0
//   2 .. R+1     intersects the lists of round k-2 with its own, sends those of round k-1 (list_exchange.hpp); after
//                the last round sends what it has counted for other ranks' vertices to their owners
//   R+2          all counts are complete
//
// The triangle of u, v, w in the order of the numbers from last to first is found where v lives: u's list names v and
// w, v's list names w. A list that has arrived is marked in an array, and the list of each local v in it is run along
// the marks: no branch, no merge (intersect.hpp).
//
// R = ceil(E / entries_per_round) bounds the memory: a rank holds the lists of one round, and a vertex's list goes to a
// rank once. Counts are integers: their sums do not depend on the order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "intersect.hpp"
#include "list_exchange.hpp"
#include "oriented_lists.hpp"
#include "pregel/engine/superstep_loop.hpp"

namespace pregel {

struct TriangleOptions {
  /// Count for each corner how many edges its opposite side has, 1 or 2, instead of 1: directed graphs that were built
  /// with GraphNeeds::directions.
  bool weigh_sides = false;
  bool mean_clustering = false; ///< aggregate it
  std::uint64_t entries_per_round = std::uint64_t{1} << 22;
};

class TriangleLoop final : public SuperstepLoop {
 public:
  /// `graph` must have all neighbours of a vertex among its arcs: both ways, or undirected. Local.
  TriangleLoop(const DistributedGraph& graph, core::ThreadTeam& team, RunOptions options, TriangleOptions triangles);

  /// By LocalId, after run().
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  /// The local clustering coefficient of a local vertex: edges between its neighbours over d(d-1), each direction
  /// counted. Local.
  [[nodiscard]] double clustering(LocalId v) const;
  /// False if max_supersteps ended the run before the last superstep. The same on every rank.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  SuperstepCounts compute() override;
  ExchangeVolume exchange(bool all_published, bool any_direct) override;
  void discard_messages() override {}
  void begin_superstep() override {}
  void master(MasterContext&) override {}
  [[nodiscard]] bool combining() const noexcept override { return false; }
  TraceDetails trace_details(bool describe_vertices) override;
  [[nodiscard]] const char* why_not_saved() const noexcept override { return nullptr; }
  [[nodiscard]] std::string save_program() const override;
  void load_program(const std::string& bytes) override;
  [[nodiscard]] core::checkpoint::Part save_tables() const override;
  void load_tables(const core::checkpoint::Part& part) override;
  void refill_mirrors(bool all_published) override;

  // Supersteps; all local but the exchanges.
  std::uint64_t count_degrees();
  void choose_rounds();
  void prepare_lists();
  std::uint64_t intersect_round();
  std::uint64_t vertices_with_neighbours() const;
  void aggregate_results();
  void add_triangles(std::uint64_t found);
  ExchangeVolume exchange_degrees();
  ExchangeVolume exchange_counts();

  /// In superstep k the lists of round k-1 leave and those of round k-2 are read.
  [[nodiscard]] bool lists_leave() const noexcept { return superstep_ >= 1 && superstep_ - 1 < rounds_; }
  [[nodiscard]] bool lists_arrived() const noexcept { return superstep_ >= 2 && superstep_ - 2 < rounds_; }
  [[nodiscard]] bool counts_leave() const noexcept { return superstep_ == rounds_ + 1; }
  /// What this rank has counted for a slot and not sent yet.
  [[nodiscard]] std::uint64_t counted(Slot slot) const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> count_deliveries() const;

  TriangleOptions triangles_;
  SumAggregator<std::uint64_t> edge_sum_{}, triangle_sum_{};
  SumAggregator<double> mean_clustering_{};
  core::HugeVector<std::uint32_t> degrees_; // by slot
  std::uint64_t rounds_ = 0;                // zero: not known yet
  OrientedLists lists_;
  std::optional<ListExchange> exchange_;
  std::vector<Intersector> workers_;  // one a thread
  std::vector<std::uint64_t> counts_; // by LocalId: what is settled
  bool complete_ = false;
};

} // namespace pregel
