// A linear model cut down to the features of one batch of sparse rows. Of a million features a batch of 64 rows with 20
// entries meets at most 1280: only their rows of the parameter matrix take part in its loss, and only theirs of the
// gradient are not zero. So those are pulled and pushed, each under the feature's number as its key; the bias has the
// key behind the last feature.
//
//   keys      the features in the order in which they occur, then the bias
//   values    a row of `outputs` numbers for each key
//
// The loss and the gradient are those of the whole model, bit for bit: every score and every entry of the gradient is
// the same sum in the same order. That holds without regularisation, which touches all weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ps/data/examples.hpp"
#include "ps/models/model.hpp"

namespace ps {

/// For each feature its number in the batch at hand plus one, else 0. One for all batches of a rank: 4 bytes a feature.
using KeyNumbers = std::vector<std::uint32_t>;

/// The features of sparse rows, each once, in the order in which they occur. `numbers` has a zero for each feature and
/// is left so. `renumbered`, if given, gets for each entry the place of its key in the list. Local.
[[nodiscard]] std::vector<std::uint64_t> keys_of(std::span<const std::uint64_t> entries, KeyNumbers& numbers,
                                                 std::vector<std::uint64_t>* renumbered = nullptr);

/// All functions are local.
template <class T>
class CompactLinear {
 public:
  /// Of the kind and with the outputs of `whole`, a linear model of so many features.
  CompactLinear(const Model<T>& whole, std::size_t features);

  /// Takes the rows, which must stay in place until the gradient has been computed.
  void take(const Batch<T>& batch, KeyNumbers& numbers);
  /// Of the batch's parameters.
  [[nodiscard]] std::span<const std::uint64_t> keys() const noexcept { return keys_; }
  /// Parameters: keys x outputs, to be filled in before compute().
  [[nodiscard]] std::span<T> values() noexcept { return values_; }
  /// The gradient in the same layout, after compute().
  [[nodiscard]] std::span<const T> gradient() const noexcept {
    return std::span<const T>(gradient_).first(values_.size());
  }

  /// Calls gradient_of(model, parameters, batch, gradient), whose gradient then is gradient().
  template <class F>
  void compute(F&& gradient_of) {
    spread_parameters();
    gradient_of(*model_, std::span<const T>(parameters_), batch_, std::span<T>(gradient_));
    collect_gradient();
  }

 private:
  /// The bias lies behind the rows of all features that the compact model has room for.
  void spread_parameters();
  void collect_gradient();
  [[nodiscard]] std::size_t bias_at() const noexcept { return room_ * outputs_; }

  std::string kind_;
  std::size_t features_, outputs_;
  std::size_t room_ = 0; // features of model_, which is made anew when a batch has more
  std::unique_ptr<Model<T>> model_;
  Batch<T> batch_;
  std::vector<std::uint64_t> keys_, renumbered_;
  std::vector<T> values_, parameters_, gradient_;
};

extern template class CompactLinear<float>;
extern template class CompactLinear<double>;

} // namespace ps
