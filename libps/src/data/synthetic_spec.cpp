#include <charconv>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "data/labels.hpp"
#include "data/synthetic.hpp"

namespace ps {
namespace {

constexpr std::string_view kPrefix = "synthetic:";
constexpr std::size_t kMost = std::size_t{1} << 40; // rows, features: far more than any memory, far from overflow
constexpr std::size_t kLargestSide = 1024;
constexpr std::size_t kMostParameters = std::size_t{1} << 27; // every rank holds them, in double

class Settings {
 public:
  explicit Settings(std::string_view whole) : whole_(whole) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw core::InputError(fmt::format("data '{}': {}", whole_, reason));
  }

  /// `key=value,key=value`.
  void read(std::string_view pairs) {
    for (bool more = true; more;) {
      const std::size_t comma = pairs.find(',');
      const std::string_view pair = pairs.substr(0, comma);
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) fail(fmt::format("'{}' is not of the form key=value", pair));
      if (!values_.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
        fail(fmt::format("{} is given twice", pair.substr(0, equals)));
      }
      more = comma != std::string_view::npos;
      if (more) pairs.remove_prefix(comma + 1);
    }
  }

  template <class Number>
  void take(const char* key, Number& value, Number least, Number most) {
    known_ += fmt::format("{}{}", known_.empty() ? "" : ", ", key);
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    const std::string_view text = found->second;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) fail(fmt::format("{}={} is no number", key, text));
    if (!(value >= least && value <= most)) fail(fmt::format("{} must lie between {} and {}", key, least, most));
    values_.erase(found);
  }

  void require_empty() const {
    if (!values_.empty()) fail(fmt::format("unknown key '{}' (known: {})", values_.begin()->first, known_));
  }

 private:
  std::string_view whole_;
  std::map<std::string, std::string_view, std::less<>> values_;
  std::string known_; ///< keys that were asked for
};

} // namespace

SyntheticSpec parse_synthetic(std::string_view text) {
  Settings settings(text);
  const std::string_view rest = text.substr(kPrefix.size());
  const std::size_t comma = rest.find(',');
  SyntheticSpec spec;
  spec.kind = rest.substr(0, comma);
  const bool images = spec.kind == "images";
  const bool softmax = spec.kind == "softmax";
  if (!images && !softmax && spec.kind != "ridge" && spec.kind != "logistic") {
    settings.fail(fmt::format("unknown kind '{}'; there are ridge, logistic, softmax and images", spec.kind));
  }
  if (comma != std::string_view::npos) settings.read(rest.substr(comma + 1));
  spec.noise = images || spec.kind == "ridge" ? 0.1 : 1;
  settings.take<std::size_t>("rows", spec.rows, 1, kMost);
  settings.take<std::size_t>("test", spec.test, 1, kMost);
  settings.take<double>("noise", spec.noise, 0, 1e6);
  settings.take<std::uint64_t>("seed", spec.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (images || softmax) settings.take<std::size_t>("classes", spec.classes, 2, kMostClasses);
  if (images) {
    settings.take<std::size_t>("size", spec.size, 4, kLargestSide);
    spec.features = spec.size * spec.size;
  } else {
    settings.take<std::size_t>("features", spec.features, 1, kMost);
    settings.take<std::size_t>("nonzeros", spec.nonzeros, 1, spec.features);
  }
  settings.require_empty();
  if (spec.test == 0) spec.test = (spec.rows + 4) / 5;
  if (!images && spec.features > kMostParameters / (softmax ? spec.classes : 1)) {
    settings.fail(fmt::format("more than {} parameters", kMostParameters));
  }
  return spec;
}

} // namespace ps
