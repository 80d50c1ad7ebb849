// pstrain: train a model by distributed stochastic gradient descent, or apply a trained one.
//
//   mpirun -n 6 pstrain cnn --data digits --servers 2 --strategy ssp --staleness 3 --output digits.h5
//   pstrain --predict digits.h5 --data images-idx3-ubyte --output predictions.txt
//
// train() is the whole of it: data, model, trainer, evaluation, files. Everything is a template over the precision.
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "core/fault_tolerance.hpp"
#include "core/log.hpp"
#include "core/metrics.hpp"
#include "core/runtime.hpp"
#include "monitor/pstrain_view.hpp"
#include "ps/data/dataset.hpp"
#include "ps/data/fingerprint.hpp"
#include "ps/error.hpp"
#include "ps/models/model.hpp"
#include "ps/training/model_file.hpp"
#include "ps/training/trainer.hpp"
#include "pstrain_options.hpp"

namespace {

using drivers::PstrainOptions;

void say(const core::Communicator& comm, const PstrainOptions& o, const std::string& line) {
  if (comm.rank() == 0 && !o.quiet) fmt::print("{}\n", line);
}

ps::LabelKind labels_of(const std::string& model) {
  return model == "ridge" ? ps::LabelKind::real : model == "logistic" ? ps::LabelKind::binary : ps::LabelKind::classes;
}

bool has_test_part(const std::string& source) {
  return source == "digits" || source.starts_with("synthetic:");
}

/// What was trained on, what is tested on, and what the curve of losses is taken from.
template <class T>
struct Data {
  ps::Dataset<T> train;
  std::optional<ps::Dataset<T>> test;
  ps::Examples<T> sample; ///< on the monitor's rank
};

/// Collective.
template <class T>
Data<T> load(const core::Communicator& comm, const PstrainOptions& o, const ps::Roles& roles) {
  const std::vector<std::size_t> mine = roles.workers_of(comm.rank());
  ps::DataOptions options;
  options.source = o.data;
  options.labels = labels_of(o.model);
  Data<T> data;
  data.train = ps::load_dataset<T>(comm, options, mine, roles.workers());
  options.features = data.train.shape.features;
  options.classes = data.train.shape.classes;
  if (o.loss_sample > 0) {
    ps::DataOptions sample = options;
    sample.max_rows = o.loss_sample;
    const std::vector<std::size_t> whole(comm.rank() == roles.monitor_rank() ? 1 : 0); // worker 0 of one
    ps::Dataset<T> first_rows = ps::load_dataset<T>(comm, sample, whole, 1);
    if (!first_rows.shares.empty()) data.sample = std::move(first_rows.shares.front());
  }
  if (o.test.empty() && !has_test_part(o.data)) return data;
  options.test_part = o.test.empty();
  options.empty_shares = true;
  if (!o.test.empty()) options.source = o.test;
  data.test = ps::load_dataset<T>(comm, options, mine, roles.workers());
  return data;
}

/// What the run has led to. The losses are means over rows, without regularisation.
struct Quality {
  double train_loss = 0, train_accuracy = 0, test_loss = 0, test_accuracy = 0;
};

double mean_loss(const ps::Evaluation& e) {
  return e.loss_sum / static_cast<double>(e.rows);
}
double accuracy(const ps::Evaluation& e) {
  return static_cast<double>(e.correct) / static_cast<double>(e.rows);
}

/// Collective.
template <class T>
Quality assess(const core::Communicator& comm, const ps::Roles& roles, ps::Model<T>& model,
               std::span<const T> parameters, const Data<T>& data) {
  const auto evaluate = [&](const ps::Dataset<T>& part) {
    return ps::evaluate_shares<T>(comm, roles, model, parameters, part.shares);
  };
  const ps::Evaluation train = evaluate(data.train);
  Quality quality{mean_loss(train), accuracy(train), std::nan(""), std::nan("")};
  if (!data.test) return quality;
  const ps::Evaluation test = evaluate(*data.test);
  quality.test_loss = mean_loss(test);
  quality.test_accuracy = accuracy(test);
  return quality;
}

template <class T>
void print_result(const core::Communicator& comm, const PstrainOptions& o, const ps::TrainingReport& report,
                  const Quality& quality) {
  const ps::Measurements& m = report.measured;
  const bool classifies = o.model != "ridge";
  say(comm, o,
      fmt::format("{}: {} gradients of {} rows in {:.3f} s, {:.0f} samples/s, {} messages", o.training.strategy,
                  m.gradients, o.training.batch, report.seconds,
                  report.to_json(o.training.batch).at("samples_per_second").template get<double>(), m.messages));
  say(comm, o,
      fmt::format("  clock lead {:.2f} (at most {}), version staleness {:.2f} (at most {})", m.clock_lead.mean(),
                  m.clock_lead.max(), m.version_staleness.mean(), m.version_staleness.max()));
  if (report.reached)
    say(comm, o,
        fmt::format("  target loss reached after {:.3f} s and {} gradients", report.reached->seconds,
                    report.reached->gradients));
  std::string line = fmt::format("  train loss {:.6g}", quality.train_loss);
  if (classifies) line += fmt::format(", accuracy {:.4f}", quality.train_accuracy);
  if (!std::isnan(quality.test_loss)) {
    line += fmt::format("; test loss {:.6g}", quality.test_loss);
    if (classifies) line += fmt::format(", accuracy {:.4f}", quality.test_accuracy);
  }
  say(comm, o, line);
}

nlohmann::json metrics(const core::Communicator& comm, const PstrainOptions& o, const ps::Roles& roles,
                       const ps::TrainingReport& report, const Quality& quality, const nlohmann::json& checkpoints,
                       const std::string& data, std::uint64_t peak_bytes, const std::string& command_line) {
  nlohmann::json document = report.to_json(o.training.batch);
  document["model"] = o.model;
  document["strategy"] = o.training.strategy;
  document["table"] = o.table;
  document["precision"] = o.precision;
  document["optimizer"] = o.training.update.rule;
  document["learning_rate"] = o.training.update.learning_rate;
  document["batch"] = o.training.batch;
  document["ranks"] = comm.size();
  document["workers"] = roles.workers();
  document["servers"] = roles.servers().size();
  document["train_loss"] = quality.train_loss;
  document["test_loss"] = quality.test_loss;
  // Not a number becomes null: a regression has no accuracy, and not every run a test.
  const bool classifies = o.model != "ridge";
  document["train_accuracy"] = classifies ? quality.train_accuracy : std::nan("");
  document["test_accuracy"] = classifies ? quality.test_accuracy : std::nan("");
  document["checkpoints"] = checkpoints;
  document["peak_rss_bytes"] = peak_bytes;
  document["stamp"] = core::build_stamp();
  document["stamp"]["command_line"] = command_line;
  document["stamp"]["seed"] = o.training.seed;
  document["stamp"]["data"] = data;
  return document;
}

/// From the data to the files. Collective.
template <class T>
void train(const core::Communicator& comm, PstrainOptions o, const std::string& command_line) {
  drivers::take_over_workers(comm, o);
  const ps::Roles roles = drivers::roles_of(o, comm.size());
  std::optional<drivers::PstrainView> view;
  if (o.monitor.port) {
    view.emplace(o, roles, comm.size()).serve(comm, o.quiet);
    view->enter_phase("loading the data");
    o.training.spectator = &*view;
  }
  ps::check_pace(o.training.pace, roles.workers());
  std::optional<ps::TrainingCheckpoints> checkpoints;
  const Data<T> data = load<T>(comm, o, roles);
  const ps::DataShape& shape = data.train.shape;
  const ps::ModelOptions model_options{o.model, shape, o.l2, o.hidden};
  const auto model = core::agree(comm, [&] { return ps::make_model<T>(model_options); });
  o.training.gradients =
      o.gradients.value_or(ps::gradients_for(o.epochs.value_or(1), shape.rows, roles.workers(), o.training.batch));
  if (view) view->data_are_there(data.train.description, model->parameter_count(), o.training.gradients);
  say(comm, o,
      fmt::format("{}; {} with {} parameters; {} worker{} and {} server{} on {} rank{}", data.train.description,
                  o.model, model->parameter_count(), roles.workers(), roles.workers() == 1 ? "" : "s",
                  roles.servers().size(), roles.servers().size() == 1 ? "" : "s", comm.size(),
                  comm.size() == 1 ? "" : "s"));

  if (!o.checkpoints.directory.empty()) {
    const auto rows = ps::fingerprint<T>(comm, data.train.shares, roles.workers_of(comm.rank()), roles.workers());
    checkpoints.emplace(o.checkpoints, drivers::identity_of(o, roles, shape, rows));
    checkpoints->prepare(comm);
  }
  ps::Trainer<T> trainer(comm, roles, o.training, *model, data.train, data.sample);
  const ps::TrainingReport report = trainer.run(checkpoints ? &*checkpoints : nullptr);
  const Quality quality = assess<T>(comm, roles, *model, trainer.parameters(), data);
  const bool diverged = report.diverged || !std::isfinite(quality.train_loss);
  print_result<T>(comm, o, report, quality);

  const std::uint64_t peak =
      core::all_reduce_value(comm, std::uint64_t{core::peak_resident_bytes()}, core::Reduce::max);
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    if (!o.output.empty() && !diverged) {
      ps::write_model<T>(
          o.output, model_options, *model, trainer.parameters(),
          {{"strategy", o.training.strategy}, {"data", data.train.description}, {"command_line", command_line}});
    }
    if (o.metrics.empty()) return;
    core::write_json(o.metrics, metrics(comm, o, roles, report, quality,
                                        checkpoints ? checkpoints->written() : nlohmann::json::array(),
                                        data.train.description, peak, command_line));
  });
  if (diverged) {
    ps::PsError error(fmt::format(
        "the training has diverged: its loss is a million times what it was, or not a number; try a smaller "
        "--learning-rate than {:g}{}",
        o.training.update.learning_rate, o.output.empty() ? "" : " (no model was written)"));
    error.set_rank(0); // all ranks know
    throw error;
  }
  if (checkpoints) checkpoints->complete(comm);
  if (view) view->end("finished");
}

/// One line a row, so exact that the numbers can be read back: the target, or the class and the probabilities (one
/// number for two classes: that of class 1).
template <class T>
std::string prediction_lines(const std::vector<T>& predictions, std::size_t outputs, bool regression) {
  std::string text;
  for (std::size_t begin = 0; begin < predictions.size(); begin += outputs) {
    const std::span<const T> row(predictions.data() + begin, outputs);
    if (!regression) {
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      text += fmt::format("{} ", outputs == 1 ? (row[0] > T(0.5) ? 1 : 0) : static_cast<int>(best));
    }
    text += fmt::format("{:.17g}\n", fmt::join(row, " "));
  }
  return text;
}

/// Rank 0 does it all: a pass over the rows is short against reading them. Collective.
template <class T>
void predict(const core::Communicator& comm, const PstrainOptions& o, const ps::ModelOptions& options) {
  ps::DataOptions source;
  source.source = o.data;
  source.test_part = has_test_part(o.data); // a model is judged by rows that it has not seen
  source.labels = labels_of(options.kind);
  source.features = options.shape.features;
  source.classes = options.shape.classes;
  const std::vector<std::size_t> all(comm.rank() == 0 ? 1 : 0); // worker 0 of one
  const ps::Dataset<T> data = ps::load_dataset<T>(comm, source, all, 1);
  std::string summary;
  core::agree(comm, [&] {
    if (comm.rank() != 0) return;
    const auto model = ps::make_model<T>(options);
    const std::vector<T> parameters = ps::read_model_parameters<T>(o.predict, *model);
    const ps::Examples<T>& rows = data.shares.front();
    const std::vector<T> predictions = ps::predict_all<T>(*model, parameters, rows);
    core::AtomicFile file(o.output);
    file.write(prediction_lines(predictions, model->outputs(), options.kind == "ridge"));
    file.commit();
    const ps::Evaluation found = ps::evaluate_all<T>(*model, parameters, rows);
    summary = fmt::format("{}: {} of {}: loss {:.6g}", o.predict, options.kind, data.description, mean_loss(found));
    if (options.kind != "ridge") summary += fmt::format(", accuracy {:.4f}", accuracy(found));
    nlohmann::json document = {{"model", options.kind},
                               {"rows", found.rows},
                               {"loss", mean_loss(found)},
                               {"accuracy", options.kind == "ridge" ? std::nan("") : accuracy(found)},
                               {"stamp", core::build_stamp()}};
    if (!o.metrics.empty()) core::write_json(o.metrics, document);
  });
  say(comm, o, summary);
}

core::ExitCode run(const core::Communicator& world, int argc, char** argv) {
  std::optional<PstrainOptions> options = drivers::parse_pstrain_options(argc, argv, world.rank() == 0);
  if (!options) return core::ExitCode::success;
  if (core::survives_failures())
    throw core::InputError(
        "a rank's death ends training: start without --with-ft, and under supervise to go on after one");
  drivers::complete_pstrain_options(*options, world.size());
  drivers::check_pstrain_files(world, *options);
  core::configure_logging(world.rank(), options->quiet ? core::LogLevel::quiet : core::LogLevel::normal);
  const std::vector<std::string> words(argv, argv + argc);
  const std::string command_line = fmt::format("{}", fmt::join(words, " "));
  if (options->predicts()) {
    const ps::StoredModel stored = core::agree(world, [&] { return ps::read_model_options(options->predict); });
    if (stored.single_precision)
      predict<float>(world, *options, stored.options);
    else
      predict<double>(world, *options, stored.options);
  } else if (options->precision == "float") {
    train<float>(world, *options, command_line);
  } else {
    train<double>(world, *options, command_line);
  }
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("pstrain", argc, argv, run);
}
