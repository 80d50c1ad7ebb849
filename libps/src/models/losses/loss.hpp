// What a network's scores cost, given the labels, and what they predict.
//
//   SquaredLoss    ½ (s - y)²                              one score; s is the prediction
//   LogisticLoss   log(1 + exp(s)) - y s, y in {0, 1}      one score; 1 / (1 + exp(-s)) is the probability of 1
//   SoftmaxLoss    log Σ exp(s_c) - s_y                    one score a class
//
// A score may be any number: exponentials are taken of nothing positive, so that none overflows. Losses are computed
// and summed in double, row by row.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "ps/models/model.hpp"

namespace ps {

template <class T>
class Loss {
 public:
  virtual ~Loss() = default;

  /// Throws PsError for a label that is none of the model's, so that a wrong one cannot pass as a class.
  virtual void check_labels(std::span<const T> labels, std::size_t outputs) const = 0;
  /// Loss of a row (`scores` has one number for each output). Fills `gradient` with its derivatives by the scores,
  /// unless that is empty.
  [[nodiscard]] virtual double of_row(std::span<const T> scores, T label, std::span<T> gradient) const = 0;
  /// Whether the row's prediction is the label; false for regression.
  [[nodiscard]] virtual bool is_correct(std::span<const T> scores, T label) const = 0;
  /// Turns a row's scores into targets or probabilities, in place.
  virtual void predict_row(std::span<T> scores) const = 0;
};

template <class T>
[[nodiscard]] std::unique_ptr<Loss<T>> make_squared_loss();
template <class T>
[[nodiscard]] std::unique_ptr<Loss<T>> make_logistic_loss();
template <class T>
[[nodiscard]] std::unique_ptr<Loss<T>> make_softmax_loss();

} // namespace ps
