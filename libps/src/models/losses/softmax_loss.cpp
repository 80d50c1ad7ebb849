// Several classes, one score each. Scores are taken relative to the greatest, so that the largest exponential is 1.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/losses/loss.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

template <class T>
class SoftmaxLoss final : public Loss<T> {
 public:
  void check_labels(std::span<const T> labels, std::size_t outputs) const override {
    for (const T label : labels) {
      if (!(label >= T{0} && label < static_cast<T>(outputs)) || label != std::floor(label)) {
        throw PsError(fmt::format("label {} is none of the classes 0 to {}", label, outputs - 1));
      }
    }
  }

  [[nodiscard]] double of_row(std::span<const T> scores, T label, std::span<T> gradient) const override {
    const auto right = static_cast<std::size_t>(label);
    const auto greatest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
    double sum = 0;
    for (const T score : scores) sum += std::exp(static_cast<double>(score) - greatest);
    if (!gradient.empty()) {
      for (std::size_t c = 0; c < scores.size(); ++c) {
        const double probability = std::exp(static_cast<double>(scores[c]) - greatest) / sum;
        gradient[c] = static_cast<T>(c == right ? probability - 1 : probability);
      }
    }
    return std::log(sum) - (static_cast<double>(scores[right]) - greatest);
  }
  /// Of several greatest scores the first counts.
  [[nodiscard]] bool is_correct(std::span<const T> scores, T label) const override {
    return std::max_element(scores.begin(), scores.end()) - scores.begin() == static_cast<std::ptrdiff_t>(label);
  }
  void predict_row(std::span<T> scores) const override {
    const auto greatest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
    double sum = 0;
    for (const T score : scores) sum += std::exp(static_cast<double>(score) - greatest);
    for (T& score : scores) score = static_cast<T>(std::exp(static_cast<double>(score) - greatest) / sum);
  }
};

} // namespace

template <class T>
std::unique_ptr<Loss<T>> make_softmax_loss() {
  return std::make_unique<SoftmaxLoss<T>>();
}
template std::unique_ptr<Loss<float>> make_softmax_loss();
template std::unique_ptr<Loss<double>> make_softmax_loss();

} // namespace ps
