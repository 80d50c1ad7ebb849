// Every output sums over every input: y = x·W + b, with W of inputs x outputs.
//
// The input may be sparse. Then a row costs its entries, forward and backward: row k of W lies in one piece, so an
// entry (k, v) adds v times that piece.
#pragma once

#include "models/layers/layer.hpp"

namespace ps {

template <class T>
class Dense final : public Layer<T> {
 public:
  Dense(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

  [[nodiscard]] std::size_t inputs() const noexcept override { return inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  [[nodiscard]] std::vector<LayerTensor> tensors() const override;
  [[nodiscard]] double flops() const noexcept override;
  [[nodiscard]] bool accepts_sparse() const noexcept override { return true; }

  void forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) override;
  void backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T> output,
                std::span<const T> output_gradient, std::span<T> parameter_gradient,
                std::span<T> input_gradient) override;

 private:
  std::size_t inputs_, outputs_;
};

extern template class Dense<float>;
extern template class Dense<double>;

} // namespace ps
