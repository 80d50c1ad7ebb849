#include "models/layers/relu.hpp"

namespace ps {

template <class T>
void Relu<T>::forward(std::span<const T>, const Batch<T>& input, std::span<T> output) {
  const T* const x = input.dense.data();
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = x[i] > T{0} ? x[i] : T{0};
}

template <class T>
void Relu<T>::backward(std::span<const T>, const Batch<T>&, std::span<const T> output,
                       std::span<const T> output_gradient, std::span<T>, std::span<T> input_gradient) {
  for (std::size_t i = 0; i < input_gradient.size(); ++i) {
    input_gradient[i] = output[i] > T{0} ? output_gradient[i] : T{0};
  }
}

template class Relu<float>;
template class Relu<double>;

} // namespace ps
