// The training is one vertex program. An epoch is five supersteps; X are a vertex's features, N its neighbourhood's
// operator (what a layer does with the rows of v and its neighbours), T and dT what is sent forwards and what comes
// back for it:
//
//   0  T1 = X W1                                                                                    send T1
//   1  H = ReLU(N T1 + X O1 + b1)         T2 = H W2                                                 send T2
//   2  Z = N T2 + H O2 + b2               loss, dZ = softmax(Z) - label           db2 dO2           send dZ
//   3  dT2 = N* dZ                        dH = dT2 W2^T + dZ O2^T, 0 where H is   db1 dO1 dW2       send dH
//   4  dT1 = N* dH                                                                dW1               the master updates
//
// N by model, and N*, its transpose, by which errors go back to whom rows came from:
//   gcn   sum over v and its neighbours, scaled by 1/sqrt(d+1) at both ends: N* is N, as the graph is undirected
//   sage  mean of the drawn neighbours: v sends dZ / (number drawn) back to each of them, by its id. O1 and O2 are the
//         weights of the own row, which only sage has. The draw is a function of seed, vertex and superstep, so it is
//         drawn again on the way back instead of being kept
//   mlp   the own row only
//
// A gradient is a sum over all training vertices. Each entry is an aggregator, so it is summed exactly over threads and
// ranks and rounded once; then every rank's master does the same update, and no parameter ever travels. The price, 72
// words an entry in the reduction that each superstep does anyway, is small for a network of this size. With a hundred
// thousand parameters one would add up in doubles and take an all-reduce of libcollectives, whose bits hang on the
// number of ranks.
#include "training.hpp"

#include <cmath>
#include <memory>
#include <string>

#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

namespace node_classification {
namespace {

constexpr std::uint64_t kSuperstepsOfEpoch = 5;

/// A parameter's place in the gradient.
using Gradient = std::vector<pregel::SumAggregator<double>>;

class Training {
 public:
  struct Value {
    std::vector<double> features;
    std::uint64_t label = 0;
    bool trains = false;
    Row sent;   ///< last superstep: the own row's part of N
    Row hidden; ///< H
    Row error;  ///< dZ, then dH
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& features& label& trains& sent.columns& hidden.columns& error.columns;
    }
  };
  using Message = Row;
  static constexpr bool always_active = true;
  static Message combine(const Message& a, const Message& b) { return a + b; }

  Training(const Network& network, const TrainingOptions& options)
      : network_(network),
        model_(options.model),
        epochs_(options.epochs),
        sample_(options.sample),
        seed_(options.seed),
        parameters_(options.start ? *options.start : network.drawn_parameters(options.seed)),
        gradient_(network.parameter_count(), 0.0),
        rule_(ps::make_update_rule<double>(options.update, network.parameter_count())) {}

  void declare(pregel::AggregatorRegistry& registry) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      sums_.push_back(registry.sum<double>("gradient_" + std::to_string(i)));
    loss_ = registry.sum<double>("loss");
    training_ = registry.count("training");
    right_in_training_ = registry.count("right_in_training");
    right_in_test_ = registry.count("right_in_test");
  }

  void compute(pregel::Vertex<Training>& vertex, std::span<const Message> messages, pregel::Context& context) const {
    switch (context.superstep() % kSuperstepsOfEpoch) {
      case 0: return send(vertex, product(vertex.value().features, network_.first.weights, parameters_));
      case 1: return hide(vertex, messages, context);
      case 2: return score(vertex, messages, context);
      case 3: return go_back(vertex, messages, context);
      default: return feed(context, vertex.value().features, receive_back(vertex, messages), network_.first.weights);
    }
  }

  /// On every rank, with the same sums.
  void master(pregel::MasterContext& context) {
    const std::uint64_t step = context.superstep() % kSuperstepsOfEpoch;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (const auto sum = context.aggregated(sums_[i])) gradient_[i] = *sum; // fed in one superstep of an epoch
    if (step == 2) {
      take_standing(context);
      if (context.superstep() / kSuperstepsOfEpoch == epochs_) context.halt();
    } else if (step == 4) {
      for (double& g : gradient_) g /= std::max(1.0, training_vertices_);
      rule_->apply(parameters_, gradient_);
      last_gradient_ = gradient_;
      std::ranges::fill(gradient_, 0.0);
    }
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& parameters_& gradient_& last_gradient_& training_vertices_;
    std::uint64_t steps = rule_->steps();
    archive& steps;
    rule_->set_steps(steps);
    for (const auto& state : rule_->state())
      for (double& x : state.values) archive& x;
    std::size_t count = standings_.size();
    archive& count;
    standings_.resize(count);
    for (Standing& standing : standings_) archive& standing.loss& standing.train_accuracy& standing.test_accuracy;
  }

  [[nodiscard]] const std::vector<double>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const std::vector<double>& last_gradient() const noexcept { return last_gradient_; }
  [[nodiscard]] const std::vector<Standing>& standings() const noexcept { return standings_; }

 private:
  using Handle = pregel::Vertex<Training>;
  using Messages = std::span<const Message>;

  // ---- the supersteps ---------------------------------------------------------------------------------------------

  void hide(Handle& vertex, Messages messages, pregel::Context& context) const {
    Value& value = vertex.value();
    Row row = receive(vertex, messages, context.superstep());
    add_own(row, value.features, network_.first);
    for (double& x : row.columns) x = std::max(x, 0.0);
    value.hidden = row;
    send(vertex, product(hidden_of(value), network_.second.weights, parameters_));
  }

  void score(Handle& vertex, Messages messages, pregel::Context& context) const {
    Value& value = vertex.value();
    Row scores = receive(vertex, messages, context.superstep());
    add_own(scores, hidden_of(value), network_.second);
    const Judgement judgement = judge(scores, network_.classes(), value.label);
    if (judgement.correct) context.aggregate(value.trains ? right_in_training_ : right_in_test_, 1);
    value.error = value.trains ? judgement.error : Row{}; // nobody knows a test vertex's label
    if (value.trains) {
      context.aggregate(training_, 1);
      context.aggregate(loss_, judgement.loss);
      feed_own(context, hidden_of(value), value.error, network_.second);
    }
    send_back(vertex, value.error, context.superstep());
  }

  void go_back(Handle& vertex, Messages messages, pregel::Context& context) const {
    Value& value = vertex.value();
    const Row received = receive_back(vertex, messages); // dT2
    feed(context, hidden_of(value), received, network_.second.weights);
    Row error = back_product(received, network_.second.weights, parameters_);
    if (model_ == Model::sage) error += back_product(value.error, network_.second.own, parameters_);
    for (std::size_t c = 0; c < error.columns.size(); ++c)
      if (value.hidden.columns[c] <= 0) error.columns[c] = 0;
    value.error = error;
    feed_own(context, value.features, error, network_.first);
    send_back(vertex, error, context.superstep() - 2); // the rows came two supersteps ago
  }

  void take_standing(const pregel::MasterContext& context) {
    const auto share = [](std::optional<std::uint64_t> part, double all) {
      return static_cast<double>(part.value_or(0)) / std::max(1.0, all);
    };
    training_vertices_ = static_cast<double>(context.aggregated(training_).value_or(0));
    const double test_vertices = static_cast<double>(context.vertex_count()) - training_vertices_;
    standings_.push_back({context.aggregated(loss_).value_or(0) / std::max(1.0, training_vertices_),
                          share(context.aggregated(right_in_training_), training_vertices_),
                          share(context.aggregated(right_in_test_), test_vertices)});
  }

  // ---- the neighbourhood, N and N* --------------------------------------------------------------------------------

  void send(Handle& vertex, Row row) const {
    if (model_ == Model::gcn) scale(row, scale_of(vertex));
    vertex.value().sent = row;
    if (model_ != Model::mlp) vertex.send_to_neighbors(row);
  }
  /// `superstep` is the one in which the messages arrive.
  [[nodiscard]] Row receive(Handle& vertex, Messages messages, std::uint64_t superstep) const {
    if (model_ == Model::sage) {
      Row mean;
      const std::vector<std::uint64_t>& drawn = draw(vertex, superstep);
      for (const std::uint64_t position : drawn) mean += messages[position];
      if (!drawn.empty()) scale(mean, 1 / static_cast<double>(drawn.size()));
      return mean;
    }
    Row row = total(messages) + vertex.value().sent;
    if (model_ == Model::gcn) scale(row, scale_of(vertex));
    return row;
  }
  /// `superstep` is the one in which the rows arrived that the error is about.
  void send_back(Handle& vertex, const Row& error, std::uint64_t superstep) const {
    if (model_ != Model::sage) return send(vertex, error);
    if (std::ranges::all_of(error.columns, [](double x) { return x == 0; })) return;
    const std::vector<std::uint64_t>& drawn = draw(vertex, superstep);
    Row part = error;
    if (!drawn.empty()) scale(part, 1 / static_cast<double>(drawn.size()));
    for (const std::uint64_t position : drawn) vertex.send(vertex.edges()[position].target, part);
  }
  [[nodiscard]] Row receive_back(Handle& vertex, Messages messages) const {
    return model_ == Model::sage ? total(messages) : receive(vertex, messages, 0);
  }

  /// Positions among the neighbours, ascending by id.
  [[nodiscard]] const std::vector<std::uint64_t>& draw(Handle& vertex, std::uint64_t superstep) const {
    thread_local std::vector<std::uint64_t> drawn; // valid until the next call
    pregel::sample_positions(core::CounterRandom(seed_, pregel::number(vertex.id()), superstep), vertex.degree(),
                             sample_, drawn);
    return drawn;
  }
  static Row total(Messages messages) {
    Row sum;
    for (const Row& row : messages) sum += row;
    return sum;
  }
  static double scale_of(const Handle& vertex) { return 1 / std::sqrt(vertex.degree() + 1.0); }
  static void scale(Row& row, double factor) {
    for (double& x : row.columns) x *= factor;
  }

  // ---- parameters and their gradient ------------------------------------------------------------------------------

  [[nodiscard]] std::span<const double> hidden_of(const Value& value) const {
    return std::span(value.hidden.columns).first(network_.hidden());
  }
  /// The own row's term and the bias.
  void add_own(Row& row, std::span<const double> input, const Layer& layer) const {
    if (model_ == Model::sage) row += product(input, layer.own, parameters_);
    for (std::size_t c = 0; c < layer.bias.columns; ++c) row.columns[c] += parameters_[layer.bias.first + c];
  }
  void feed_own(pregel::Context& context, std::span<const double> input, const Row& error, const Layer& layer) const {
    if (model_ == Model::sage) feed(context, input, error, layer.own);
    feed(context, std::span<const double>(&kOne, 1), error, layer.bias);
  }
  /// The gradient of `matrix` gets the products of input and error.
  void feed(pregel::Context& context, std::span<const double> input, const Row& error, const Matrix& matrix) const {
    std::size_t entry = matrix.first;
    for (const double x : input) {
      for (std::size_t c = 0; c < matrix.columns; ++c, ++entry)
        if (const double g = x * error.columns[c]; g != 0) context.aggregate(sums_[entry], g);
    }
  }
  static constexpr double kOne = 1;

  Network network_;
  Model model_;
  std::uint64_t epochs_, sample_, seed_;
  std::vector<double> parameters_, gradient_, last_gradient_;
  std::unique_ptr<ps::UpdateRule<double>> rule_;
  double training_vertices_ = 0;
  std::vector<Standing> standings_;

  Gradient sums_;
  pregel::SumAggregator<double> loss_;
  pregel::CountAggregator training_, right_in_training_, right_in_test_;
};

} // namespace

pregel::BuildOptions build_options(pregel::PartitionKind partition) {
  pregel::BuildOptions options;
  options.directed = false;
  options.partition = partition;
  options.needs = {.push = false, .simple = true, .out_edges = true};
  return options;
}

Trained train(const pregel::DistributedGraph& graph, const PlantedPartition& data, core::ThreadTeam& team,
              const TrainingOptions& options) {
  const Network network(options.model, data.features, options.hidden, data.classes);
  pregel::RunOptions run_options;
  run_options.seed = options.seed;
  run_options.use_combiner = options.model != Model::sage; // which chooses among its messages
  run_options.checkpointer = options.checkpointer;
  pregel::Engine<Training> engine(graph, Training(network, options), team, run_options);
  for (const pregel::LocalId v : graph.ascending) { // here one would put in rows from a file
    const pregel::GlobalId id = graph.id_of(v);
    Training::Value& value = engine.values()[pregel::index(v)];
    value.features = data.features_of(id);
    value.label = data.class_of(id);
    value.trains = data.trains(id);
  }
  Trained trained;
  trained.report = engine.run();
  trained.report.reduce(*graph.comm);
  const Training& program = engine.program();
  trained.parameters = program.parameters();
  trained.gradient = program.last_gradient();
  trained.standings = program.standings();
  return trained;
}

} // namespace node_classification
