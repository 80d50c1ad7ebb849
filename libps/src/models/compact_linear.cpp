#include "ps/models/compact_linear.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ps/error.hpp"

namespace ps {

std::vector<std::uint64_t> keys_of(std::span<const std::uint64_t> entries, KeyNumbers& numbers,
                                   std::vector<std::uint64_t>* renumbered) {
  std::vector<std::uint64_t> keys;
  if (renumbered != nullptr) renumbered->resize(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::uint32_t& number = numbers.at(entries[e]);
    if (number == 0) {
      keys.push_back(entries[e]);
      number = static_cast<std::uint32_t>(keys.size());
    }
    if (renumbered != nullptr) (*renumbered)[e] = number - 1;
  }
  for (const std::uint64_t key : keys) numbers[key] = 0;
  return keys;
}

template <class T>
CompactLinear<T>::CompactLinear(const Model<T>& whole, std::size_t features)
    : kind_(whole.kind()), features_(features), outputs_(whole.outputs()) {
  if (!is_linear_model(kind_) || whole.l2() != 0 || whole.parameter_count() != (features + 1) * outputs_)
    throw PsError(fmt::format("{} is no linear model of {} features without regularisation", kind_, features));
}

template <class T>
void CompactLinear<T>::take(const Batch<T>& batch, KeyNumbers& numbers) {
  if (!batch.is_sparse() || batch.features != features_)
    throw PsError(fmt::format("{}: sparse rows of {} features are wanted", kind_, features_));
  keys_ = keys_of(batch.keys.first(batch.row_begin[batch.rows]), numbers, &renumbered_);
  if (keys_.size() > room_) {
    room_ = std::min(features_, std::max<std::size_t>(2 * room_, keys_.size()));
    DataShape shape;
    shape.features = room_;
    shape.classes = outputs_; // softmax's; those of two classes and of targets have one output
    if (outputs_ == 1) shape.classes = 0;
    model_ = make_model<T>({kind_, shape, 0, {}});
    parameters_.assign((room_ + 1) * outputs_, T{0});
    gradient_.assign((room_ + 1) * outputs_, T{0});
  }
  keys_.push_back(features_);
  values_.resize(keys_.size() * outputs_);
  batch_ = batch;
  batch_.features = room_;
  batch_.keys = renumbered_;
}

template <class T>
void CompactLinear<T>::spread_parameters() {
  const auto bias = values_.end() - static_cast<std::ptrdiff_t>(outputs_);
  std::copy(values_.begin(), bias, parameters_.begin());
  std::copy_n(bias, outputs_, parameters_.begin() + static_cast<std::ptrdiff_t>(bias_at()));
}

template <class T>
void CompactLinear<T>::collect_gradient() {
  const auto bias = gradient_.begin() + static_cast<std::ptrdiff_t>(bias_at());
  std::copy_n(bias, outputs_, gradient_.begin() + static_cast<std::ptrdiff_t>(values_.size() - outputs_));
}

template class CompactLinear<float>;
template class CompactLinear<double>;

} // namespace ps
