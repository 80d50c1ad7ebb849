// The live view of pstrain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "monitor/history.hpp"
#include "monitor/live_view.hpp"
#include "ps/training/training_spectator.hpp"
#include "pstrain_options.hpp"

namespace drivers {

/// An entry of a curve that is told by its last point.
template <class Point>
struct Latest : Point {
  void merge(const Latest& later) { *this = later; }
};

/// Mean version staleness against time.
struct StalenessPoint {
  double seconds = 0, mean = 0;
};

/// Functions are local.
class PstrainView final : public monitor::LiveView, public ps::TrainingSpectator {
 public:
  PstrainView(const PstrainOptions& options, const ps::Roles& roles, int ranks);
  ~PstrainView() override;

  /// The data are there; `gradients` of each worker.
  void data_are_there(const std::string& description, std::size_t parameters, std::uint64_t gradients);

  // TrainingSpectator.
  void begin(const std::vector<ps::LossPoint>& curve, std::optional<std::uint64_t> resumed_from) override;
  void progress(std::span<const ps::RankProgress> ranks) override;
  void checkpoint(std::uint64_t step, std::uint64_t bytes, double seconds) override;
  void trained(const std::vector<ps::LossPoint>& curve) override;

 private:
  /// All ranks together.
  struct Sums {
    std::uint64_t gradients = 0, messages = 0, bytes_pushed = 0, bytes_pulled = 0, lead_max = 0, staleness_max = 0;
    double lead_mean = 0, staleness_mean = 0;
  };

  void describe(nlohmann::json& status) const override;
  void measure(monitor::PrometheusText& text) const override;
  void describe_ranks(nlohmann::json& status) const;
  void take_curve(const std::vector<ps::LossPoint>& curve);
  void take_rate(std::uint64_t gradients);
  [[nodiscard]] Sums sums() const;
  [[nodiscard]] std::uint64_t planned_of(std::size_t rank) const { return gradients_ * workers_of_[rank]; }

  std::size_t batch_;
  std::vector<std::size_t> workers_of_; // each rank

  // Under mutex_.
  std::uint64_t gradients_ = 0; // of each worker
  std::vector<ps::RankProgress> ranks_;
  std::uint64_t losses_seen_ = 0;
  std::optional<ps::LossPoint> loss_;
  monitor::History<Latest<ps::LossPoint>> curve_;
  monitor::History<Latest<StalenessPoint>> staleness_;
  core::Stopwatch training_, since_rate_;
  std::uint64_t gradients_at_rate_ = 0, gradients_at_begin_ = 0;
  bool counting_ = false; // the gradients at the beginning are known
  double rate_ = 0;       // gradients a second
};

} // namespace drivers
