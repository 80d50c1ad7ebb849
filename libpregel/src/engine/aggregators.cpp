#include "pregel/engine/aggregators.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace pregel {

bool AggregatorBoard::is_summed(const AggregatorRegistry::Declaration& d) noexcept {
  return d.kind == AggregateKind::sum || d.kind == AggregateKind::count;
}

bool AggregatorBoard::is_exact(const AggregatorRegistry::Declaration& d) noexcept {
  return d.kind == AggregateKind::sum && d.type == AggregatorRegistry::Type::real;
}

AggregatorBoard::AggregatorBoard(std::vector<AggregatorRegistry::Declaration> declarations, int threads)
    : declarations_(std::move(declarations)),
      threads_(static_cast<std::size_t>(threads), std::vector<Accumulator>(declarations_.size())),
      reduced_(declarations_.size()) {
  for (const auto& d : declarations_) {
    ++sum_words_; // how often it was fed
    if (is_exact(d))
      sum_words_ += core::ExactSum::kWords;
    else
      ++(is_summed(d) ? sum_words_ : max_words_);
  }
}

void AggregatorBoard::pack(std::span<std::int64_t> sums, std::span<std::int64_t> maxima) {
  std::size_t s = 0, m = 0;
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    Accumulator total;
    total.integer_ = is_summed(declarations_[i]) ? 0 : std::numeric_limits<std::int64_t>::min();
    for (auto& accumulators : threads_) {
      Accumulator& mine = accumulators[i];
      if (mine.fed_ == 0) continue;
      total.fed_ += mine.fed_;
      if (is_exact(declarations_[i])) {
        total.exact_.merge(mine.exact_);
        mine.exact_.clear();
      } else if (is_summed(declarations_[i])) {
        total.integer_ += mine.integer_;
      } else {
        total.integer_ = std::max(total.integer_, mine.integer_);
      }
      mine.fed_ = 0;
      mine.integer_ = 0;
    }
    sums[s++] = static_cast<std::int64_t>(total.fed_);
    if (is_exact(declarations_[i])) {
      total.exact_.store(std::span<std::int64_t, core::ExactSum::kWords>(sums.subspan(s, core::ExactSum::kWords)));
      s += core::ExactSum::kWords;
    } else if (is_summed(declarations_[i])) {
      sums[s++] = total.integer_;
    } else {
      maxima[m++] = total.integer_;
    }
  }
}

void AggregatorBoard::unpack(std::span<const std::int64_t> sums, std::span<const std::int64_t> maxima) {
  std::size_t s = 0, m = 0;
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    Accumulator& value = reduced_[i];
    value.fed_ = static_cast<std::uint64_t>(sums[s++]);
    if (is_exact(declarations_[i])) {
      value.exact_.load(std::span<const std::int64_t, core::ExactSum::kWords>(sums.subspan(s, core::ExactSum::kWords)));
      value.rounded_ = value.exact_.value();
      s += core::ExactSum::kWords;
    } else if (is_summed(declarations_[i])) {
      value.integer_ = sums[s++];
    } else {
      value.integer_ = maxima[m++];
    }
  }
}

std::optional<double> AggregatorBoard::as_number(std::size_t aggregator) const {
  using Type = AggregatorRegistry::Type;
  const Accumulator& a = reduced_[aggregator];
  const AggregatorRegistry::Declaration& d = declarations_[aggregator];
  if (a.fed_ == 0) return std::nullopt;
  if (is_exact(d)) return a.rounded_;
  if (is_summed(d)) {
    return d.type == Type::unsigned_integer ? static_cast<double>(static_cast<std::uint64_t>(a.integer_))
                                            : static_cast<double>(a.integer_);
  }
  const bool complemented = d.kind == AggregateKind::min || d.kind == AggregateKind::logical_and;
  const std::int64_t ordered = complemented ? ~a.integer_ : a.integer_;
  if (d.type == Type::real) return from_ordered<double>(ordered);
  if (d.type == Type::unsigned_integer) return static_cast<double>(from_ordered<std::uint64_t>(ordered));
  return static_cast<double>(ordered);
}

std::vector<std::pair<std::string, double>> AggregatorBoard::named_values() const {
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    if (const std::optional<double> x = as_number(i)) values.emplace_back(declarations_[i].name, *x);
  }
  return values;
}

std::vector<std::string> AggregatorBoard::names() const {
  std::vector<std::string> names;
  for (const auto& d : declarations_) names.push_back(d.name);
  return names;
}

std::vector<std::string> AggregatorBoard::texts() const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < declarations_.size(); ++i) {
    const std::optional<double> x = as_number(i);
    texts.push_back(x ? fmt::format("{:.17g}", *x) : "");
  }
  return texts;
}

} // namespace pregel
