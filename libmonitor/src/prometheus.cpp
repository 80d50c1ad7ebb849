#include "monitor/prometheus.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace monitor {
namespace {

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

} // namespace

void PrometheusText::begin(std::string_view name, std::string_view help, std::string_view type) {
  name_ = fmt::format("superstep_{}", name);
  fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, type);
}

void PrometheusText::sample(double value, const Labels& labels) {
  text_ += name_;
  const char* before = "{";
  for (const auto& [label, content] : labels) {
    fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", before, label, escaped(content));
    before = ",";
  }
  if (!labels.empty()) text_ += '}';
  if (std::isnan(value))
    text_ += " NaN\n";
  else if (std::isinf(value))
    text_ += value > 0 ? " +Inf\n" : " -Inf\n";
  else
    fmt::format_to(std::back_inserter(text_), " {:.17g}\n", value);
}

} // namespace monitor
