#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace node_classification {

std::string_view name_of(Model model) {
  switch (model) {
    case Model::gcn: return "gcn";
    case Model::sage: return "sage";
    case Model::mlp: break;
  }
  return "mlp";
}

Network::Network(Model model, std::size_t features, std::size_t hidden, std::size_t classes) {
  if (hidden == 0 || hidden > kMaxWidth || classes > kMaxWidth)
    throw core::InputError("--hidden and --classes: a layer has from 1 to " + std::to_string(kMaxWidth) + " columns");
  first = place_layer(model, features, hidden);
  second = place_layer(model, hidden, classes);
}

Matrix Network::place(std::size_t rows, std::size_t columns) {
  const Matrix matrix{count_, rows, columns};
  count_ += matrix.size();
  return matrix;
}

Layer Network::place_layer(Model model, std::size_t inputs, std::size_t outputs) {
  Layer layer;
  layer.weights = place(inputs, outputs);
  if (model == Model::sage) layer.own = place(inputs, outputs);
  layer.bias = place(1, outputs);
  return layer;
}

std::vector<double> Network::drawn_parameters(std::uint64_t seed) const {
  std::vector<double> parameters(count_, 0.0);
  std::uint64_t which = 0;
  for (const Layer& layer : {first, second}) {
    for (const Matrix& matrix : {layer.weights, layer.own}) {
      const std::vector<double> drawn = pregel::drawn_weights(seed, which++, matrix.rows, matrix.columns);
      std::ranges::copy(drawn, parameters.begin() + static_cast<std::ptrdiff_t>(matrix.first));
    }
  }
  return parameters;
}

Row product(std::span<const double> x, const Matrix& w, std::span<const double> parameters) {
  Row result;
  const double* entry = &parameters[w.first];
  for (const double value : x)
    for (std::size_t j = 0; j < w.columns; ++j) result.columns[j] += value * *entry++;
  return result;
}

Row back_product(const Row& y, const Matrix& w, std::span<const double> parameters) {
  Row result;
  const double* entry = &parameters[w.first];
  for (std::size_t i = 0; i < w.rows; ++i)
    for (std::size_t j = 0; j < w.columns; ++j) result.columns[i] += y.columns[j] * *entry++;
  return result;
}

Judgement judge(const Row& scores, std::size_t classes, std::size_t label) {
  const std::span<const double> all = std::span(scores.columns).first(classes);
  const auto largest = std::ranges::max_element(all); // the first of several
  Judgement judgement{0, largest - all.begin() == static_cast<std::ptrdiff_t>(label), {}};
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) sum += judgement.error.columns[c] = std::exp(all[c] - *largest);
  for (std::size_t c = 0; c < classes; ++c) judgement.error.columns[c] /= sum;
  judgement.error.columns[label] -= 1;
  judgement.loss = std::log(sum) - (all[label] - *largest);
  return judgement;
}

} // namespace node_classification
