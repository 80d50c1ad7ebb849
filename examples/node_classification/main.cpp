// Which community does a vertex belong to, when few labels are known and a vertex's own features say little? Trains a
// graph convolutional network, GraphSAGE with sampled neighbours, and for comparison a network that does not look at
// the graph, on data drawn from a seed (planted_partition.hpp), and tells how many of the other vertices' labels each
// of them finds. Forwards and backwards are supersteps (training.cpp).
//   mpirun -n RANKS node_classification [--model gcn|sage|mlp|all] [--epochs N] [--metrics FILE.json] ...
#include <iostream>
#include <list>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/agreement.hpp"
#include "core/metrics.hpp"
#include "training.hpp"

namespace node_classification {
namespace {

constexpr std::uint64_t kSuperstepsBetweenCheckpoints = 50; // ten epochs

struct Options {
  PlantedPartition data;
  TrainingOptions training;
  std::string model = "all", partition = "hash", checkpoint_dir, metrics;
  int threads = 1;
  std::uint64_t every = 20;
};

/// False when --help was answered.
bool parse(Options& o, int argc, char** argv, bool printing) {
  CLI::App app{"Trains graph neural networks to find the communities of a planted partition."};
  app.add_option("--model", o.model, "gcn, sage, mlp (no graph) or all")
      ->check(CLI::IsMember({"gcn", "sage", "mlp", "all"}));
  app.add_option("--vertices", o.data.vertices, "of the graph");
  app.add_option("--classes", o.data.classes, "communities");
  app.add_option("--features", o.data.features, "columns of a vertex's features");
  app.add_option("--inside", o.data.inside, "edges that a vertex draws within its community");
  app.add_option("--across", o.data.across, "edges that it draws to anybody");
  app.add_option("--signal", o.data.signal, "of the features, whose noise has variance 1");
  app.add_option("--training", o.data.training, "share of vertices with known labels")->check(CLI::Range(0.0, 1.0));
  app.add_option("--hidden", o.training.hidden, "width of the hidden layer");
  app.add_option("--epochs", o.training.epochs, "updates");
  app.add_option("--sample", o.training.sample, "sage: neighbours drawn")->check(CLI::PositiveNumber);
  app.add_option("--optimizer", o.training.update.rule, "sgd, momentum, adagrad, rmsprop or adam");
  app.add_option("--learning-rate", o.training.update.learning_rate, "of the optimizer");
  app.add_option("--seed", o.data.seed, "of data, weights and samples");
  app.add_option("--threads", o.threads, "of each rank")->check(CLI::Range(1, 1024));
  app.add_option("--partition", o.partition, "hash, modulo or range")
      ->check(CLI::IsMember({"hash", "modulo", "range"}));
  app.add_option("--every", o.every, "print every N epochs")->check(CLI::PositiveNumber);
  app.add_option("--checkpoint-dir", o.checkpoint_dir,
                 "directory for checkpoints; a run that finds one goes on from it");
  app.add_option("--metrics", o.metrics, "JSON file for everything measured");
  for (CLI::Option* option : app.get_options()) option->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (printing) std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw core::InputError(error.what());
  }
  o.training.seed = o.data.seed;
  check(o.data);
  return true;
}

std::vector<Model> models_of(const Options& o) {
  std::vector<Model> models;
  for (const Model model : {Model::gcn, Model::sage, Model::mlp})
    if (o.model == "all" || o.model == name_of(model)) models.push_back(model);
  return models;
}

void print_curve(const std::vector<Standing>& standings, std::string_view name, std::uint64_t every) {
  for (std::size_t epoch = 0; epoch < standings.size(); ++epoch) {
    if (epoch % every != 0 && epoch + 1 != standings.size()) continue;
    const Standing& s = standings[epoch];
    fmt::print("{:<5} epoch {:>4}  loss {:.4f}  accuracy: training {:.3f}, test {:.3f}\n", name, epoch, s.loss,
               s.train_accuracy, s.test_accuracy);
  }
}

nlohmann::json entry_of(const Trained& trained, std::string_view name) {
  const Standing& last = trained.standings.back();
  nlohmann::json curve = nlohmann::json::array();
  for (std::size_t epoch = 0; epoch < trained.standings.size(); ++epoch) {
    const Standing& s = trained.standings[epoch];
    curve.push_back(
        {{"epoch", epoch}, {"loss", s.loss}, {"train_accuracy", s.train_accuracy}, {"test_accuracy", s.test_accuracy}});
  }
  return {{"model", name},
          {"train_loss", last.loss},
          {"train_accuracy", last.train_accuracy},
          {"test_accuracy", last.test_accuracy},
          {"train_seconds", trained.report.run_seconds},
          {"supersteps", trained.report.supersteps()},
          {"messages_sent", trained.report.messages_sent()},
          {"bytes_sent", trained.report.bytes_sent},
          {"parameters", trained.parameters},
          {"curve", curve}};
}

/// One model's checkpoints are one job's.
std::list<pregel::JobCheckpoints> checkpoints_of(const Options& o) {
  std::list<pregel::JobCheckpoints> all;
  if (o.checkpoint_dir.empty()) return all;
  for (const Model model : models_of(o)) {
    const PlantedPartition& d = o.data;
    const TrainingOptions& t = o.training;
    all.emplace_back(pregel::CheckpointOptions{.directory = o.checkpoint_dir + "/" + std::string(name_of(model)),
                                               .every = kSuperstepsBetweenCheckpoints,
                                               .resume = true},
                     nlohmann::json{{"--vertices", d.vertices},
                                    {"--classes", d.classes},
                                    {"--features", d.features},
                                    {"--inside", d.inside},
                                    {"--across", d.across},
                                    {"--signal", d.signal},
                                    {"--training", d.training},
                                    {"--seed", d.seed},
                                    {"--hidden", t.hidden},
                                    {"--epochs", t.epochs},
                                    {"--sample", t.sample},
                                    {"--optimizer", t.update.rule},
                                    {"--learning-rate", t.update.learning_rate}});
  }
  return all;
}

void attempt(const core::Communicator& world, const Options& o, std::list<pregel::JobCheckpoints>& checkpoints) {
  core::ThreadTeam team(o.threads);
  const pregel::DistributedGraph graph =
      pregel::build_graph(world, o.data.edges(world), build_options(pregel::parse_partition_kind(o.partition)), team);
  nlohmann::json document{{"ranks", world.size()},          {"threads", o.threads},
                          {"vertices", graph.vertex_count}, {"arcs", graph.arc_count},
                          {"epochs", o.training.epochs},    {"models", nlohmann::json::array()},
                          {"stamp", core::build_stamp()}};
  auto next = checkpoints.begin();
  for (const Model model : models_of(o)) {
    TrainingOptions options = o.training;
    options.model = model;
    if (next != checkpoints.end()) options.checkpointer = &*next++;
    const Trained trained = train(graph, o.data, team, options);
    if (world.rank() != 0) continue;
    print_curve(trained.standings, name_of(model), o.every);
    document["models"].push_back(entry_of(trained, name_of(model)));
  }
  for (const nlohmann::json& entry : document["models"])
    fmt::print("{:<5} finds {:.1f} % of the test vertices' labels; {:.3f} s\n", entry["model"].get<std::string>(),
               100 * entry["test_accuracy"].get<double>(), entry["train_seconds"].get<double>());
  core::agree(world, [&] { // one line on all ranks if the file cannot be written
    if (world.rank() == 0 && !o.metrics.empty()) core::write_json(o.metrics, document);
  });
}

core::ExitCode run(core::Session& session, int argc, char** argv) {
  Options options;
  if (!parse(options, argc, argv, session.world().rank() == 0)) return core::ExitCode::success;
  std::list<pregel::JobCheckpoints> checkpoints = checkpoints_of(options);
  for (pregel::JobCheckpoints& job : checkpoints) job.prepare(session.world());
  std::uint64_t attempts = 0;
  session.until_completed(
      [&] { // again, on the ranks that are left, when one has died
        for (pregel::JobCheckpoints& job : checkpoints) job.begin_attempt(session.world(), attempts);
        attempt(session.world(), options, checkpoints);
      },
      [&](const core::Loss&) { ++attempts; });
  return core::ExitCode::success;
}

} // namespace
} // namespace node_classification

int main(int argc, char** argv) {
  return core::run_session("node_classification", argc, argv, node_classification::run);
}
