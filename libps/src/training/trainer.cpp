#include "ps/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/quiet_barrier.hpp"
#include "core/stop_request.hpp"

namespace ps {
namespace {

nlohmann::json to_json(const std::vector<LossPoint>& curve) {
  nlohmann::json points = nlohmann::json::array();
  for (const LossPoint& point : curve)
    points.push_back({{"seconds", point.seconds}, {"gradients", point.gradients}, {"loss", point.loss}});
  return points;
}

LossPoint point_of(const nlohmann::json& json) {
  // JSON has no NaN: null stands for a loss that is not finite.
  const nlohmann::json& loss = json.at("loss");
  return {json.at("seconds").get<double>(), json.at("gradients").get<std::uint64_t>(),
          loss.is_null() ? std::nan("") : loss.get<double>()};
}

std::vector<LossPoint> curve_of(const nlohmann::json& points) {
  std::vector<LossPoint> curve;
  for (const nlohmann::json& point : points) curve.push_back(point_of(point));
  return curve;
}

template <class T>
std::vector<Worker<T>> make_workers(const core::Communicator& comm, const Roles& roles, const TrainingOptions& options,
                                    const Dataset<T>& data) {
  return core::agree(comm, [&] {
    if (options.batch == 0 || options.gradients == 0 || options.local_steps == 0)
      throw core::InputError("a batch, the gradients of a worker and its local steps are at least 1");
    check_pace(options.pace, roles.workers());
    (void)make_update_rule<T>(options.update, 0); // refused here, by all ranks, if at all
    std::vector<Worker<T>> workers;
    const std::vector<std::size_t> numbers = roles.workers_of(comm.rank());
    for (std::size_t i = 0; i < numbers.size(); ++i) workers.emplace_back(numbers[i], data.shares.at(i), options);
    return workers;
  });
}

} // namespace

std::uint64_t gradients_for(double epochs, std::size_t rows, std::size_t workers, std::size_t batch) {
  const double gradients =
      epochs * static_cast<double>(rows) / (static_cast<double>(workers) * static_cast<double>(batch));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(gradients)));
}

template <class T>
Evaluation evaluate_shares(const core::Communicator& comm, const Roles& roles, Model<T>& model,
                           std::span<const T> parameters, std::span<const Examples<T>> shares) {
  // Sums of workers, which others add zeros to, folded in worker order: no trace of who carries whom.
  std::vector<double> losses(roles.workers());
  std::vector<std::uint64_t> counts(2);
  const std::vector<std::size_t> numbers = roles.workers_of(comm.rank());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Evaluation found = evaluate_all(model, parameters, shares[i]);
    losses[numbers[i]] = found.loss_sum;
    counts[0] += found.correct;
    counts[1] += found.rows;
  }
  core::all_reduce(comm, std::span(losses), core::Reduce::sum);
  core::all_reduce(comm, std::span(counts), core::Reduce::sum);
  Evaluation all{0, counts[0], counts[1]};
  for (const double loss : losses) all.loss_sum += loss;
  return all;
}

nlohmann::json TrainingReport::to_json(std::size_t batch) const {
  nlohmann::json json = measured.to_json();
  json["train_seconds"] = seconds;
  json["samples_per_second"] = seconds_here > 0 ? static_cast<double>(gradients_here * batch) / seconds_here : 0.0;
  json["curve"] = ps::to_json(curve);
  json["target_reached"] = reached ? ps::to_json({*reached}).front() : nlohmann::json();
  json["diverged"] = diverged;
  json["resumed_from"] = resumed_from ? nlohmann::json(*resumed_from) : nlohmann::json();
  return json;
}

template <class T>
Trainer<T>::Trainer(const core::Communicator& comm, const Roles& roles, const TrainingOptions& options, Model<T>& model,
                    const Dataset<T>& data, const Examples<T>& sample)
    : comm_(&comm),
      roles_(&roles),
      model_(&model),
      options_(options),
      steps_per_round_(find_strategy(options.strategy).has_local_steps ? options.local_steps : 1),
      workers_(make_workers(comm, roles, options, data)),
      monitor_(model, sample, options_),
      measured_(roles.workers()),
      parameters_(model.parameter_count()) {
  if (find_strategy(options.strategy).needs_servers == roles.servers().empty()) {
    throw core::InputError(
        roles.servers().empty()
            ? fmt::format("--strategy {} needs a server: give --servers 1 or more, or all", options.strategy)
            : fmt::format("--strategy {} has no servers: leave --servers out", options.strategy));
  }
  if (options_.spectator != nullptr)
    board_ = std::make_unique<ProgressBoard>(comm, roles, measured_, monitor_.curve(), *options_.spectator);
  strategy_ = make_strategy(TrainingSite<T>{comm, roles, options_, model, workers_, monitor_, measured_, board_.get()});
}

template <class T>
TrainingReport Trainer<T>::run(TrainingCheckpoints* checkpoints) {
  std::vector<LossPoint> curve_before;
  if (checkpoints != nullptr) curve_before = resume(*checkpoints);
  monitor_.start(seconds_before_, std::move(curve_before));
  if (monitor_.watches() && !resumed_from_) {
    model_->initialise(parameters_, options_.seed);
    monitor_.look(0, 0, parameters_);
  }
  core::quiet_barrier(*comm_);
  monitor_.start(seconds_before_, monitor_.curve());
  if (board_) {
    board_->begin(rounds_ * steps_per_round_);
    options_.spectator->begin(monitor_.curve(), resumed_from_);
  }
  train(checkpoints);
  if (board_) board_->post_and_tell();

  TrainingReport report;
  report.seconds = core::all_reduce_value(*comm_, monitor_.seconds(), core::Reduce::max);
  report.seconds_here = report.seconds - seconds_before_;
  report.measured = gather(*comm_, measured_);
  strategy_->read_parameters(parameters_);
  const bool seen_already = monitor_.curve().empty() || monitor_.curve().back().gradients == report.measured.gradients;
  if (monitor_.watches() && !monitor_.wants_stop() && !seen_already) // the last point: what has been learnt
    monitor_.look(report.measured.gradients, report.measured.gradients, parameters_);
  report.gradients_here = report.measured.gradients - gradients_before_;
  report.resumed_from = resumed_from_;
  const nlohmann::json seen = curve_of_monitor();
  report.curve = curve_of(seen.at("curve"));
  report.diverged = seen.at("diverged").get<bool>();
  if (board_) {
    board_->post_and_tell(); // all have told their last numbers before they came here
    options_.spectator->trained(report.curve);
  }
  if (!seen.at("reached").is_null()) report.reached = point_of(seen.at("reached"));
  return report;
}

template <class T>
void Trainer<T>::train(TrainingCheckpoints* checkpoints) {
  const auto rounds_of = [this](std::uint64_t gradients) { return (gradients - 1) / steps_per_round_ + 1; };
  const std::uint64_t total = rounds_of(options_.gradients);
  // Between two checkpoints; the last stretch may be shorter.
  const std::uint64_t every =
      checkpoints == nullptr || checkpoints->options().every == 0 ? total : rounds_of(checkpoints->options().every);
  std::optional<core::StopRequest> signals;
  if (checkpoints != nullptr) signals.emplace();
  while (rounds_ < total) {
    const std::uint64_t next = rounds_ + std::min(total - rounds_, every - rounds_ % every);
    strategy_->train(next, checkpoints != nullptr ? &core::StopRequest::made : nullptr);
    rounds_ = core::all_reduce_value(*comm_, strategy_->rounds_done(), core::Reduce::max);
    if (strategy_->stopped()) {
      // A run that is complete is not stopped, whatever signal comes at the same time.
      if (is_decided()) return;
      strategy_->train(rounds_, nullptr); // who is behind catches up: a checkpoint is a meeting
      if (is_decided() || rounds_ == total) return;
      save(*checkpoints, rounds_);
      core::Error stop(
          fmt::format("stopped on request; to go on from step {}, run again with --resume", rounds_ * steps_per_round_),
          core::ExitCode::requeue);
      stop.set_rank(0); // all ranks know
      throw stop;
    }
    if (rounds_ < total && checkpoints != nullptr) save(*checkpoints, rounds_);
  }
}

template <class T>
bool Trainer<T>::is_decided() const {
  return core::all_reduce_value(*comm_, monitor_.wants_stop() ? 1 : 0, core::Reduce::max) != 0;
}

template <class T>
nlohmann::json Trainer<T>::curve_of_monitor() const {
  const nlohmann::json mine = {
      {"curve", to_json(monitor_.curve())},
      {"diverged", monitor_.diverged()},
      {"reached", monitor_.reached() ? to_json({*monitor_.reached()}).front() : nlohmann::json()}};
  return nlohmann::json::parse(core::broadcast_string(*comm_, mine.dump(), roles_->monitor_rank()));
}

template <class T>
void Trainer<T>::save(TrainingCheckpoints& checkpoints, std::uint64_t rounds) {
  nlohmann::json meta = {{"rounds", rounds},
                         {"strategy", strategy_->describe()},
                         {"measured", gather(*comm_, measured_).to_json()},
                         {"seconds", core::all_reduce_value(*comm_, monitor_.seconds(), core::Reduce::max)},
                         {"curve", curve_of_monitor().at("curve")}};
  checkpoints.save(*comm_, rounds * steps_per_round_, strategy_->save(), std::move(meta));
  if (options_.spectator == nullptr) return;
  const nlohmann::json& written = checkpoints.written().back();
  options_.spectator->checkpoint(written.at("step"), written.at("bytes"), written.at("seconds"));
}

template <class T>
std::vector<LossPoint> Trainer<T>::resume(TrainingCheckpoints& checkpoints) {
  std::optional<core::checkpoint::Restored> found = checkpoints.restore(*comm_);
  if (!found) return {};
  found->meta.at("rounds").get_to(rounds_);
  strategy_->restore(rounds_, std::move(found->parts), found->meta.at("strategy"));
  const Measurements before = Measurements::from_json(found->meta.at("measured"));
  if (comm_->rank() == 0) measured_.add(before); // once, since all ranks' are added up
  gradients_before_ = before.gradients;
  found->meta.at("seconds").get_to(seconds_before_);
  resumed_from_ = found->number;
  if (comm_->rank() == 0) core::log_info(fmt::format("resumed from the checkpoint of step {}", found->number));
  return curve_of(found->meta.at("curve"));
}

#define SUPERSTEP_INSTANTIATE(T)                                                                              \
  template Evaluation evaluate_shares(const core::Communicator&, const Roles&, Model<T>&, std::span<const T>, \
                                      std::span<const Examples<T>>);                                          \
  template class Trainer<T>
SUPERSTEP_INSTANTIATE(float);
SUPERSTEP_INSTANTIATE(double);
#undef SUPERSTEP_INSTANTIATE

} // namespace ps
