// y = max(x, 0). The gradient passes where y is positive; at the kink it is 0.
#pragma once

#include "models/layers/layer.hpp"

namespace ps {

template <class T>
class Relu final : public Layer<T> {
 public:
  explicit Relu(std::size_t width) : width_(width) {}

  [[nodiscard]] std::size_t inputs() const noexcept override { return width_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return width_; }

  void forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) override;
  void backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T> output,
                std::span<const T> output_gradient, std::span<T> parameter_gradient,
                std::span<T> input_gradient) override;

 private:
  std::size_t width_;
};

extern template class Relu<float>;
extern template class Relu<double>;

} // namespace ps
