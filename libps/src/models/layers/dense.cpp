#include "models/layers/dense.hpp"

#include "models/products.hpp"

namespace ps {

template <class T>
std::vector<LayerTensor> Dense<T>::tensors() const {
  return {{"weight", {inputs_, outputs_}, inputs_ * outputs_, inputs_}, {"bias", {outputs_}, outputs_, 0}};
}

template <class T>
double Dense<T>::flops() const noexcept {
  return 2.0 * static_cast<double>(inputs_) * static_cast<double>(outputs_);
}

template <class T>
void Dense<T>::forward(std::span<const T> parameters, const Batch<T>& input, std::span<T> output) {
  const T* weights = parameters.data();
  set_rows(input.rows, outputs_, weights + inputs_ * outputs_, output.data());
  if (!input.is_sparse()) {
    add_product(input.rows, inputs_, outputs_, input.dense.data(), weights, output.data());
    return;
  }
  for (std::size_t r = 0; r < input.rows; ++r) {
    T* const row = output.data() + r * outputs_;
    for (std::size_t e = input.row_begin[r]; e < input.row_begin[r + 1]; ++e) {
      add_multiple(outputs_, input.values[e], weights + input.keys[e] * outputs_, row);
    }
  }
}

template <class T>
void Dense<T>::backward(std::span<const T> parameters, const Batch<T>& input, std::span<const T>,
                        std::span<const T> output_gradient, std::span<T> parameter_gradient,
                        std::span<T> input_gradient) {
  T* const weights = parameter_gradient.data();
  add_rows(input.rows, outputs_, output_gradient.data(), weights + inputs_ * outputs_);
  if (!input_gradient.empty()) {
    set_product_transposed(input.rows, outputs_, inputs_, output_gradient.data(), parameters.data(),
                           input_gradient.data());
  }
  if (!input.is_sparse()) {
    add_transposed_product(inputs_, input.rows, outputs_, input.dense.data(), output_gradient.data(), weights);
    return;
  }
  for (std::size_t r = 0; r < input.rows; ++r) {
    const T* const row = output_gradient.data() + r * outputs_;
    for (std::size_t e = input.row_begin[r]; e < input.row_begin[r + 1]; ++e) {
      add_multiple(outputs_, input.values[e], row, weights + input.keys[e] * outputs_);
    }
  }
}

template class Dense<float>;
template class Dense<double>;

} // namespace ps
