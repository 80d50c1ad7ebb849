#include "models/layers/relu_max_pool.hpp"

#include <algorithm>

namespace ps {

template <class T>
void ReluMaxPool<T>::pool_image(const T* image, T* pooled) const {
  const std::size_t channels = input_.channels;
  const std::size_t line = input_.columns * channels;
  for (std::size_t y = 0; y < output_.rows; ++y) {
    for (std::size_t x = 0; x < output_.columns; ++x) {
      const T* const top = image + 2 * y * line + 2 * x * channels;
      const T* const bottom = top + line;
#pragma GCC ivdep // outputs overlap no inputs, so channels fill whole registers
      for (std::size_t c = 0; c < channels; ++c) {
        const T upper = top[c] > top[channels + c] ? top[c] : top[channels + c];
        const T lower = bottom[c] > bottom[channels + c] ? bottom[c] : bottom[channels + c];
        const T greatest = upper > lower ? upper : lower;
        pooled[c] = greatest > T{0} ? greatest : T{0};
      }
      pooled += channels;
    }
  }
}

template <class T>
void ReluMaxPool<T>::unpool_image(const T* image, const T* pooled, const T* pooled_gradient, T* gradient) const {
  const std::size_t channels = input_.channels;
  const std::size_t line = input_.columns * channels;
  for (std::size_t y = 0; y < output_.rows; ++y) {
    for (std::size_t x = 0; x < output_.columns; ++x) {
      const std::size_t corner = 2 * y * line + 2 * x * channels;
      const T* const top = image + corner;
      const T* const bottom = top + line;
      T* const top_gradient = gradient + corner;
      T* const bottom_gradient = top_gradient + line;
#pragma GCC ivdep // too many arrays for the compiler to compare their addresses
      for (std::size_t c = 0; c < channels; ++c) {
        const T greatest = pooled[c];
        T left = greatest > T{0} ? pooled_gradient[c] : T{0}; // what nobody has taken yet
        const auto take = [greatest, &left](T pixel) {
          const bool mine = pixel == greatest;
          const T taken = mine ? left : T{0};
          left = mine ? T{0} : left;
          return taken;
        };
        top_gradient[c] = take(top[c]);
        top_gradient[channels + c] = take(top[channels + c]);
        bottom_gradient[c] = take(bottom[c]);
        bottom_gradient[channels + c] = take(bottom[channels + c]);
      }
      pooled += channels;
      pooled_gradient += channels;
    }
    if (input_.columns % 2 != 0) {
      std::fill_n(gradient + (2 * y + 1) * line - channels, channels, T{0});
      std::fill_n(gradient + (2 * y + 2) * line - channels, channels, T{0});
    }
  }
  if (input_.rows % 2 != 0) std::fill_n(gradient + (input_.rows - 1) * line, line, T{0});
}

template <class T>
void ReluMaxPool<T>::forward(std::span<const T>, const Batch<T>& input, std::span<T> output) {
  for (std::size_t i = 0; i < input.rows; ++i) {
    pool_image(input.dense.data() + i * inputs(), output.data() + i * outputs());
  }
}

template <class T>
void ReluMaxPool<T>::backward(std::span<const T>, const Batch<T>& input, std::span<const T> output,
                              std::span<const T> output_gradient, std::span<T>, std::span<T> input_gradient) {
  if (input_gradient.empty()) return;
  for (std::size_t i = 0; i < input.rows; ++i) {
    unpool_image(input.dense.data() + i * inputs(), output.data() + i * outputs(),
                 output_gradient.data() + i * outputs(), input_gradient.data() + i * inputs());
  }
}

template class ReluMaxPool<float>;
template class ReluMaxPool<double>;

} // namespace ps
