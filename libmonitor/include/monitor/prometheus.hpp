// Numbers in the text format 0.0.4 of Prometheus:
//
//   # HELP superstep_messages_total Messages sent.
//   # TYPE superstep_messages_total counter
//   superstep_messages_total 4182
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace monitor {

/// All functions are local.
class PrometheusText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  /// Begins a metric; samples follow. `name` without the prefix superstep_.
  void counter(std::string_view name, std::string_view help) { begin(name, help, "counter"); }
  void gauge(std::string_view name, std::string_view help) { begin(name, help, "gauge"); }
  void sample(double value, const Labels& labels = {});

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void begin(std::string_view name, std::string_view help, std::string_view type);

  std::string text_, name_;
};

} // namespace monitor
