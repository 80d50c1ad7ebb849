// Layers of graph neural networks, forwards: every vertex has a row of features, and a layer makes a new one from its
// own and its neighbours'.
// - standard: the graph convolution of Kipf, Welling, "Semi-supervised classification with graph convolutional
//   networks", ICLR 2017. With d neighbours, and the own row as one more:
//     row of v = ReLU( sum over u = v and its neighbours of (row of u) W / sqrt((d_u+1) (d_v+1)) )
// - sage: GraphSAGE's mean (Hamilton, Ying, Leskovec, "Inductive representation learning on large graphs", NIPS 2017),
//   with a weight matrix for the own row beside that of the neighbours, of whom --sample are drawn for each layer:
//     row of v = ReLU( (row of v) W_own + mean over drawn neighbours u of (row of u) W )
// The first rows are read (--values) or drawn; weights are drawn. The last layer has no ReLU: its rows are scores.
// Neighbours are a set and direction is ignored: repeated edges count once, and a loop not at all, because the own row
// has its term.
//
// Rows are multiplied by W before they are sent, so that what travels has the width of the layer's result, whatever the
// width of its input. A row travels in blocks of eight columns, one a superstep (graph_convolution.hpp): a layer of
// width w takes ceil(w/8) supersteps, which read 64 bytes an arc each.
//
// The same bits for any ranks, threads and partition: a vertex adds up its neighbours in ascending order of their ids,
// the own term last; a product adds up the columns of a row in ascending order; and draws are functions of seed, vertex
// and superstep. `sage` gets its messages listed instead of combined, to choose among them by position: a sample makes
// a layer's result cheaper to train, not its messages fewer, as a published row costs the same for one reader as for
// all.
#include "pregel/algorithms/graph_convolution.hpp"

#include <cmath>
#include <optional>
#include <ranges>

#include <boost/serialization/vector.hpp>
#include <fmt/format.h>

#include "collectives/routed_exchange.hpp"
#include "core/error.hpp"
#include "registry.hpp"
#include "run_program.hpp"

namespace pregel {
namespace {

constexpr std::size_t kBlock = 8;
using Block = FeatureBlock<kBlock>;
using Row = std::vector<double>;

/// A weight matrix, its rows padded with zeros to whole blocks.
class Weights {
 public:
  Weights(std::uint64_t seed, std::uint64_t which, std::size_t rows, std::size_t columns, std::size_t padded)
      : padded_(padded), entries_(rows * padded) {
    const Row drawn = drawn_weights(seed, which, rows, columns);
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(&drawn[i * columns], columns, &entries_[i * padded]);
  }
  /// result += row * this
  void add_product(std::span<const double> row, std::span<double> result) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double x = row[i];
      const double* w = &entries_[i * padded_];
      for (std::size_t j = 0; j < padded_; ++j) result[j] += x * w[j];
    }
  }

 private:
  std::size_t padded_;
  Row entries_;
};

struct GraphConvolution {
  struct Value {
    Row row;  ///< before the layer at hand
    Row next; ///< after it, block by block; a block whose neighbours have not been added up is what is sent of it
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& row& next;
    }
  };
  using Message = Block;
  static constexpr bool always_active = true;
  static Message combine(const Message& a, const Message& b) { return a + b; }
  static std::string describe(const Value& value) { return fmt::format("{:.6g}", fmt::join(value.row, " ")); }
  static std::string describe(const Message& message) { return fmt::format("{:.6g}", fmt::join(message.columns, " ")); }

  std::uint64_t seed, layers, width, sample;
  bool sage;
  std::size_t features;                               ///< columns of a start row
  const DistributedGraph* graph;                      ///< to find start rows in
  std::span<const Row> start_rows{};                  ///< by LocalId; none: they are drawn
  std::size_t blocks = (width + kBlock - 1) / kBlock; ///< of a row: supersteps of a layer
  std::vector<Weights> weights{}, own_weights{};      ///< by layer; the latter for sage

  void draw_weights() {
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      const std::size_t inputs = layer == 0 ? features : width;
      weights.emplace_back(seed, 2 * layer, inputs, width, blocks * kBlock);
      if (sage) own_weights.emplace_back(seed, 2 * layer + 1, inputs, width, blocks * kBlock);
    }
  }

  void compute(Vertex<GraphConvolution>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t superstep = context.superstep();
    Value& value = vertex.value();
    if (superstep == 0)
      value.row = start_row(vertex.id());
    else
      receive(vertex, messages, superstep - 1);
    if (superstep == layers * blocks) return;
    if (superstep % blocks == 0) {
      value.next.assign(blocks * kBlock, 0.0);
      weights[superstep / blocks].add_product(value.row, value.next);
      if (!sage) scale(value.next, convolution_scale(vertex));
    }
    Message message;
    std::copy_n(&value.next[superstep % blocks * kBlock], kBlock, message.columns.begin());
    vertex.send_to_neighbors(message);
  }
  void master(MasterContext& context) const {
    if (context.superstep() == layers * blocks) context.halt();
  }

 private:
  [[nodiscard]] Row start_row(GlobalId id) const {
    return start_rows.empty() ? drawn_features(seed, id, features) : start_rows[index(*graph->find(id))];
  }
  static double convolution_scale(const Vertex<GraphConvolution>& vertex) {
    return 1 / std::sqrt(vertex.degree() + 1.0);
  }
  static void scale(std::span<double> columns, double factor) {
    for (double& x : columns) x *= factor;
  }

  /// Finishes the block that was sent in superstep `sent`, and with the last one the layer.
  void receive(Vertex<GraphConvolution>& vertex, std::span<const Message> messages, std::uint64_t sent) const {
    Value& value = vertex.value();
    const std::uint64_t layer = sent / blocks, block = sent % blocks;
    const std::span<double> columns = std::span(value.next).subspan(block * kBlock, kBlock);
    if (sage) {
      average(core::CounterRandom(seed, number(vertex.id()), layer * blocks), messages, columns);
    } else {
      Message sum = messages.empty() ? Message{} : messages.front();
      for (std::size_t i = 1; i < messages.size(); ++i) sum += messages[i];
      for (std::size_t c = 0; c < kBlock; ++c) columns[c] = sum.columns[c] + columns[c];
      scale(columns, convolution_scale(vertex));
    }
    if (block + 1 < blocks) return;
    if (sage) own_weights[layer].add_product(value.row, value.next);
    value.row.assign(value.next.begin(), value.next.begin() + static_cast<std::ptrdiff_t>(width));
    if (layer + 1 < layers)
      for (double& x : value.row) x = std::max(x, 0.0);
  }

  /// The mean of a sample of the messages; 0 without any. All blocks of a layer draw the same sample.
  void average(core::CounterRandom random, std::span<const Message> messages, std::span<double> columns) const {
    thread_local std::vector<std::uint64_t> chosen; // empty between two calls
    sample_positions(random, messages.size(), sample, chosen);
    Message sum;
    for (const std::uint64_t position : chosen) sum += messages[position];
    const double count = std::max(1.0, static_cast<double>(chosen.size()));
    for (std::size_t c = 0; c < kBlock; ++c) columns[c] = sum.columns[c] / count;
  }
};

/// Start rows at their vertices, by LocalId; zeros for vertices without one. Collective.
std::vector<Row> route_rows(const DistributedGraph& graph, const ValueRows& given) {
  struct Item {
    std::uint64_t id, first; ///< the vertex, and the block's first column
    Block columns;
  };
  std::vector<Row> rows(graph.local_count, Row(given.width, 0.0));
  const auto all = std::views::iota(std::size_t{0}, given.ids.size());
  auto produce = collectives::produce_each(all, [&](auto& push, std::size_t i) {
    const std::span<const double> row = given.row(i);
    for (std::size_t first = 0; first < row.size(); first += kBlock) {
      Item item{number(given.ids[i]), first, {}};
      std::ranges::copy(row.subspan(first, std::min(kBlock, row.size() - first)), item.columns.columns.begin());
      push(graph.owner(given.ids[i]), item);
    }
  });
  collectives::routed_exchange<Item>(*graph.comm, produce, [&](int, std::span<const Item> items) {
    for (const Item& item : items) {
      const std::optional<LocalId> v = graph.find(GlobalId{item.id});
      if (!v)
        throw core::InputError("--values names vertex " + std::to_string(item.id) + ", which the graph does not have");
      const std::span<double> rest = std::span(rows[index(*v)]).subspan(item.first);
      std::copy_n(item.columns.columns.begin(), std::min(kBlock, rest.size()), rest.begin());
    }
  });
  return rows;
}

AlgorithmRun run(const DistributedGraph& graph, core::ThreadTeam& team, const AlgorithmOptions& options,
                 const RunOptions& run_options) {
  const bool drawn = options.start_rows.width == 0;
  const std::vector<Row> start_rows = drawn ? std::vector<Row>{} : route_rows(graph, options.start_rows);
  GraphConvolution program{.seed = run_options.seed,
                           .layers = options.layers,
                           .width = options.width,
                           .sample = options.sample,
                           .sage = options.variant == "sage",
                           .features = drawn ? options.width : options.start_rows.width,
                           .graph = &graph,
                           .start_rows = start_rows};
  program.draw_weights();
  RunOptions actual = run_options;
  if (program.sage) actual.use_combiner = false;
  return run_program(graph, team, std::move(program), actual, [&](const auto& values) {
    std::vector<NamedColumn> columns;
    for (std::uint64_t c = 0; c < options.width; ++c)
      columns.push_back(column(graph, "h_" + std::to_string(c + 1), values,
                               [c](const GraphConvolution::Value& value) { return value.row[c]; }));
    return columns;
  });
}

} // namespace

Algorithm graph_convolution_algorithm() {
  return {.name = "gcn",
          .summary =
              "graph convolution: --layers (2) of --width (16); --variant sage: the mean of --sample (10) neighbours",
          .variants = {"standard", "sage"},
          .options = {"--values", "--layers", "--width", "--sample"},
          .reads_rows = true,
          .needs =
              [](const AlgorithmOptions&) {
                return GraphNeeds{.path = MessagePath::both_ways, .push = false, .simple = true};
              },
          .run = run};
}

} // namespace pregel
