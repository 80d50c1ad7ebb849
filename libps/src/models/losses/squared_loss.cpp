// Regression: half the squared distance to the target, so that the gradient is the distance itself.
#include "models/losses/loss.hpp"

namespace ps {
namespace {

template <class T>
class SquaredLoss final : public Loss<T> {
 public:
  void check_labels(std::span<const T>, std::size_t) const override {} // any number is a target

  [[nodiscard]] double of_row(std::span<const T> scores, T label, std::span<T> gradient) const override {
    const double difference = static_cast<double>(scores[0]) - static_cast<double>(label);
    if (!gradient.empty()) gradient[0] = static_cast<T>(difference);
    return 0.5 * difference * difference;
  }
  [[nodiscard]] bool is_correct(std::span<const T>, T) const override { return false; }
  void predict_row(std::span<T>) const override {} // the score is the target
};

} // namespace

template <class T>
std::unique_ptr<Loss<T>> make_squared_loss() {
  return std::make_unique<SquaredLoss<T>>();
}
template std::unique_ptr<Loss<float>> make_squared_loss();
template std::unique_ptr<Loss<double>> make_squared_loss();

} // namespace ps
