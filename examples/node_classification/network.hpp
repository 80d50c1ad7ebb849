// The network's parameters, and the products that a vertex makes with them.
//
// Two layers: features -> hidden -> classes. A layer has a weight matrix for what comes from the neighbourhood,
// GraphSAGE also one for the vertex's own row, and a bias. All parameters are one vector, the form in which update
// rules and gradients know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pregel/algorithms/graph_convolution.hpp"

namespace node_classification {

enum class Model {
  gcn,  ///< graph convolution: neighbours and own row, scaled by degrees
  sage, ///< GraphSAGE: mean of drawn neighbours beside the own row
  mlp,  ///< no graph: what can be learnt without it
};
[[nodiscard]] std::string_view name_of(Model model);

/// Columns of a message; neither layer may be wider.
inline constexpr std::size_t kMaxWidth = 16;
using Row = pregel::FeatureBlock<kMaxWidth>;

/// rows x columns parameters, row by row, from `first` on.
struct Matrix {
  std::size_t first = 0, rows = 0, columns = 0;
  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

struct Layer {
  Matrix weights; ///< of the neighbourhood
  Matrix own;     ///< of the own row; empty unless GraphSAGE
  Matrix bias;    ///< one row
};

class Network {
 public:
  /// InputError if a layer is too wide. Local.
  Network(Model model, std::size_t features, std::size_t hidden, std::size_t classes);

  [[nodiscard]] std::size_t parameter_count() const noexcept { return count_; }
  [[nodiscard]] std::size_t hidden() const noexcept { return first.weights.columns; }
  [[nodiscard]] std::size_t classes() const noexcept { return second.weights.columns; }
  /// Glorot's weights, biases 0. Local.
  [[nodiscard]] std::vector<double> drawn_parameters(std::uint64_t seed) const;

  Layer first, second;

 private:
  [[nodiscard]] Matrix place(std::size_t rows, std::size_t columns);
  [[nodiscard]] Layer place_layer(Model model, std::size_t inputs, std::size_t outputs);

  std::size_t count_ = 0;
};

/// x W. Local, like the other products: sums in ascending order of the row's columns.
[[nodiscard]] Row product(std::span<const double> x, const Matrix& w, std::span<const double> parameters);
/// y W^T: how an error goes back through a product. W has at most kMaxWidth rows.
[[nodiscard]] Row back_product(const Row& y, const Matrix& w, std::span<const double> parameters);

/// What a vertex makes of its scores.
struct Judgement {
  double loss;  ///< cross-entropy: -log of the label's softmax
  bool correct; ///< the label has the largest score, and no smaller class as large a one
  Row error;    ///< the loss's gradient by the scores: softmax, less 1 at the label
};
[[nodiscard]] Judgement judge(const Row& scores, std::size_t classes, std::size_t label);

} // namespace node_classification
