// The rows of a sparse table that one server holds: a hash index over one array, in which a row is its values followed
// by the update rule's state for them. Rows are numbered in the order in which they came; whatever leaves the table is
// sorted by key, so that it does not depend on that order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/random.hpp"
#include "ps/error.hpp"
#include "ps/table/sparse_table.hpp"
#include "ps/update/update_rule.hpp"

namespace ps::detail {

template <class T>
class SparseRows {
 public:
  /// Throws InputError for an impossible rule. All functions are local.
  SparseRows(const UpdateOptions& update, std::size_t width)
      : width_(width),
        rule_(make_update_rule<T>(update, width)),
        state_(rule_->state()),
        stride_(width * (1 + state_.size())) {}

  /// The values of a key; zeros when it has none.
  void read(std::uint64_t key, std::span<T> values) const {
    const auto found = index_.find(key);
    if (found == index_.end())
      std::fill(values.begin(), values.end(), T{});
    else
      std::copy_n(row(found->second), width_, values.begin());
  }

  /// One rule object serves all rows: a row's state is copied in before the step and out after it.
  void apply(std::uint64_t key, std::span<const T> gradient) {
    const std::size_t number = row_of(key);
    T* const values = row(number);
    exchange_state(values + width_,
                   [](T* in_row, std::span<T> in_rule) { std::copy_n(in_row, in_rule.size(), in_rule.begin()); });
    rule_->set_steps(steps_[number]);
    rule_->apply({values, width_}, gradient);
    steps_[number] = rule_->steps();
    exchange_state(values + width_,
                   [](T* in_row, std::span<T> in_rule) { std::copy(in_rule.begin(), in_rule.end(), in_row); });
  }

  [[nodiscard]] std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> keys;
    keys.reserve(index_.size());
    for (const auto& entry : index_) keys.push_back(entry.first);
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  [[nodiscard]] SparseContent<T> content() const {
    SparseContent<T> content;
    content.keys = keys();
    for (const auto& state : state_) content.states.push_back({state.name, {}});
    for (const std::uint64_t key : content.keys) {
      const std::size_t number = index_.at(key);
      const T* values = row(number);
      content.values.insert(content.values.end(), values, values + width_);
      for (auto& state : content.states) {
        values += width_;
        state.values.insert(state.values.end(), values, values + width_);
      }
      content.steps.push_back(steps_[number]);
    }
    return content;
  }

  /// Takes over the rows for which `is_mine(key)`.
  template <class F>
  void restore(const SparseContent<T>& content, F&& is_mine) {
    require_fit(content);
    for (std::size_t i = 0; i < content.keys.size(); ++i) {
      if (!is_mine(content.keys[i])) continue;
      const std::size_t number = row_of(content.keys[i]);
      T* values = row(number);
      std::copy_n(&content.values[i * width_], width_, values);
      for (const auto& state : content.states) std::copy_n(&state.values[i * width_], width_, values += width_);
      steps_[number] = content.steps[i];
    }
  }

 private:
  struct Mix {
    std::size_t operator()(std::uint64_t key) const noexcept { return core::mix64(key); }
  };

  [[nodiscard]] T* row(std::size_t number) noexcept { return storage_.data() + number * stride_; }
  [[nodiscard]] const T* row(std::size_t number) const noexcept { return storage_.data() + number * stride_; }

  /// The number of a key's row, which comes into being.
  std::size_t row_of(std::uint64_t key) {
    const auto [entry, is_new] = index_.try_emplace(key, steps_.size());
    if (is_new) {
      storage_.resize(storage_.size() + stride_);
      steps_.push_back(0);
    }
    return entry->second;
  }

  template <class F>
  void exchange_state(T* in_row, F&& copy) {
    for (const auto& state : state_) {
      copy(in_row, state.values);
      in_row += width_;
    }
  }

  void require_fit(const SparseContent<T>& content) const {
    const std::size_t rows = content.keys.size(), elements = rows * width_;
    bool fits =
        content.values.size() == elements && content.steps.size() == rows && content.states.size() == state_.size();
    for (std::size_t i = 0; fits && i < state_.size(); ++i)
      fits = content.states[i].name == state_[i].name && content.states[i].values.size() == elements;
    if (!fits)
      throw PsError(
          fmt::format("the stored rows of a sparse table are not those of {} values a key and this update "
                      "rule: use the options of the run that stored them",
                      width_));
  }

  std::size_t width_;
  std::unique_ptr<UpdateRule<T>> rule_;
  std::vector<typename UpdateRule<T>::State> state_; // views into the rule
  std::size_t stride_;
  std::unordered_map<std::uint64_t, std::size_t, Mix> index_;
  std::vector<T> storage_;
  std::vector<std::uint64_t> steps_;
};

} // namespace ps::detail
