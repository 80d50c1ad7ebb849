#include "pstrain_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "command_line.hpp"
#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/metrics.hpp"
#include "ps/consistency/sparse_async.hpp"
#include "ps/consistency/strategy.hpp"

namespace drivers {
namespace {

using core::InputError;

constexpr double kLargest = std::numeric_limits<double>::max();
/// Of a padded gradient, if nothing else is said: long against what a small model computes.
constexpr double kGradientSeconds = 0.05;

/// What trains well where nothing is said.
struct ModelDefaults {
  const char* model;
  const char* summary;
  const char* precision;
  const char* rule;
  double learning_rate;
  std::size_t batch;
  double epochs;
};
constexpr std::array kModels{
    ModelDefaults{"ridge", "linear regression, squared loss", "double", "sgd", 0.05, 32, 5},
    ModelDefaults{"logistic", "logistic regression, two classes", "double", "sgd", 0.5, 64, 20},
    ModelDefaults{"softmax", "multinomial regression", "double", "sgd", 0.05, 32, 40},
    ModelDefaults{"mlp", "hidden layers of --hidden units, ReLU, softmax", "float", "sgd", 0.1, 32, 10},
    ModelDefaults{"cnn", "conv 3x3x32, pool, conv 3x3x64, pool, dense 64, softmax", "float", "rmsprop", 1e-3, 32, 8},
};

const ModelDefaults& defaults_of(const std::string& model) {
  std::vector<std::string_view> names;
  for (const ModelDefaults& defaults : kModels) {
    if (model == defaults.model) return defaults;
    names.emplace_back(defaults.model);
  }
  throw InputError(fmt::format("unknown model '{}': one of {}", model, fmt::join(names, ", ")));
}

std::string footer() {
  std::string text = "Models (defaults: rule, learning rate, batch, epochs):\n";
  for (const ModelDefaults& m : kModels)
    text += fmt::format("  {:<10} {} ({}, {:g}, {}, {:g})\n", m.model, m.summary, m.rule, m.learning_rate, m.batch,
                        m.epochs);
  text += "\nStrategies:\n";
  for (const ps::StrategyInfo& s : ps::strategies()) text += fmt::format("  {:<10} {}\n", s.name, s.summary);
  return text;
}

void add_data_options(CLI::App& app, PstrainOptions& o) {
  app.add_option("model", o.model, "what to train (see below)");
  app.add_option(
         "--data", o.data,
         "libsvm text or IDX images, .gz of either; digits; or synthetic:ridge,rows=N,features=D,noise=S,seed=K "
         "| synthetic:logistic,... | synthetic:softmax,classes=C,... | synthetic:images,size=12,classes=C,...")
      ->group("Data and model");
  app.add_option("--test", o.test, "file to test on (digits and synthetic data have a test part of their own)")
      ->group("Data and model");
  app.add_option("--precision", o.precision, "float or double (default: double for linear models, float for networks)")
      ->check(CLI::IsMember({"float", "double"}))
      ->group("Data and model");
  app.add_option("--l2", o.l2, "loss gets L2/2 times the squared weights")
      ->check(real_between(0, kLargest))
      ->capture_default_str()
      ->group("Data and model");
  app.add_option("--hidden", o.hidden, "mlp: units of each hidden layer, separated by commas")
      ->delimiter(',')
      ->check(whole_number(1))
      ->capture_default_str()
      ->group("Data and model");
}

CLI::Validator bound_on_staleness() {
  return {[](const std::string& text) -> std::string {
            if (text == "inf" || whole_number()(text).empty()) return {};
            return fmt::format("{} is neither a whole number of at least 0 nor inf, or too large", text);
          },
          "NUMBER|inf"};
}

void add_strategy_options(CLI::App& app, PstrainOptions& o) {
  app.add_option("--strategy", o.training.strategy, "when a worker may use what others are changing (see below)")
      ->capture_default_str()
      ->group("Strategy");
  app.add_option("--workers", o.workers,
                 "logical workers, spread over the ranks that are not only servers (default: one each; with --resume "
                 "as many as before); the numbers "
                 "of a run depend on this, not on ranks")
      ->check(whole_number(1))
      ->group("Strategy");
  app.add_option("--servers", o.servers,
                 "so many ranks, the last ones, keep parameters and nothing else; all: every rank is worker and server "
                 "(default: 1 where the strategy needs servers, all on a single rank)")
      ->group("Strategy");
  app.add_option("--staleness", o.staleness, "ssp: rounds that a worker may be ahead of the slowest; or inf")
      ->check(bound_on_staleness())
      ->capture_default_str()
      ->group("Strategy");
  app.add_flag("--racy", o.training.racy, "async, ssp: read parameters without atomicity (Hogwild)")->group("Strategy");
  app.add_option("--table", o.table,
                 "dense: workers pull and push all parameters; sparse: those of the features in their batch, for "
                 "linear models on sparse rows, async and ssp, sgd and adagrad")
      ->check(CLI::IsMember({"dense", "sparse"}))
      ->capture_default_str()
      ->group("Strategy");
  app.add_option("--local-steps", o.training.local_steps, "local, easgd: gradients between two exchanges")
      ->check(whole_number(1))
      ->capture_default_str()
      ->group("Strategy");
  app.add_option("--rho", o.training.rho, "easgd: elastic force, as (learning rate x rho) (default: 0.9 / workers)")
      ->check(real_between(1e-300, kLargest))
      ->group("Strategy");
  app.add_option("--topology", o.training.topology,
                 "gossip: ring, torus, complete, or a file with two workers a line for each edge")
      ->capture_default_str()
      ->group("Strategy");
}

void add_training_options(CLI::App& app, PstrainOptions& o) {
  app.add_option("--epochs", o.epochs, "times that all rows are gone through")
      ->check(real_between(1e-9, 1e9))
      ->group("Training");
  app.add_option("--gradients", o.gradients, "gradients of each worker, instead of --epochs")
      ->check(whole_number(1))
      ->group("Training");
  app.add_option("--target-loss", o.training.target_loss, "stop when the monitored loss is no greater")
      ->check(real_between(-kLargest, kLargest))
      ->group("Training");
  app.add_option("--batch", o.batch, "rows of one gradient")->check(whole_number(1))->group("Training");
  app.add_option("--learning-rate", o.learning_rate, "step size")
      ->check(real_between(1e-300, kLargest))
      ->group("Training");
  app.add_option("--optimizer", o.rule, "sgd, momentum, adagrad, rmsprop or adam")->group("Training");
  app.add_option("--momentum", o.training.update.momentum, "momentum: part of the velocity that stays")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--seed", o.training.seed, "of start values and of the order of rows")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Training");
  app.add_option("--loss-sample", o.loss_sample, "the curve's loss is that of the first N training rows; 0: no curve")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Training");
  app.add_option("--loss-every", o.training.loss_every,
                 "updates between two looks at the loss (default: at most a twentieth of the time)")
      ->check(whole_number(1))
      ->group("Training");
}

void add_drill_options(CLI::App& app, PstrainOptions& o) {
  app.add_option("--straggler", o.stragglers, "WORKER:FACTOR: this worker is that many times slower; may be repeated")
      ->group("Drills");
  app.add_option("--gradient-seconds", o.gradient_seconds,
                 "every gradient takes at least so long, by sleeping (0.05 with --straggler, else 0)")
      ->check(real_between(0, 1e6))
      ->group("Drills");
  app.add_option("--straggler-mode", o.straggler_mode, "sleep, or compute: repeat the computation instead")
      ->check(CLI::IsMember({"sleep", "compute"}))
      ->capture_default_str()
      ->group("Drills");
}

void add_output_options(CLI::App& app, PstrainOptions& o) {
  app.add_option("--output", o.output, "the trained model, HDF5; with --predict: text, a line a row")->group("Output");
  app.add_option("--metrics", o.metrics, "what the run did, as JSON")->group("Output");
  app.add_option(
         "--predict", o.predict,
         "apply the model of this file to --data (of digits and synthetic data: the test part) instead of training")
      ->group("Output");
  auto* progress =
      app.add_flag("--progress", o.progress, "progress line even if standard error is no terminal")->group("Output");
  app.add_flag("--quiet", o.quiet, "print errors only")->excludes(progress)->group("Output");
  app.add_option("--checkpoint-dir", o.checkpoints.directory, "directory for checkpoints; made if it does not exist")
      ->group("Checkpoints");
  app.add_option("--checkpoint-every", o.checkpoints.every,
                 "gradients of each worker between two checkpoints (default: only when stopped by SIGTERM or SIGUSR1)")
      ->check(whole_number(1))
      ->group("Checkpoints");
  app.add_option("--keep", o.checkpoints.keep, "how many checkpoints to keep")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group("Checkpoints");
  app.add_flag(
         "--resume", o.checkpoints.resume,
         "go on from the newest whole checkpoint in --checkpoint-dir, on any number of ranks and servers; from the "
         "start if there is none")
      ->group("Checkpoints");
}

void complete_pace(PstrainOptions& o) {
  ps::PaceOptions& pace = o.training.pace;
  for (const std::string& text : o.stragglers) pace.stragglers.push_back(parse_straggler(text, "WORKER"));
  pace.by_computing = o.straggler_mode == "compute";
  if (pace.by_computing) {
    if (o.gradient_seconds) throw InputError("--gradient-seconds does not go with --straggler-mode compute");
    if (pace.stragglers.empty()) throw InputError("--straggler-mode compute needs --straggler");
    return;
  }
  pace.gradient_seconds = o.gradient_seconds.value_or(pace.stragglers.empty() ? 0 : kGradientSeconds);
  if (pace.gradient_seconds == 0 && !pace.stragglers.empty())
    throw InputError("--straggler has nothing to stretch with --gradient-seconds 0; see --straggler-mode compute");
}

/// Options that one strategy, rule or model reads and others would silently ignore.
void check_pairings(const PstrainOptions& o) {
  const auto only_for = [&](const std::string& option, const char* chooser, const std::string& chosen,
                            std::initializer_list<std::string_view> names) {
    if (o.given.contains(option) && std::ranges::find(names, chosen) == names.end())
      throw InputError(
          fmt::format("{} does not go with {}{}; it is for {}", option, chooser, chosen, fmt::join(names, ", ")));
  };
  const auto only_for_strategies = [&](const std::string& option, std::initializer_list<std::string_view> names) {
    only_for(option, "--strategy ", o.training.strategy, names);
  };
  only_for_strategies("--staleness", {"ssp"});
  only_for_strategies("--racy", {"async", "ssp"});
  only_for_strategies("--local-steps", {"local", "easgd"});
  only_for_strategies("--rho", {"easgd"});
  only_for_strategies("--topology", {"gossip"});
  only_for("--momentum", "--optimizer ", o.training.update.rule, {"momentum"});
  only_for("--hidden", "", o.model, {"mlp"});
}

void check_checkpoint_options(const PstrainOptions& o) {
  if (!o.checkpoints.directory.empty()) return;
  for (const char* option : {"--resume", "--checkpoint-every", "--keep"})
    if (o.given.contains(option)) throw InputError(fmt::format("{} needs --checkpoint-dir", option));
}

void complete_prediction(const PstrainOptions& o) {
  constexpr std::array<std::string_view, 6> kUsed{"--predict", "--data",     "--output",
                                                  "--metrics", "--progress", "--quiet"};
  if (!o.model.empty()) throw InputError("--predict knows its model from its file: leave '" + o.model + "' out");
  for (const std::string& option : o.given)
    if (std::ranges::find(kUsed, option) == kUsed.end())
      throw InputError(fmt::format("--predict goes with --data, --output and --metrics: leave {} out", option));
  if (o.output.empty()) throw InputError("--predict needs --output FILE for its predictions");
}

void check_files(const PstrainOptions& o) {
  std::vector<NamedFile> inputs;
  for (const NamedFile& input : {NamedFile{"--data", &o.data}, {"--test", &o.test}, {"--predict", &o.predict}})
    if (!input.path->starts_with("synthetic:")) inputs.push_back(input);
  const NamedFile targets[] = {{"--output", &o.output}, {"--metrics", &o.metrics}};
  require_separate_files(inputs, targets);
}

} // namespace

std::optional<PstrainOptions> parse_pstrain_options(int argc, char** argv, bool printing) {
  PstrainOptions options;
  CLI::App app{
      "Trains a model on MPI ranks: workers compute gradients of their share of the data, servers keep the parameters "
      "and are read and written by one-sided communication."};
  app.name("pstrain");
  app.footer(footer());
  app.set_version_flag("--version", "pstrain " + core::build_stamp().at("version").get<std::string>());
  add_data_options(app, options);
  add_strategy_options(app, options);
  add_training_options(app, options);
  add_drill_options(app, options);
  add_output_options(app, options);
  add_monitor_options(app, options.monitor);
  for (const char* name :
       {"--data", "--test", "--servers", "--topology", "--output", "--metrics", "--predict", "--checkpoint-dir"})
    app.get_option(name)->check(not_empty());
  if (answers_itself(app, argc, argv, printing)) return std::nullopt;
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && !option->get_positional()) options.given.insert(option->get_name());
  return options;
}

void complete_pstrain_options(PstrainOptions& o, int ranks) {
  if (o.data.empty()) throw InputError("give --data FILE, digits or synthetic:...");
  if (o.predicts()) return complete_prediction(o);
  if (o.model.empty()) throw InputError("give a model: ridge, logistic, softmax, mlp or cnn");
  const ModelDefaults& defaults = defaults_of(o.model);
  const ps::StrategyInfo& strategy = ps::find_strategy(o.training.strategy);
  o.training.update.rule = o.rule.empty() ? defaults.rule : o.rule;
  check_pairings(o);
  check_checkpoint_options(o);
  complete_pace(o);

  if (o.precision.empty()) o.precision = defaults.precision;
  if (o.servers.empty()) o.servers = !strategy.needs_servers ? "0" : ranks == 1 ? "all" : "1";
  if (strategy.needs_servers && o.servers == "0")
    throw InputError(fmt::format("--strategy {} needs a server: give --servers 1 or more, or all", strategy.name));
  if (!strategy.needs_servers && o.servers != "0")
    throw InputError(fmt::format("--strategy {} has no servers: leave --servers out", strategy.name));
  if (o.epochs && o.gradients) throw InputError("give either --epochs or --gradients: one of them ends the run");
  if (!o.epochs && !o.gradients) o.epochs = defaults.epochs;
  if (o.training.target_loss && o.loss_sample == 0)
    throw InputError("--target-loss needs a loss to look at: leave --loss-sample 0 out");

  o.training.batch = o.batch.value_or(defaults.batch);
  o.training.update.learning_rate = o.learning_rate.value_or(defaults.learning_rate);
  (void)ps::make_update_rule<double>(o.training.update, 0); // refuses unknown ones
  o.training.sparse_table = o.table == "sparse";
  if (o.training.sparse_table) ps::require_sparse_table_fits(o.training, o.model, o.l2);
  o.training.staleness = o.staleness == "inf" ? ps::TrainingOptions::kUnbounded : std::stoull(o.staleness);
  o.training.progress = !o.quiet && (o.progress || isatty(STDERR_FILENO) != 0);
}

void check_pstrain_files(const core::Communicator& comm, const PstrainOptions& options) {
  core::agree(comm, [&] {
    if (comm.rank() == 0) check_files(options);
  });
}

void take_over_workers(const core::Communicator& comm, PstrainOptions& o) {
  if (!o.checkpoints.resume || o.workers != 0) return;
  std::uint64_t workers = 0;
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    const nlohmann::json before = ps::newest_identity(o.checkpoints.directory);
    if (before.contains("--workers")) workers = before.at("--workers").get<std::uint64_t>();
  });
  o.workers = core::broadcast_value(comm, workers, 0);
}

ps::Roles roles_of(const PstrainOptions& options, int ranks) {
  return ps::Roles::parse(options.servers, ranks, options.workers);
}

nlohmann::json identity_of(const PstrainOptions& o, const ps::Roles& roles, const ps::DataShape& shape,
                           std::uint64_t fingerprint) {
  const ps::TrainingOptions& t = o.training;
  nlohmann::json identity = {{"model", o.model},
                             {"--precision", o.precision},
                             {"--strategy", t.strategy},
                             {"--workers", roles.workers()},
                             {"rows of --data", shape.rows},
                             {"features of --data", shape.features},
                             {"classes of --data", shape.classes},
                             {"the fingerprint of --data", fmt::format("{:016x}", fingerprint)},
                             {"--batch", t.batch},
                             {"--optimizer", t.update.rule},
                             {"--learning-rate", t.update.learning_rate},
                             {"--momentum", t.update.momentum},
                             {"--seed", t.seed},
                             {"--l2", o.l2}};
  if (o.model == "mlp") identity["--hidden"] = o.hidden;
  if (ps::find_strategy(t.strategy).has_local_steps) identity["--local-steps"] = t.local_steps;
  if (ps::find_strategy(t.strategy).needs_servers) identity["--table"] = o.table;
  if (t.strategy == "easgd") identity["--rho"] = t.rho ? nlohmann::json(*t.rho) : nlohmann::json();
  if (t.strategy == "gossip") identity["--topology"] = t.topology;
  return identity;
}

} // namespace drivers
