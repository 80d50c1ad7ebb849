#include "models/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/random.hpp"
#include "models/normal.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

constexpr std::size_t kPieceRows = 64; // of evaluation and prediction

/// Rows [first, first + count) of a batch.
template <class T>
Batch<T> slice(const Batch<T>& batch, std::size_t first, std::size_t count) {
  Batch<T> part = batch;
  part.rows = count;
  if (batch.is_sparse())
    part.row_begin = batch.row_begin.subspan(first, count + 1);
  else
    part.dense = batch.dense.subspan(first * batch.features, count * batch.features);
  part.labels = batch.labels.empty() ? batch.labels : batch.labels.subspan(first, count);
  return part;
}

/// At least `count` elements; memory is only ever taken, so that batches after the first allocate nothing.
template <class T>
std::span<T> grown(core::HugeVector<T>& memory, std::size_t count) {
  if (memory.size() < count) memory.resize(count);
  return {memory.data(), count};
}

} // namespace

template <class T>
Network<T>::Network(std::string kind, std::vector<NamedLayer<T>> layers, std::unique_ptr<Loss<T>> loss, double l2,
                    Start start)
    : kind_(std::move(kind)), loss_(std::move(loss)), l2_(l2), start_(start) {
  for (NamedLayer<T>& named : layers) {
    Stage stage;
    stage.layer = std::move(named.layer);
    stage.first = parameter_count_;
    for (LayerTensor& tensor : stage.layer->tensors()) {
      const std::string name = named.name.empty() ? tensor.name : named.name + "." + tensor.name;
      tensors_.push_back({name, std::move(tensor.shape), parameter_count_, tensor.count});
      fan_in_.push_back(tensor.fan_in);
      parameter_count_ += tensor.count;
    }
    stage.count = parameter_count_ - stage.first;
    stages_.push_back(std::move(stage));
  }
}

template <class T>
double Network<T>::flops_per_row() const noexcept {
  double sum = 0;
  for (const Stage& stage : stages_) {
    // Forward, gradient of the parameters, gradient of the input; the first layer's input needs none.
    sum += stage.layer->flops() * (&stage == &stages_.front() ? 2 : 3);
  }
  return sum;
}

template <class T>
void Network<T>::initialise(std::span<T> parameters, std::uint64_t seed) const {
  std::fill(parameters.begin(), parameters.end(), T{0});
  if (start_ == Start::zero) return;
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (fan_in_[t] == 0) continue;
    const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in_[t]));
    core::CounterRandom random(seed, t + 1);
    for (T& w : parameters.subspan(tensors_[t].first, tensors_[t].count)) {
      w = static_cast<T>(deviation * standard_normal(random));
    }
  }
}

template <class T>
void Network<T>::check(std::span<const T> parameters, const Batch<T>& batch) const {
  const Layer<T>& first = *stages_.front().layer;
  if (parameters.size() != parameter_count_) {
    throw PsError(fmt::format("{}: {} parameters given, the model has {}", kind_, parameters.size(), parameter_count_));
  }
  if (batch.features != first.inputs()) {
    throw PsError(
        fmt::format("{}: rows of {} features given, the model has {}", kind_, batch.features, first.inputs()));
  }
  if (!batch.is_sparse()) {
    if (batch.dense.size() == batch.rows * batch.features) return;
    throw PsError(
        fmt::format("{}: {} numbers are not {} rows of {}", kind_, batch.dense.size(), batch.rows, batch.features));
  }
  if (!first.accepts_sparse()) throw PsError(fmt::format("{}: sparse rows given, the model needs images", kind_));
  if (batch.row_begin.size() != batch.rows + 1) {
    throw PsError(fmt::format("{}: {} row offsets for {} sparse rows", kind_, batch.row_begin.size(), batch.rows));
  }
  for (std::size_t r = 0; r < batch.rows; ++r) { // keys rise within a row, so its last one is the greatest
    const std::size_t end = batch.row_begin[r + 1];
    if (end != batch.row_begin[r] && batch.keys[end - 1] >= batch.features) {
      throw PsError(fmt::format("{}: feature {} given, the model has {}", kind_, batch.keys[end - 1], batch.features));
    }
  }
}

template <class T>
Batch<T> Network<T>::input_of(std::size_t s, const Batch<T>& batch) const {
  if (s == 0) return batch;
  Batch<T> input;
  input.rows = batch.rows;
  input.features = stages_[s].layer->inputs();
  input.dense = std::span<const T>(stages_[s - 1].output).first(input.rows * input.features);
  return input;
}

template <class T>
std::span<T> Network<T>::forward(std::span<const T> parameters, const Batch<T>& batch) {
  std::span<T> output;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    Stage& stage = stages_[s];
    output = grown(stage.output, batch.rows * stage.layer->outputs());
    stage.layer->forward(parameters.subspan(stage.first, stage.count), input_of(s, batch), output);
  }
  return output;
}

template <class T>
void Network<T>::backward(std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                          const GradientReady& ready) {
  for (std::size_t s = stages_.size(); s-- > 0;) {
    Stage& stage = stages_[s];
    Layer<T>& layer = *stage.layer;
    const std::span<const T> weights = parameters.subspan(stage.first, stage.count);
    const std::span<T> mine = gradient.subspan(stage.first, stage.count);
    std::fill(mine.begin(), mine.end(), T{0});
    std::span<T> below;
    if (s > 0) below = grown(input_gradient_, batch.rows * layer.inputs());
    layer.backward(weights, input_of(s, batch), std::span<const T>(stage.output).first(batch.rows * layer.outputs()),
                   std::span<const T>(output_gradient_).first(batch.rows * layer.outputs()), mine, below);
    if (stage.count != 0) {
      add_regularisation(stage, parameters, gradient);
      if (ready) ready(stage.first, stage.count);
    }
    std::swap(output_gradient_, input_gradient_);
  }
}

template <class T>
double Network<T>::loss_and_gradient(std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                                     const GradientReady& ready) {
  check(parameters, batch);
  loss_->check_labels(batch.labels, outputs());
  if (batch.labels.size() != batch.rows || gradient.size() != parameter_count_) {
    throw PsError(fmt::format("{}: {} labels for {} rows, {} gradient entries for {} parameters", kind_,
                              batch.labels.size(), batch.rows, gradient.size(), parameter_count_));
  }
  const std::span<T> scores = forward(parameters, batch);
  const std::span<T> derivatives = grown(output_gradient_, scores.size());
  double loss = 0;
  for (std::size_t r = 0; r < batch.rows; ++r) {
    loss += loss_->of_row(scores.subspan(r * outputs(), outputs()), batch.labels[r],
                          derivatives.subspan(r * outputs(), outputs()));
  }
  if (batch.rows > 1) {
    const T share = T{1} / static_cast<T>(batch.rows);
    for (T& derivative : derivatives) derivative *= share;
  }
  backward(parameters, batch, gradient, ready);
  return loss / static_cast<double>(std::max<std::size_t>(batch.rows, 1)) + regularisation(parameters);
}

template <class T>
Evaluation Network<T>::evaluate(std::span<const T> parameters, const Batch<T>& batch) {
  check(parameters, batch);
  loss_->check_labels(batch.labels, outputs());
  if (batch.labels.size() != batch.rows) {
    throw PsError(fmt::format("{}: {} labels for {} rows", kind_, batch.labels.size(), batch.rows));
  }
  Evaluation result;
  for (std::size_t first = 0; first < batch.rows; first += kPieceRows) {
    const Batch<T> piece = slice(batch, first, std::min(kPieceRows, batch.rows - first));
    const std::span<T> scores = forward(parameters, piece);
    for (std::size_t r = 0; r < piece.rows; ++r) {
      const std::span<const T> row = scores.subspan(r * outputs(), outputs());
      result.loss_sum += loss_->of_row(row, piece.labels[r], {});
      if (loss_->is_correct(row, piece.labels[r])) ++result.correct;
    }
  }
  result.rows = batch.rows;
  return result;
}

template <class T>
void Network<T>::predict(std::span<const T> parameters, const Batch<T>& batch, std::span<T> output) {
  check(parameters, batch);
  if (output.size() != batch.rows * outputs()) {
    throw PsError(fmt::format("{}: room for {} predictions, {} rows give {}", kind_, output.size(), batch.rows,
                              batch.rows * outputs()));
  }
  for (std::size_t first = 0; first < batch.rows; first += kPieceRows) {
    const Batch<T> piece = slice(batch, first, std::min(kPieceRows, batch.rows - first));
    const std::span<T> scores = forward(parameters, piece);
    for (std::size_t r = 0; r < piece.rows; ++r) loss_->predict_row(scores.subspan(r * outputs(), outputs()));
    std::copy(scores.begin(), scores.end(), output.begin() + static_cast<std::ptrdiff_t>(first * outputs()));
  }
}

template <class T>
double Network<T>::regularisation(std::span<const T> parameters) const {
  if (l2_ == 0) return 0;
  double squares = 0;
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (fan_in_[t] == 0) continue;
    for (const T w : parameters.subspan(tensors_[t].first, tensors_[t].count)) {
      squares += static_cast<double>(w) * static_cast<double>(w);
    }
  }
  return l2_ / 2 * squares;
}

template <class T>
void Network<T>::add_regularisation(const Stage& stage, std::span<const T> parameters, std::span<T> gradient) const {
  if (l2_ == 0) return;
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    const Tensor& tensor = tensors_[t];
    if (fan_in_[t] == 0 || tensor.first < stage.first || tensor.first >= stage.first + stage.count) continue;
    for (std::size_t i = tensor.first; i < tensor.first + tensor.count; ++i) {
      gradient[i] += static_cast<T>(l2_) * parameters[i];
    }
  }
}

template class Network<float>;
template class Network<double>;

} // namespace ps
