#include "ps/training/loss_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace ps {
namespace {

constexpr std::size_t kRowsAtATime = 256;
constexpr double kLeastPause = 1e-3;    // seconds between two questions for the version
constexpr double kShareOfTime = 0.05;   // that evaluations may take
constexpr double kHopeless = 1e6;       // times the first loss
constexpr double kRefreshSeconds = 0.1; // of the progress line

/// Rows [first, first + count). Local.
template <class T>
Batch<T> rows_of(const Examples<T>& examples, std::size_t first, std::size_t count) {
  Batch<T> batch = examples.view();
  batch.rows = count;
  batch.labels = batch.labels.subspan(first, count);
  if (batch.is_sparse())
    batch.row_begin = batch.row_begin.subspan(first, count + 1);
  else
    batch.dense = batch.dense.subspan(first * examples.features, count * examples.features);
  return batch;
}

} // namespace

template <class T>
Evaluation evaluate_all(Model<T>& model, std::span<const T> parameters, const Examples<T>& examples) {
  Evaluation sum;
  for (std::size_t first = 0; first < examples.rows; first += kRowsAtATime) {
    const std::size_t count = std::min(kRowsAtATime, examples.rows - first);
    const Evaluation part = model.evaluate(parameters, rows_of(examples, first, count));
    sum.loss_sum += part.loss_sum;
    sum.correct += part.correct;
    sum.rows += part.rows;
  }
  return sum;
}

template <class T>
std::vector<T> predict_all(Model<T>& model, std::span<const T> parameters, const Examples<T>& examples) {
  std::vector<T> predictions(examples.rows * model.outputs());
  for (std::size_t first = 0; first < examples.rows; first += kRowsAtATime) {
    const std::size_t count = std::min(kRowsAtATime, examples.rows - first);
    model.predict(parameters, rows_of(examples, first, count),
                  std::span(predictions).subspan(first * model.outputs(), count * model.outputs()));
  }
  return predictions;
}

template <class T>
LossMonitor<T>::LossMonitor(Model<T>& model, const Examples<T>& sample, const TrainingOptions& options)
    : model_(&model),
      sample_(&sample),
      target_(options.target_loss),
      every_(options.loss_every),
      progress_(options.progress) {}

template <class T>
LossMonitor<T>::~LossMonitor() {
  if (shown_) fmt::print(stderr, "\n");
}

template <class T>
void LossMonitor<T>::start(double seconds_before, std::vector<Point> curve_before) {
  before_ = seconds_before;
  curve_ = std::move(curve_before);
  watch_ = core::Stopwatch();
}

template <class T>
bool LossMonitor<T>::may_look() noexcept {
  if (!watches() || wants_stop()) return false;
  if (last_version_ && every_ == 0) {
    const double pause = last_cost_ * (1 / kShareOfTime - 1);
    if (since_look_.seconds() < pause || since_asked_.seconds() < kLeastPause) return false;
  }
  since_asked_.lap();
  return true;
}

template <class T>
bool LossMonitor<T>::due(std::uint64_t version) const noexcept {
  if (!watches() || wants_stop()) return false;
  return !last_version_ || version >= *last_version_ + std::max<std::uint64_t>(every_, 1);
}

template <class T>
void LossMonitor<T>::look(std::uint64_t version, std::uint64_t gradients, std::span<const T> parameters,
                          double reading) {
  const double now = seconds();
  const Evaluation found = evaluate_all(*model_, parameters, *sample_);
  const Point point{now, gradients, found.loss_sum / static_cast<double>(found.rows)};
  curve_.push_back(point);
  diverged_ = !(point.loss <= kHopeless * std::max(curve_.front().loss, 1e-300)) || !std::isfinite(point.loss);
  if (target_ && point.loss <= *target_) reached_ = point;
  if (progress_ && (!shown_ || since_shown_.seconds() > kRefreshSeconds || wants_stop())) show(point);
  last_version_ = version;
  last_cost_ = reading + (seconds() - now);
  since_look_.lap();
}

template <class T>
void LossMonitor<T>::show(const Point& point) {
  fmt::print(stderr, "\rgradients {}  loss {:.6g}  {:.2f} s  {:.0f} gradients/s\x1b[K", point.gradients, point.loss,
             point.seconds, point.seconds > 0 ? static_cast<double>(point.gradients) / point.seconds : 0.0);
  std::fflush(stderr);
  since_shown_.lap();
  shown_ = true;
}

template Evaluation evaluate_all(Model<float>&, std::span<const float>, const Examples<float>&);
template Evaluation evaluate_all(Model<double>&, std::span<const double>, const Examples<double>&);
template std::vector<float> predict_all(Model<float>&, std::span<const float>, const Examples<float>&);
template std::vector<double> predict_all(Model<double>&, std::span<const double>, const Examples<double>&);
template class LossMonitor<float>;
template class LossMonitor<double>;

} // namespace ps
