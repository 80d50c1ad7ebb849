// From "kron:scale=20,degree=16,seed=1" to a GeneratorSpec. Everything that can be known to be impossible is refused
// here, before a rank has made an edge: the message names the key, the value and what would be allowed.
#include <charconv>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pregel/io/generators.hpp"

namespace pregel {
namespace {

constexpr unsigned kLargestScale = 40;
constexpr std::uint64_t kLargestCount = std::numeric_limits<std::uint64_t>::max();

/// The key=value pairs of a specification. Each getter removes what it reads, so that what is left over at the end is
/// what nobody knows.
class Settings {
 public:
  Settings(std::string_view whole, std::string_view pairs) : whole_(whole) {
    while (!pairs.empty()) {
      const std::size_t comma = pairs.find(',');
      insert(pairs.substr(0, comma));
      if (comma == std::string_view::npos) break;
      pairs.remove_prefix(comma + 1);
      if (pairs.empty()) fail("ends with a comma");
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw core::InputError(fmt::format("generator '{}': {}", whole_, reason));
  }
  [[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& reason) const {
    fail(fmt::format("{}={}: {}", key, value, reason));
  }

  [[nodiscard]] bool has(const char* key) const { return values_.contains(key); }

  /// The value of the first of `keys` that was given; two of them at once are refused (they are synonyms).
  [[nodiscard]] std::optional<std::string> take(std::initializer_list<const char*> keys) {
    std::optional<std::string> value;
    known_ += fmt::format("{}{}", known_.empty() ? "" : ", ", *keys.begin());
    for (const char* key : keys) {
      const auto found = values_.find(key);
      if (found == values_.end()) continue;
      if (value) refuse(key, found->second, fmt::format("{} was given already", *keys.begin()));
      value = found->second;
      values_.erase(found);
    }
    return value;
  }

  [[nodiscard]] std::uint64_t whole_number(std::initializer_list<const char*> keys,
                                           std::optional<std::uint64_t> otherwise = std::nullopt) {
    const std::optional<std::string> text = take(keys);
    if (text) return parse_whole_number(*keys.begin(), *text);
    if (!otherwise) fail(fmt::format("needs {}=", *keys.begin()));
    return *otherwise;
  }

  [[nodiscard]] double probability(const char* key, double otherwise) {
    const std::optional<std::string> text = take({key});
    if (!text) return otherwise;
    double value = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (problem != std::errc{} || end != text->data() + text->size()) refuse(key, *text, "not a number");
    if (!(value >= 0 && value <= 1)) refuse(key, *text, "must lie between 0 and 1");
    return value;
  }

  void require_empty() const {
    if (!values_.empty()) {
      const auto& [key, value] = *values_.begin();
      refuse(key, value, fmt::format("unknown key '{}' (known: {})", key, known_));
    }
  }

 private:
  void insert(std::string_view pair) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) fail(fmt::format("'{}' is not of the form key=value", pair));
    const std::string key(pair.substr(0, equals));
    const std::string value(pair.substr(equals + 1));
    if (value.empty()) refuse(key, value, "the value is missing");
    if (!values_.emplace(key, value).second) refuse(key, value, "given twice");
  }

  /// 1000000, 1e6 and 2.5e3 are whole numbers; 1.5 and 1e-3 are not. Digits are kept as integers, so that 64-bit
  /// values are exact.
  [[nodiscard]] std::uint64_t parse_whole_number(std::string_view key, std::string_view text) const {
    const std::size_t letter = text.find_first_of("eE");
    std::string digits(text.substr(0, letter));
    long exponent = 0;
    if (letter != std::string_view::npos) {
      std::string_view tail = text.substr(letter + 1);
      if (tail.starts_with('+')) tail.remove_prefix(1);
      const auto [end, problem] = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
      if (problem != std::errc{} || end != tail.data() + tail.size()) refuse(key, text, "not a whole number");
    }
    if (const std::size_t point = digits.find('.'); point != std::string::npos) {
      exponent -= static_cast<long>(digits.size() - point - 1);
      digits.erase(point, 1);
    }
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
      refuse(key, text, "not a whole number (0 or more)");
    while (exponent < 0 && !digits.empty() && digits.back() == '0') digits.pop_back(), ++exponent;
    digits.erase(0, digits.find_first_not_of('0'));
    if (digits.empty()) return 0;
    if (exponent < 0) refuse(key, text, "not a whole number");
    if (exponent > 20) refuse(key, text, "too large for 64 bits");
    digits.append(static_cast<std::size_t>(exponent), '0');
    std::uint64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
      refuse(key, text, "too large for 64 bits");
    return value;
  }

  std::string_view whole_;
  std::map<std::string, std::string> values_;
  std::string known_; ///< keys that were asked for, without synonyms
};

/// a * b, refused under `key` when it does not fit into 64 bits.
std::uint64_t product(const Settings& settings, std::string_view key, std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > kLargestCount / a)
    settings.refuse(key, fmt::to_string(b), "the number of vertices or edges would not fit into 64 bits");
  return a * b;
}

void parse_kronecker(Settings& settings, GeneratorSpec& spec) {
  const std::uint64_t scale = settings.whole_number({"scale"});
  if (scale > kLargestScale)
    settings.refuse("scale", fmt::to_string(scale), fmt::format("at most {} is supported", kLargestScale));
  spec.scale = static_cast<unsigned>(scale);
  spec.vertices = std::uint64_t{1} << scale;
  spec.edges = product(settings, "degree", spec.vertices, settings.whole_number({"degree"}, 16));
  spec.a = settings.probability("a", spec.a);
  spec.b = settings.probability("b", spec.b);
  spec.c = settings.probability("c", spec.c);
  // The slack admits decimal fractions whose binary forms add up to a hair more than one.
  if (const double sum = spec.a + spec.b + spec.c; sum > 1 + 1e-12)
    settings.fail(fmt::format("a={}, b={}, c={}: their sum {} exceeds 1", spec.a, spec.b, spec.c, sum));
}

void parse_erdos_renyi(Settings& settings, GeneratorSpec& spec) {
  spec.vertices = settings.whole_number({"vertices", "n"});
  if (settings.has("degree") && settings.has("edges")) settings.fail("give either edges= or degree=, not both");
  spec.edges = settings.has("degree") ? product(settings, "degree", spec.vertices, settings.whole_number({"degree"}))
                                      : settings.whole_number({"edges"});
  if (spec.vertices == 0 && spec.edges > 0)
    settings.refuse("edges", fmt::to_string(spec.edges), "a graph without vertices has no edges");
}

void parse_grid(Settings& settings, GeneratorSpec& spec) {
  spec.rows = settings.whole_number({"rows"});
  spec.columns = settings.whole_number({"cols", "columns"});
  // Twice the vertices bounds the edges, so that neither count overflows.
  product(settings, "cols", product(settings, "rows", 2, spec.rows), spec.columns);
  spec.vertices = spec.rows * spec.columns;
  if (spec.vertices > 0) spec.edges = spec.rows * (spec.columns - 1) + (spec.rows - 1) * spec.columns;
}

/// chain, star and tree: n vertices joined by n - 1 edges.
void parse_tree_like(Settings& settings, GeneratorSpec& spec) {
  spec.vertices = settings.whole_number({"n", "vertices"});
  spec.edges = spec.vertices == 0 ? 0 : spec.vertices - 1;
}

void parse_small_world(Settings& settings, GeneratorSpec& spec) {
  spec.vertices = settings.whole_number({"n", "vertices"});
  spec.neighbours = settings.whole_number({"k"});
  spec.rewire = settings.probability("p", 0);
  if (spec.neighbours % 2 != 0)
    settings.refuse("k", fmt::to_string(spec.neighbours), "must be even (half the neighbours on each side)");
  if (spec.neighbours >= spec.vertices)
    settings.refuse("k", fmt::to_string(spec.neighbours), fmt::format("must be below n={}", spec.vertices));
  spec.edges = product(settings, "k", spec.vertices, spec.neighbours) / 2;
}

struct Family {
  const char* name;
  GeneratorKind kind;
  void (*parse)(Settings&, GeneratorSpec&);
};
constexpr Family kFamilies[] = {
    {"kron", GeneratorKind::kronecker, parse_kronecker},
    {"er", GeneratorKind::erdos_renyi, parse_erdos_renyi},
    {"grid", GeneratorKind::grid, parse_grid},
    {"chain", GeneratorKind::chain, parse_tree_like},
    {"star", GeneratorKind::star, parse_tree_like},
    {"tree", GeneratorKind::binary_tree, parse_tree_like},
    {"smallworld", GeneratorKind::small_world, parse_small_world},
};

WeightKind parse_weights(Settings& settings) {
  const std::optional<std::string> kind = settings.take({"weights"});
  if (!kind) return WeightKind::none;
  if (*kind == "int") return WeightKind::integers;
  if (*kind == "real") return WeightKind::reals;
  settings.refuse("weights", *kind, "int or real");
}

} // namespace

SelfLoops GeneratorSpec::default_self_loops() const {
  const bool random_pairs = kind == GeneratorKind::kronecker || kind == GeneratorKind::erdos_renyi;
  return random_pairs ? SelfLoops::drop : SelfLoops::keep;
}

MultiEdges GeneratorSpec::default_multi_edges() const {
  const bool random_targets =
      kind == GeneratorKind::kronecker || kind == GeneratorKind::erdos_renyi || kind == GeneratorKind::small_world;
  return random_targets ? MultiEdges::drop : MultiEdges::keep;
}

GeneratorSpec parse_generator(std::string_view text) {
  GeneratorSpec spec;
  spec.text = text;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Settings settings(spec.text, colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1));
  std::string known;
  for (const Family& family : kFamilies) {
    if (name == family.name) {
      spec.kind = family.kind;
      family.parse(settings, spec);
      spec.seed = settings.whole_number({"seed"}, 1);
      spec.weights = parse_weights(settings);
      settings.require_empty();
      return spec;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", family.name);
  }
  settings.fail(fmt::format("unknown generator '{}' (known: {})", name, known));
}

} // namespace pregel
