// What a trainer knows of a model: one flat vector of parameters, and a function from parameters and a batch to a loss
// and its gradient. Which layers are behind it is the model's own affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ps/data/dataset.hpp"
#include "ps/data/examples.hpp"

namespace ps {

/// A named part of the parameter vector.
struct Tensor {
  std::string name; ///< "conv1.weight"
  std::vector<std::size_t> shape;
  std::size_t first = 0; ///< in the parameter vector
  std::size_t count = 0;
};

/// Sums over rows, so that ranks can add theirs.
struct Evaluation {
  double loss_sum = 0;     ///< of the loss per row, regularisation left out
  std::size_t correct = 0; ///< rows with the right class; 0 for regression
  std::size_t rows = 0;
};

/// Told during the backward pass: parameters [first, first + count) of the gradient are final and will not be touched
/// again. Ranges come from the last layer to the first and cover the vector once.
using GradientReady = std::function<void(std::size_t first, std::size_t count)>;

/// Not thread-safe: a model keeps the memory of its layers from batch to batch. All functions are local, and give the
/// same bits for the same arguments.
template <class T>
class Model {
 public:
  virtual ~Model() = default;

  [[nodiscard]] virtual const std::string& kind() const noexcept = 0;
  [[nodiscard]] virtual std::span<const Tensor> tensors() const noexcept = 0;
  [[nodiscard]] virtual std::size_t parameter_count() const noexcept = 0;
  /// Numbers that predict() gives for a row: 1, or one for each class.
  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;
  /// Of ModelOptions.
  [[nodiscard]] virtual double l2() const noexcept = 0;
  /// Multiplications and additions of one row's forward and backward pass.
  [[nodiscard]] virtual double flops_per_row() const noexcept = 0;

  /// Start values: zero for linear models, He et al. (2015) normal for networks; a function of `seed` alone.
  virtual void initialise(std::span<T> parameters, std::uint64_t seed) const = 0;

  /// Mean loss over the batch plus regularisation; its gradient overwrites `gradient` (parameter_count() elements).
  virtual double loss_and_gradient(std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                                   const GradientReady& ready = {}) = 0;
  [[nodiscard]] virtual Evaluation evaluate(std::span<const T> parameters, const Batch<T>& batch) = 0;
  /// rows x outputs() numbers: targets (ridge), probabilities otherwise.
  virtual void predict(std::span<const T> parameters, const Batch<T>& batch, std::span<T> output) = 0;
};

/// The kinds of models, in the notation of their losses (libps/src/models/losses/loss.hpp). s is the score x·w + b.
///
///   ridge      ½ (s - y)² per row
///   logistic   log(1 + exp(s)) - y s
///   softmax    one score a class; log Σ exp(s_c) - s_y
///   mlp        dense layers with max(·, 0) between them, then as softmax
///   cnn        conv 3x3x32, max(·, 0), pool 2x2, conv 3x3x64, max(·, 0), pool 2x2, dense 64, max(·, 0), then as
///   softmax.
///              Images with both sides >= 10 are convolved unpadded, smaller ones (from 4 x 4) with a ring of zeros
///
/// All but cnn take sparse rows too; a row then costs its entries.
[[nodiscard]] std::span<const std::string_view> model_kinds() noexcept;

/// Scores are x·W + b, parameters W (features x outputs) and then b, start values 0: ridge, logistic, softmax. Local.
[[nodiscard]] bool is_linear_model(std::string_view kind) noexcept;

/// The most parameters that a layer of these models may have.
inline constexpr std::size_t kLargestModel = std::size_t{1} << 30;

struct ModelOptions {
  std::string kind;                     ///< ridge, logistic, softmax, mlp, cnn
  DataShape shape;                      ///< rows is not looked at
  double l2 = 0;                        ///< loss gets l2 / 2 · |weights|²; biases are left out
  std::vector<std::size_t> hidden{128}; ///< of mlp
};

/// Throws InputError when the data does not fit the model (cnn without images, one class, …). Local.
template <class T>
[[nodiscard]] std::unique_ptr<Model<T>> make_model(const ModelOptions& options);

} // namespace ps
