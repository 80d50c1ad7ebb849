#include "triangle_loop.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "../thread_blocks.hpp"
#include "core/checkpoint/table.hpp"
#include "core/collectives.hpp"
#include "pregel/engine/trace.hpp"
#include "pregel/error.hpp"

namespace pregel {

using core::checkpoint::Part;
using core::checkpoint::Table;

TriangleLoop::TriangleLoop(const DistributedGraph& graph, core::ThreadTeam& team, RunOptions options,
                           TriangleOptions triangles)
    : SuperstepLoop(graph, team, std::move(options)), triangles_(triangles), counts_(graph.local_count, 0) {
  AggregatorRegistry registry;
  edge_sum_ = registry.sum<std::uint64_t>("simple_edges");
  triangle_sum_ = registry.sum<std::uint64_t>("triangles");
  if (triangles_.mean_clustering) mean_clustering_ = registry.sum<double>("mean_clustering");
  board_ = AggregatorBoard(registry.declarations(), 1);
}

double TriangleLoop::clustering(LocalId v) const {
  const double d = degrees_.empty() ? 0 : degrees_[index(v)];
  if (d < 2) return 0;
  const auto between = static_cast<double>(triangles_.weigh_sides ? counts_[index(v)] : 2 * counts_[index(v)]);
  return between / (d * (d - 1));
}

// ---- supersteps ---------------------------------------------------------------------------------------------------

SuperstepCounts TriangleLoop::compute() {
  SuperstepCounts counts;
  counts.computed = graph_.local_count;
  counts.still_active = graph_.local_count;
  mode_ = superstep_ == 0 ? FoldMode::none : FoldMode::list;
  std::uint64_t found = 0;
  if (superstep_ == 0) {
    counts.sent = count_degrees();
  } else if (superstep_ == 1) {
    choose_rounds();
    prepare_lists();
  }
  if (lists_arrived()) found = intersect_round();
  if (lists_leave()) {
    exchange_->pack(superstep_ - 1, rounds_);
    counts.sent = exchange_->entries();
  }
  if (superstep_ > 0 && counts_leave()) counts.sent = vertices_with_neighbours();
  if (superstep_ > 0 && superstep_ == rounds_ + 2) {
    counts.still_active = 0;
    aggregate_results();
  }
  add_triangles(found);
  return counts;
}

/// Returns how many neighbours will be told.
std::uint64_t TriangleLoop::count_degrees() {
  degrees_ = count_neighbours(graph_, team_);
  const std::uint64_t sum = std::accumulate(degrees_.begin(), degrees_.end(), std::uint64_t{0});
  // Each edge has two ends, which may be on two ranks: what is summed is twice the number of edges.
  board_.of_thread(0)[edge_sum_.index].feed<std::uint64_t, AggregateKind::sum>(sum);
  return sum;
}

void TriangleLoop::choose_rounds() {
  const std::uint64_t ends = board_.reduced(edge_sum_.index).value<std::uint64_t, AggregateKind::sum>().value_or(0);
  rounds_ = std::max<std::uint64_t>(1, (ends / 2 + triangles_.entries_per_round - 1) / triangles_.entries_per_round);
  // From here on the aggregate is the number of edges.
  if (graph_.comm->rank() == 0) board_.of_thread(0)[edge_sum_.index].feed<std::uint64_t, AggregateKind::sum>(ends / 2);
}

void TriangleLoop::prepare_lists() {
  lists_ = orient(graph_, degrees_, triangles_.weigh_sides, team_);
  exchange_.emplace(graph_, lists_);
  workers_.clear();
  for (int t = 0; t < team_.size(); ++t) workers_.emplace_back(lists_);
}

/// Returns the number of triangles found.
std::uint64_t TriangleLoop::intersect_round() {
  constexpr std::size_t kListsPerBlock = 64;
  std::vector<std::uint64_t> found(workers_.size(), 0);
  for_blocks(team_, exchange_->size(), kListsPerBlock, [&](int thread, std::size_t begin, std::size_t end) {
    Intersector& worker = workers_[static_cast<std::size_t>(thread)];
    std::uint64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      exchange_->read(i, worker.scratch);
      sum += worker.intersect(worker.scratch);
    }
    found[static_cast<std::size_t>(thread)] += sum;
  });
  exchange_->clear();
  return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
}

std::uint64_t TriangleLoop::vertices_with_neighbours() const {
  return static_cast<std::uint64_t>(
      std::count_if(degrees_.begin(), degrees_.begin() + graph_.local_count, [](std::uint32_t d) { return d > 0; }));
}

/// The aggregate is a running total: rank 0 feeds what it was again.
void TriangleLoop::add_triangles(std::uint64_t found) {
  if (graph_.comm->rank() == 0)
    found += board_.reduced(triangle_sum_.index).value<std::uint64_t, AggregateKind::sum>().value_or(0);
  board_.of_thread(0)[triangle_sum_.index].feed<std::uint64_t, AggregateKind::sum>(found);
}

void TriangleLoop::aggregate_results() {
  complete_ = true;
  if (!triangles_.mean_clustering) return;
  const auto n = static_cast<double>(graph_.vertex_count);
  for (std::uint32_t v = 0; v < graph_.local_count; ++v)
    board_.of_thread(0)[mean_clustering_.index].feed<double, AggregateKind::sum>(clustering(LocalId{v}) / n);
}

ExchangeVolume TriangleLoop::exchange(bool, bool) {
  if (superstep_ == 0) return exchange_degrees();
  return counts_leave() ? exchange_counts() : exchange_->exchange();
}

ExchangeVolume TriangleLoop::exchange_degrees() {
  BoundaryExchange boundary(graph_, sizeof(std::uint32_t));
  VertexSet everybody;
  return boundary.exchange(reinterpret_cast<std::byte*>(degrees_.data()), everybody, true);
}

/// Counts of mirrors go the way back on which messages come.
ExchangeVolume TriangleLoop::exchange_counts() {
  const ExchangePlan& plan = graph_.plan;
  const auto ranks = static_cast<std::size_t>(graph_.comm->size());
  std::vector<std::uint64_t> send(graph_.slot_count() - graph_.local_count);
  for (std::uint32_t m = 0; m < send.size(); ++m) send[m] = counted(Slot{graph_.local_count + m});
  for (std::uint32_t v = 0; v < graph_.local_count; ++v) counts_[v] += counted(Slot{v});
  for (Intersector& worker : workers_) worker.forget_counts();

  std::vector<std::size_t> lengths;
  for (std::size_t p = 0; p < ranks; ++p) lengths.push_back(plan.receive_offsets[p + 1] - plan.receive_offsets[p]);
  core::ExchangeCounts counts;
  counts.update(*graph_.comm, lengths);
  std::vector<std::uint64_t> received(counts.receive_total);
  core::all_to_all_varying(*graph_.comm, send.data(), received.data(), counts);
  for (std::size_t i = 0; i < received.size(); ++i) counts_[index(plan.send_vertices[i])] += received[i];
  return {send.size(), send.size() * sizeof(std::uint64_t)};
}

std::uint64_t TriangleLoop::counted(Slot slot) const noexcept {
  std::uint64_t sum = 0;
  for (const Intersector& worker : workers_) sum += worker.counted(lists_.number_of_slot[index(slot)]);
  return sum;
}

// ---- trace --------------------------------------------------------------------------------------------------------

/// Messages that reached each local vertex at this barrier: degrees, lists that name it, or its count.
std::vector<std::uint64_t> TriangleLoop::count_deliveries() const {
  std::vector<std::uint64_t> delivered(graph_.local_count, 0);
  if (lists_leave()) {
    NumberedList list;
    for (std::size_t i = 0; i < exchange_->size(); ++i) {
      exchange_->read(i, list);
      for (const std::uint32_t x : list.entries) {
        const Slot slot = lists_.slot_of_number[x];
        if (index(slot) < graph_.local_count) ++delivered[index(slot)];
      }
    }
  } else if (superstep_ == 0 || counts_leave()) {
    for (std::uint32_t v = 0; v < graph_.local_count; ++v)
      delivered[v] = superstep_ == 0 ? degrees_[v] : std::min(degrees_[v], 1U);
  }
  return delivered;
}

TraceDetails TriangleLoop::trace_details(bool describe_vertices) {
  TraceDetails details;
  const std::vector<std::uint64_t> delivered = count_deliveries();
  details.delivered = std::accumulate(delivered.begin(), delivered.end(), std::uint64_t{0});
  if (!describe_vertices) return details;
  for (const LocalId v : graph_.ascending) {
    // Until the end counts are spread over ranks.
    std::string value = "0";
    if (complete_) value = triangles_.mean_clustering ? trace_text(clustering(v)) : trace_text(counts_[index(v)]);
    details.vertices.push_back({graph_.id_of(v), true, delivered[index(v)], value, ""});
  }
  return details;
}

// ---- checkpoints --------------------------------------------------------------------------------------------------

std::string TriangleLoop::save_program() const {
  return std::to_string(rounds_);
}

void TriangleLoop::load_program(const std::string& bytes) {
  rounds_ = std::stoull(bytes);
}

/// A row a vertex with what this rank has counted for its own, and as a message what it has counted for a mirror. The
/// lists under way are not saved: they are made again.
Part TriangleLoop::save_tables() const {
  const bool counting = !workers_.empty();
  std::vector<std::uint64_t> counts = counts_;
  std::vector<GlobalId> targets;
  std::vector<std::uint64_t> owed;
  for (std::uint32_t s = 0; counting && s < graph_.slot_count(); ++s) {
    const std::uint64_t count = counted(Slot{s});
    if (s < graph_.local_count) {
      counts[s] += count;
    } else if (count != 0) {
      targets.push_back(graph_.slot_ids[s]);
      owed.push_back(count);
    }
  }
  Table vertices("vertices", graph_.local_count);
  vertices.add<GlobalId>("id", std::span<const GlobalId>(graph_.slot_ids.data(), graph_.local_count));
  vertices.add<std::uint64_t>("count", counts);
  Table messages("messages", 0);
  messages.add<GlobalId>("sender", {});
  Table direct("direct", targets.size());
  direct.add<GlobalId>("target", targets);
  direct.add<std::uint64_t>("count", owed);
  Part part;
  part.push_back(std::move(vertices));
  part.push_back(std::move(messages));
  part.push_back(std::move(direct));
  return part;
}

void TriangleLoop::load_tables(const Part& part) {
  const auto add = [&](const Table& table, const char* key) {
    const std::span<const GlobalId> ids = table.column<GlobalId>(key);
    const std::span<const std::uint64_t> counts = table.column<std::uint64_t>("count");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::optional<LocalId> v = graph_.find(ids[i]);
      if (!v)
        throw GraphError("the checkpoint has vertex " + std::to_string(number(ids[i])) + ", which the graph lacks");
      counts_[index(*v)] += counts[i];
    }
  };
  std::ranges::fill(counts_, 0);
  add(core::checkpoint::require_table(part, "vertices"), "id");
  add(core::checkpoint::require_table(part, "direct"), "target");
}

/// Degrees and lists again, and the lists that were under way.
void TriangleLoop::refill_mirrors(bool) {
  if (superstep_ == 0) return;
  core::agree(*graph_.comm, [&] { degrees_ = count_neighbours(graph_, team_); });
  (void)exchange_degrees();
  if (superstep_ == 1) return;
  core::agree(*graph_.comm, [&] {
    prepare_lists();
    if (lists_arrived()) exchange_->pack(superstep_ - 2, rounds_);
  });
  if (lists_arrived()) (void)exchange_->exchange();
}

} // namespace pregel
