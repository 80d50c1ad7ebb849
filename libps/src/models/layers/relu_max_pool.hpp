// The greatest of each 2x2 pixels, channel by channel, but at least 0: rectification and pooling in one pass over the
// pixels. (They commute, and the fused form writes a quarter of the numbers.) An odd last row or column is left out.
//
// The gradient goes to the pixel that was greatest, to the first of them (left to right, top to bottom) when several
// were, and nowhere when the output is 0.
#pragma once

#include "models/layers/convolution.hpp"
#include "models/layers/layer.hpp"

namespace ps {

template <class T>
class ReluMaxPool final : public Layer<T> {
 public:
  /// The image must have at least 2 rows and columns.
  explicit ReluMaxPool(ImageShape input) : input_(input), output_{input.rows / 2, input.columns / 2, input.channels} {}

  [[nodiscard]] ImageShape output_shape() const noexcept { return output_; }
  [[nodiscard]] std::size_t inputs() const noexcept override { return input_.size(); }
  [[nodiscard]] std::size_t outputs() const noexcept override { return output_.size(); }

  void forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) override;
  void backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T> output,
                std::span<const T> output_gradient, std::span<T> parameter_gradient,
                std::span<T> input_gradient) override;

 private:
  void pool_image(const T* image, T* pooled) const;
  void unpool_image(const T* image, const T* pooled, const T* pooled_gradient, T* gradient) const;

  ImageShape input_, output_;
};

extern template class ReluMaxPool<float>;
extern template class ReluMaxPool<double>;

} // namespace ps
