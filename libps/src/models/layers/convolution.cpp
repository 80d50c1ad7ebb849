#include "models/layers/convolution.hpp"

#include <algorithm>

#include "models/products.hpp"

namespace ps {
namespace {

constexpr std::size_t kSide = 3;
constexpr std::size_t kPatchBytes = std::size_t{512} << 10; // half of a second-level cache of 1 MiB

/// Copies `length` numbers. Runs of one channel are three numbers long: a call to memcpy would cost more than they do.
template <class T>
inline void copy_run(const T* from, std::size_t length, T* to) {
  if (length == kSide) {
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
  } else {
    std::copy_n(from, length, to);
  }
}

} // namespace

template <class T>
Convolution<T>::Convolution(ImageShape input, std::size_t filters, Padding padding)
    : input_(input), padded_(input), filters_(filters) {
  if (padding == Padding::same) {
    padded_.rows += 2;
    padded_.columns += 2;
    ringed_.resize(padded_.size()); // zero, and its ring stays so
  }
  output_ = {padded_.rows - 2, padded_.columns - 2, filters};
  group_ = std::max<std::size_t>(1, kPatchBytes / (positions() * patch() * sizeof(T)));
  patches_.resize(group_ * positions() * patch());
}

template <class T>
std::vector<LayerTensor> Convolution<T>::tensors() const {
  return {{"weight", {kSide, kSide, input_.channels, filters_}, patch() * filters_, patch()},
          {"bias", {filters_}, filters_, 0}};
}

template <class T>
double Convolution<T>::flops() const noexcept {
  return 2.0 * static_cast<double>(positions() * patch() * filters_);
}

template <class T>
void Convolution<T>::gather_image(const T* image, T* patches) const {
  const std::size_t run = kSide * padded_.channels;
  const std::size_t line = padded_.columns * padded_.channels;
  for (std::size_t y = 0; y < output_.rows; ++y) {
    for (std::size_t x = 0; x < output_.columns; ++x) {
      const T* from = image + y * line + x * padded_.channels;
      copy_run(from, run, patches);
      copy_run(from + line, run, patches + run);
      copy_run(from + 2 * line, run, patches + 2 * run);
      patches += patch();
    }
  }
}

template <class T>
void Convolution<T>::gather_patches(const T* images, std::size_t count) {
  const std::size_t line = input_.columns * input_.channels;
  for (std::size_t i = 0; i < count; ++i) {
    const T* image = images + i * input_.size();
    if (!ringed_.empty()) {
      for (std::size_t y = 0; y < input_.rows; ++y) {
        std::copy_n(image + y * line, line, ringed_.data() + ((y + 1) * padded_.columns + 1) * padded_.channels);
      }
      image = ringed_.data();
    }
    gather_image(image, patches_.data() + i * positions() * patch());
  }
}

template <class T>
void Convolution<T>::scatter_padded(const T* patches, T* image) const {
  const std::size_t run = kSide * padded_.channels;
  const std::size_t line = padded_.columns * padded_.channels;
  for (std::size_t y = 0; y < output_.rows; ++y) {
    for (std::size_t x = 0; x < output_.columns; ++x) {
      T* to = image + y * line + x * padded_.channels;
      for (std::size_t k = 0; k < kSide; ++k) {
#pragma GCC ivdep // the image does not overlap the patches
        for (std::size_t i = 0; i < run; ++i) to[k * line + i] += patches[k * run + i];
      }
      patches += patch();
    }
  }
}

template <class T>
void Convolution<T>::scatter_image(const T* patches, T* image) {
  if (ringed_.empty()) {
    std::fill_n(image, input_.size(), T{0});
    scatter_padded(patches, image);
    return;
  }
  std::fill(ringed_.begin(), ringed_.end(), T{0});
  scatter_padded(patches, ringed_.data());
  const std::size_t line = input_.columns * input_.channels;
  for (std::size_t y = 0; y < input_.rows; ++y) {
    std::copy_n(ringed_.data() + ((y + 1) * padded_.columns + 1) * padded_.channels, line, image + y * line);
  }
  std::fill(ringed_.begin(), ringed_.end(), T{0}); // what fell on the ring
}

template <class T>
void Convolution<T>::forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) {
  const T* const weights = parameters.data();
  for (std::size_t first = 0; first < input.rows; first += group_) {
    const std::size_t count = std::min(group_, input.rows - first);
    T* const to = output.data() + first * outputs();
    gather_patches(input.dense.data() + first * inputs(), count);
    set_rows(count * positions(), filters_, weights + patch() * filters_, to);
    add_product(count * positions(), patch(), filters_, patches_.data(), weights, to);
  }
}

template <class T>
void Convolution<T>::backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T>,
                              std::span<const T> output_gradient, std::span<T> parameter_gradient,
                              std::span<T> input_gradient) {
  T* const weights = parameter_gradient.data();
  for (std::size_t first = 0; first < input.rows; first += group_) {
    const std::size_t count = std::min(group_, input.rows - first);
    const std::size_t rows = count * positions();
    const T* const derivatives = output_gradient.data() + first * outputs();
    gather_patches(input.dense.data() + first * inputs(), count);
    add_transposed_product(patch(), rows, filters_, patches_.data(), derivatives, weights);
    add_rows(rows, filters_, derivatives, weights + patch() * filters_);
    if (input_gradient.empty()) continue;
    set_product_transposed(rows, filters_, patch(), derivatives, parameters.data(), patches_.data());
    for (std::size_t i = 0; i < count; ++i) {
      scatter_image(patches_.data() + i * positions() * patch(), input_gradient.data() + (first + i) * inputs());
    }
  }
}

template class Convolution<float>;
template class Convolution<double>;

} // namespace ps
