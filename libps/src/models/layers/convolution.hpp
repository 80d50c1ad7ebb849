// 3x3 convolution of images with several channels, as a matrix product (Chellapilla, Puri, Simard 2006, "im2col").
//
// The 3x3 pixels around an output pixel, channels included, are copied into a row of `patches`; that matrix times the
// weights (9·channels x filters) is the output. With channels last the row is three runs of memory, one for each row of
// pixels. Images are taken in groups whose patches stay in the second-level cache; the way back makes the patches anew
// instead of keeping them, which costs a tenth of the forward product and saves nine times the input's memory.
//
// Padding `valid` gives an image smaller by 2 in both directions, `same` one of equal size, as if ringed with zeros.
#pragma once

#include "core/huge_vector.hpp"
#include "models/layers/layer.hpp"

namespace ps {

/// Pixels row by row, the channels of a pixel next to each other.
struct ImageShape {
  std::size_t rows = 0, columns = 0, channels = 1;
  [[nodiscard]] std::size_t size() const noexcept { return rows * columns * channels; }
};

enum class Padding { valid, same };

template <class T>
class Convolution final : public Layer<T> {
 public:
  /// With `valid` the image must have at least 3 rows and columns.
  Convolution(ImageShape input, std::size_t filters, Padding padding);

  [[nodiscard]] ImageShape output_shape() const noexcept { return output_; }
  [[nodiscard]] std::size_t inputs() const noexcept override { return input_.size(); }
  [[nodiscard]] std::size_t outputs() const noexcept override { return output_.size(); }
  [[nodiscard]] std::vector<LayerTensor> tensors() const override;
  [[nodiscard]] double flops() const noexcept override;

  void forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) override;
  void backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T> output,
                std::span<const T> output_gradient, std::span<T> parameter_gradient,
                std::span<T> input_gradient) override;

 private:
  [[nodiscard]] std::size_t positions() const noexcept { return output_.rows * output_.columns; }
  [[nodiscard]] std::size_t patch() const noexcept { return 9 * input_.channels; }
  /// Images [first, first + count) of the input as a matrix of count·positions() rows of patch() numbers.
  void gather_patches(const T* images, std::size_t count);
  void gather_image(const T* image, T* patches) const;
  /// The gradient by the patches, added up to the gradient by the image.
  void scatter_image(const T* patches, T* image);
  void scatter_padded(const T* patches, T* image) const;

  ImageShape input_, padded_, output_; ///< padded_ equals input_ where nothing is padded
  std::size_t filters_;
  std::size_t group_; ///< images at once
  core::HugeVector<T> patches_, ringed_;
};

extern template class Convolution<float>;
extern template class Convolution<double>;

} // namespace ps
