// One stage of a network: numbers in, numbers out, and the way back.
//
// A layer owns no parameters: it is handed its part of the model's vector, and its part of the gradient. It may own
// scratch memory, which it keeps from batch to batch. Between layers a batch is a dense matrix, one row an example; an
// image's row holds its pixels row by row with the channels of a pixel next to each other ("channels last"), so that
// convolutions copy long runs and pooling works on whole registers of channels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ps/data/examples.hpp"

namespace ps {

/// A part of a layer's parameters.
struct LayerTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t count = 0;
  std::size_t fan_in = 0; ///< inputs that an output sums over; 0 marks a bias, which starts at 0 and is not regularised
};

template <class T>
class Layer {
 public:
  virtual ~Layer() = default;

  [[nodiscard]] virtual std::size_t inputs() const noexcept = 0;  ///< numbers a row
  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0; ///< numbers a row
  /// In the order in which they lie in the layer's part of the vector. None for layers without parameters.
  [[nodiscard]] virtual std::vector<LayerTensor> tensors() const { return {}; }
  /// Multiplications and additions a row, forward; those of the backward pass are as many for the parameters' gradient
  /// and as many again for the input's.
  [[nodiscard]] virtual double flops() const noexcept { return 0; }
  [[nodiscard]] virtual bool accepts_sparse() const noexcept { return false; }

  /// Overwrites `output` (input.rows x outputs()).
  virtual void forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) = 0;
  /// Given what forward() read and wrote and the gradient of the loss by its output: adds to `parameter_gradient`,
  /// overwrites `input_gradient` unless that is empty (nobody asks the first layer for it).
  virtual void backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T> output,
                        std::span<const T> output_gradient, std::span<T> parameter_gradient,
                        std::span<T> input_gradient) = 0;
};

} // namespace ps
