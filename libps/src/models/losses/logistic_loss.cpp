// Two classes, one score. With s the score, log(1 + exp(s)) = max(s, 0) + log1p(exp(-|s|)): the right side neither
// overflows nor loses the small losses of rows that are right by far.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/losses/loss.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

double sigmoid(double s) {
  const double e = std::exp(-std::abs(s));
  return s >= 0 ? 1 / (1 + e) : e / (1 + e);
}

template <class T>
class LogisticLoss final : public Loss<T> {
 public:
  void check_labels(std::span<const T> labels, std::size_t) const override {
    for (const T label : labels) {
      if (label != T{0} && label != T{1}) throw PsError(fmt::format("logistic: label {} is neither 0 nor 1", label));
    }
  }

  [[nodiscard]] double of_row(std::span<const T> scores, T label, std::span<T> gradient) const override {
    const auto s = static_cast<double>(scores[0]);
    const auto y = static_cast<double>(label);
    // s - y written so that the two parts of equal size do not cancel: for y = 1 the loss is log(1 + exp(-s)).
    const double toward = y == 1 ? -s : s;
    if (!gradient.empty()) gradient[0] = static_cast<T>(y == 1 ? -sigmoid(-s) : sigmoid(s));
    return std::max(toward, 0.0) + std::log1p(std::exp(-std::abs(s)));
  }
  [[nodiscard]] bool is_correct(std::span<const T> scores, T label) const override {
    return (scores[0] > T{0}) == (label == T{1});
  }
  void predict_row(std::span<T> scores) const override {
    scores[0] = static_cast<T>(sigmoid(static_cast<double>(scores[0])));
  }
};

} // namespace

template <class T>
std::unique_ptr<Loss<T>> make_logistic_loss() {
  return std::make_unique<LogisticLoss<T>>();
}
template std::unique_ptr<Loss<float>> make_logistic_loss();
template std::unique_ptr<Loss<double>> make_logistic_loss();

} // namespace ps
