// Communities by label propagation, as LDBC Graphalytics defines it (Raghavan, Albert, Kumara, "Near linear time
// algorithm to detect community structures in large-scale networks", Physical Review E 76, 2007, made synchronous and
// deterministic). Every vertex starts with its id as label; in each round all vertices at once take the label that most
// of their neighbours have, the smallest one where several are equally frequent. The number of rounds is given: on a
// bipartite graph the two sides may exchange their labels for ever.
//
// Neighbours are those of in-edges and of out-edges; one that is both counts twice, and so does every repeat of an
// edge.
//
// No combiner can express "most frequent", so each vertex sees all its labels; the work is in counting them, 31 million
// a round on a Kronecker graph of scale 20. Three things make it fast:
//   - In the first round labels are the senders' ids and arrive in ascending order: runs are counted.
//   - From the second or third round on, more than half of the neighbours of nearly every vertex have one label, and it
//     is the one that the vertex has. Counting that one is a loop without branches, and a majority needs no other
//     count.
//   - The others are counted in an open-addressing table that grows with the number of DIFFERENT labels, stays in the
//     first-level cache for nearly all vertices and is cleared by walking what was used.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modularity.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kDefaultIterations = 10;

/// Counts labels, one vertex after the other.
class LabelHistogram {
 public:
  LabelHistogram() : table_(kSmallest) {}

  /// The most frequent of `labels`, the smallest of those; there must be one.
  [[nodiscard]] GlobalId most_frequent(std::span<const GlobalId> labels) {
    for (const GlobalId label : labels) count(label);
    GlobalId best = kNoVertex;
    std::uint32_t most = 0;
    for (const std::uint32_t position : used_) {
      const Entry& entry = table_[position];
      if (entry.count > most || (entry.count == most && entry.label < best)) {
        best = entry.label;
        most = entry.count;
      }
    }
    for (const std::uint32_t position : used_) table_[position].count = 0;
    used_.clear();
    return best;
  }

 private:
  struct Entry {
    GlobalId label{};
    std::uint32_t count = 0; // zero: free
  };
  static constexpr std::size_t kSmallest = 128;

  void count(GlobalId label) {
    Entry& entry = table_[probe(label)];
    if (entry.count++ != 0) return;
    entry.label = label;
    used_.push_back(static_cast<std::uint32_t>(&entry - table_.data()));
    if (2 * used_.size() > table_.size()) grow();
  }

  /// Where `label` is, or would go.
  [[nodiscard]] std::size_t probe(GlobalId label) const noexcept {
    const int shift = std::countl_zero(table_.size()) + 1;
    std::size_t position = number(label) * 0x9e3779b97f4a7c15ULL >> shift;
    while (table_[position].count != 0 && table_[position].label != label) position = (position + 1) % table_.size();
    return position;
  }

  void grow() {
    std::vector<Entry> entries;
    for (const std::uint32_t position : used_) entries.push_back(table_[position]);
    table_.assign(table_.size() * 2, {});
    used_.clear();
    for (const Entry& entry : entries) {
      const std::size_t position = probe(entry.label);
      table_[position] = entry;
      used_.push_back(static_cast<std::uint32_t>(position));
    }
  }

  std::vector<Entry> table_; // a power of two, at most half full
  std::vector<std::uint32_t> used_;
};

/// The same of ascending labels: equal ones stand together.
GlobalId most_frequent_of_ascending(std::span<const GlobalId> labels) {
  GlobalId best = labels[0];
  std::size_t most = 0;
  for (std::size_t begin = 0, end = 0; begin < labels.size(); begin = end) {
    for (end = begin + 1; end < labels.size() && labels[end] == labels[begin];) ++end;
    if (end - begin <= most) continue;
    best = labels[begin];
    most = end - begin;
  }
  return best;
}

/// `own`: the label most likely to have the majority.
GlobalId most_frequent(std::span<const GlobalId> labels, GlobalId own) {
  std::uint64_t same = 0;
  for (const GlobalId label : labels) same += label == own ? 1 : 0;
  if (2 * same > labels.size()) return own;
  if (labels.size() == 1) return labels[0];
  if (labels.size() == 2) return std::min(labels[0], labels[1]); // equal or a tie
  if (std::ranges::is_sorted(labels)) return most_frequent_of_ascending(labels);
  thread_local LabelHistogram histogram; // scratch: empty between two calls
  return histogram.most_frequent(labels);
}

struct LabelPropagation {
  using Value = GlobalId;
  using Message = GlobalId;
  static constexpr bool always_active = true;

  std::uint64_t iterations;

  void compute(Vertex<LabelPropagation>& vertex, std::span<const Message> labels, Context& context) const {
    if (context.superstep() == 0)
      vertex.value() = vertex.id();
    else if (!labels.empty())
      vertex.value() = most_frequent(labels, vertex.value());
    if (context.superstep() < iterations) vertex.send_to_neighbors(vertex.value());
  }
  void master(MasterContext& context) const {
    if (context.superstep() >= iterations) context.halt();
  }
};

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const LabelPropagation program{options.iterations.value_or(kDefaultIterations)};
  std::optional<double> quality;
  AlgorithmRun result = run_program(graph, team, program, run_options, [&](const auto& labels) {
    quality = modularity(graph, team, labels);
    return std::vector<NamedColumn>{column(graph, "community", labels, [](GlobalId id) { return id; })};
  });
  if (quality) result.report.aggregates.emplace_back("modularity", *quality);
  return result;
}

} // namespace

Algorithm cdlp_algorithm() {
  return {.name = "cdlp",
          .summary = "communities by label propagation, --iterations rounds (10); aggregate `modularity`",
          .options = {"--iterations"},
          .result = ResultKind::groups,
          .needs =
              [](const AlgorithmOptions&) {
                // Directions are not read: they keep u v and v u apart when repeated edges are dropped.
                return GraphNeeds{.path = MessagePath::both_ways, .directions = true, .push = false};
              },
          .run = run};
}

} // namespace pregel
