// Loss against time, while the workers train: one rank evaluates the loss on a sample of the training rows whenever the
// parameters have changed, but spends at most a twentieth of its time on that, unless told how often to look.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "ps/data/examples.hpp"
#include "ps/models/model.hpp"
#include "ps/training/training_options.hpp"

namespace ps {

/// A point of the curve.
struct LossPoint {
  double seconds = 0;
  std::uint64_t gradients = 0; ///< that have gone into the parameters
  double loss = 0;
};

/// Summed over all rows, taken a few hundred at a time so that the layers of a network stay small. Local.
template <class T>
[[nodiscard]] Evaluation evaluate_all(Model<T>& model, std::span<const T> parameters, const Examples<T>& examples);

/// What the model says of each row: rows x outputs() numbers. Local.
template <class T>
[[nodiscard]] std::vector<T> predict_all(Model<T>& model, std::span<const T> parameters, const Examples<T>& examples);

/// All functions are local.
template <class T>
class LossMonitor {
 public:
  using Point = LossPoint;

  /// Watches only if there is a sample. `model` and `sample` must outlive it.
  LossMonitor(Model<T>& model, const Examples<T>& sample, const TrainingOptions& options);
  ~LossMonitor();
  LossMonitor(const LossMonitor&) = delete;
  LossMonitor& operator=(const LossMonitor&) = delete;

  /// Time starts, or goes on, for a resumed run, from where it was.
  void start(double seconds_before, std::vector<Point> curve_before);
  /// Since start(), on every rank.
  [[nodiscard]] double seconds() const noexcept { return before_ + watch_.seconds(); }

  [[nodiscard]] bool watches() const noexcept { return sample_->rows > 0; }
  /// The rows that it looks at.
  [[nodiscard]] const Examples<T>& sample() const noexcept { return *sample_; }
  /// Asking for the version may cost a message: is it worth while? At most once in a millisecond, unless told
  /// how often to look.
  [[nodiscard]] bool may_look() noexcept;
  /// Is this version, a number of updates, to be evaluated?
  [[nodiscard]] bool due(std::uint64_t version) const noexcept;
  /// Evaluates the parameters; `reading` are the seconds that it took to get them.
  void look(std::uint64_t version, std::uint64_t gradients, std::span<const T> parameters, double reading = 0);

  /// The target has been reached, or the run has diverged: the loss is not finite, or a million times what it was at
  /// first.
  [[nodiscard]] bool wants_stop() const noexcept { return reached_.has_value() || diverged_; }
  [[nodiscard]] bool diverged() const noexcept { return diverged_; }
  [[nodiscard]] const std::optional<Point>& reached() const noexcept { return reached_; }
  [[nodiscard]] const std::vector<Point>& curve() const noexcept { return curve_; }

 private:
  void show(const Point& point);

  Model<T>* model_;
  const Examples<T>* sample_;
  std::optional<double> target_;
  std::uint64_t every_;
  bool progress_;

  core::Stopwatch watch_, since_asked_, since_look_, since_shown_;
  double before_ = 0, last_cost_ = 0;
  std::optional<std::uint64_t> last_version_;
  std::vector<Point> curve_;
  std::optional<Point> reached_;
  bool diverged_ = false, shown_ = false;
};

extern template class LossMonitor<float>;
extern template class LossMonitor<double>;

} // namespace ps
