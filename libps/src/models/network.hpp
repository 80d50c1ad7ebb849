// The one class behind ps::Model: layers in a row, and a loss at the end. A linear model is a network of one dense
// layer.
//
// Training keeps the outputs of all layers of a batch for the way back. Evaluation and prediction go through the rows
// in pieces of kPieceRows, so that a test set of any size needs the memory of one piece.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/huge_vector.hpp"
#include "models/layers/layer.hpp"
#include "models/losses/loss.hpp"
#include "ps/models/model.hpp"

namespace ps {

enum class Start { zero, he_normal };

template <class T>
struct NamedLayer {
  std::string name; ///< put before the names of its tensors: "conv1"; may be empty
  std::unique_ptr<Layer<T>> layer;
};

template <class T>
class Network final : public Model<T> {
 public:
  Network(std::string kind, std::vector<NamedLayer<T>> layers, std::unique_ptr<Loss<T>> loss, double l2, Start start);

  [[nodiscard]] const std::string& kind() const noexcept override { return kind_; }
  [[nodiscard]] std::span<const Tensor> tensors() const noexcept override { return tensors_; }
  [[nodiscard]] std::size_t parameter_count() const noexcept override { return parameter_count_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return stages_.back().layer->outputs(); }
  [[nodiscard]] double l2() const noexcept override { return l2_; }
  [[nodiscard]] double flops_per_row() const noexcept override;

  void initialise(std::span<T> parameters, std::uint64_t seed) const override;
  double loss_and_gradient(std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                           const GradientReady& ready) override;
  [[nodiscard]] Evaluation evaluate(std::span<const T> parameters, const Batch<T>& batch) override;
  void predict(std::span<const T> parameters, const Batch<T>& batch, std::span<T> output) override;

 private:
  struct Stage {
    std::unique_ptr<Layer<T>> layer;
    std::size_t first = 0, count = 0; ///< its part of the parameter vector
    core::HugeVector<T> output;
  };

  void check(std::span<const T> parameters, const Batch<T>& batch) const;
  /// Scores of the batch (rows x outputs), kept in the last stage.
  std::span<T> forward(std::span<const T> parameters, const Batch<T>& batch);
  void backward(std::span<const T> parameters, const Batch<T>& batch, std::span<T> gradient,
                const GradientReady& ready);
  /// What stage `s` reads.
  [[nodiscard]] Batch<T> input_of(std::size_t s, const Batch<T>& batch) const;
  [[nodiscard]] double regularisation(std::span<const T> parameters) const;
  void add_regularisation(const Stage& stage, std::span<const T> parameters, std::span<T> gradient) const;

  std::string kind_;
  std::vector<Stage> stages_;
  std::unique_ptr<Loss<T>> loss_;
  double l2_;
  Start start_;
  std::vector<Tensor> tensors_;
  std::vector<std::size_t> fan_in_; ///< of each tensor; 0 for biases
  std::size_t parameter_count_ = 0;
  core::HugeVector<T> output_gradient_, input_gradient_; ///< of the stage at work, on the way back
};

extern template class Network<float>;
extern template class Network<double>;

} // namespace ps
