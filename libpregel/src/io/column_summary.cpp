// Values are compared as 64-bit KEYS, unsigned integers in the order of the values: then one bisection finds quantiles
// of reals and of integers beyond 2^53 alike, with one small MPI_Allreduce a bit. Each rank sorts its keys once.
#include "column_summary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/collectives.hpp"
#include "core/exact_reduction.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;

std::uint64_t key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x); // one zero
  return (bits & kHighest) != 0 ? ~bits : bits | kHighest;
}
std::uint64_t key_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x) ^ kHighest;
}
std::uint64_t key_of(std::uint64_t x) {
  return x;
}

template <class T>
T value_of(std::uint64_t key) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>((key & kHighest) != 0 ? key ^ kHighest : ~key);
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return static_cast<std::int64_t>(key ^ kHighest);
  else
    return key;
}

template <class T>
bool is_unreachable(T x) {
  if constexpr (std::is_same_v<T, double>)
    return std::isinf(x);
  else
    return std::is_signed_v<T> && x == std::numeric_limits<T>::max();
}
template <class T>
bool is_number(T x) {
  if constexpr (std::is_same_v<T, double>) return !std::isnan(x);
  return true;
}

/// This rank's values that count, and the counts of all ranks.
struct Keys {
  std::vector<std::uint64_t> mine; // ascending
  std::uint64_t count = 0, unreachable = 0, not_numbers = 0;
  double total = 0;
};

template <class T>
Keys collect(const core::Communicator& comm, const std::vector<T>& values) {
  Keys keys;
  core::ExactSum sum;
  for (const T x : values) {
    if (!is_number(x)) {
      ++keys.not_numbers;
    } else if (is_unreachable(x)) {
      ++keys.unreachable;
    } else {
      keys.mine.push_back(key_of(x));
      sum.add(static_cast<double>(x));
    }
  }
  std::ranges::sort(keys.mine);
  std::array<std::uint64_t, 3> counts{keys.mine.size(), keys.unreachable, keys.not_numbers};
  core::all_reduce(comm, std::span<std::uint64_t>(counts), core::Reduce::sum);
  keys.count = counts[0];
  keys.unreachable = counts[1];
  keys.not_numbers = counts[2];
  keys.total = core::sum_over_ranks(comm, sum);
  return keys;
}

/// For each of `ranks` (from 1) the key that has this place among the keys of all ranks. Collective.
std::vector<std::uint64_t> select(const core::Communicator& comm, const Keys& keys,
                                  const std::vector<std::uint64_t>& ranks) {
  std::vector<std::uint64_t> below(ranks.size(), 0), up_to(ranks.size(), ~std::uint64_t{0});
  for (int bit = 0; bit < 64; ++bit) {
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const std::uint64_t middle = below[i] + (up_to[i] - below[i]) / 2;
      counts.push_back(static_cast<std::uint64_t>(std::ranges::upper_bound(keys.mine, middle) - keys.mine.begin()));
    }
    core::all_reduce(comm, std::span<std::uint64_t>(counts), core::Reduce::sum);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const std::uint64_t middle = below[i] + (up_to[i] - below[i]) / 2;
      if (counts[i] >= ranks[i])
        up_to[i] = middle;
      else
        below[i] = std::min(middle + 1, up_to[i]);
    }
  }
  return up_to;
}

/// From this key to the next bin's.
struct Bin {
  std::uint64_t first_key;
  nlohmann::json from, to;
};

constexpr std::size_t kMostBins = 20;

template <class T>
Bin single(T x) {
  return {key_of(x), x, x};
}

/// base^exponent; for integers saturated, which no value but the largest reaches.
template <class T>
T power(int base, int exponent) {
  if constexpr (std::is_same_v<T, double>) {
    return std::pow(static_cast<double>(base), exponent);
  } else {
    T result = 1;
    for (int i = 0; i < exponent; ++i) {
      if (result > std::numeric_limits<T>::max() / static_cast<T>(base)) return std::numeric_limits<T>::max();
      result *= static_cast<T>(base);
    }
    return result;
  }
}

/// The largest e with base^e <= x, x > 0.
template <class T>
int exponent_of(int base, T x) {
  int e = 0;
  if constexpr (std::is_same_v<T, double>) {
    e = static_cast<int>(std::floor(std::log(x) / std::log(base)));
    while (power<T>(base, e) > x) --e; // the logarithm is rounded
    while (power<T>(base, e + 1) <= x) ++e;
  } else {
    while (e < 63 && power<T>(base, e + 1) <= x && power<T>(base, e + 1) != std::numeric_limits<T>::max()) ++e;
  }
  return e;
}

/// Powers of two, or of ten when that takes too many bins. What is below the last kMostBins powers shares one.
template <class T>
void add_powers(std::vector<Bin>& bins, T least, T most) {
  int base = 2;
  if (exponent_of(2, most) - exponent_of(2, least) >= static_cast<int>(kMostBins)) base = 10;
  const int last = exponent_of(base, most);
  int first = exponent_of(base, least);
  if (last - first >= static_cast<int>(kMostBins)) {
    first = last - static_cast<int>(kMostBins) + 1;
    bins.push_back({key_of(least), least, power<T>(base, first)});
  }
  for (int e = first; e <= last; ++e) {
    const T from = power<T>(base, e);
    bins.push_back({key_of(from), from, power<T>(base, e + 1)});
  }
}

/// Bins for values from `least` to `most`: one a value for a handful of integers; else powers, with zero and negative
/// values apart. Collective.
template <class T>
std::vector<Bin> bins_for(const core::Communicator& comm, const Keys& keys, T least, T most) {
  if (least == most) return {single(least)};
  std::vector<Bin> bins;
  if constexpr (!std::is_same_v<T, double>) {
    if (static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) < kMostBins) {
      for (T x = least; x < most; ++x) bins.push_back(single(x));
      bins.push_back(single(most));
      return bins;
    }
  }
  if (least < 0) bins.push_back({key_of(least), least, T{0}});
  if (least <= 0 && most >= 0) bins.push_back(single(T{0}));
  if (most <= 0) return bins;
  const auto positive = std::ranges::upper_bound(keys.mine, key_of(T{0}));
  const std::uint64_t smallest =
      core::all_reduce_value(comm, positive == keys.mine.end() ? ~std::uint64_t{0} : *positive, core::Reduce::min);
  add_powers(bins, value_of<T>(smallest), most);
  return bins;
}

/// Collective.
template <class T>
nlohmann::json distribution(const core::Communicator& comm, const Keys& keys, T least, T most) {
  const std::vector<Bin> bins = bins_for(comm, keys, least, most);
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto from = std::ranges::lower_bound(keys.mine, bins[i].first_key);
    const auto to = i + 1 < bins.size() ? std::ranges::lower_bound(keys.mine, bins[i + 1].first_key) : keys.mine.end();
    counts.push_back(static_cast<std::uint64_t>(to - from));
  }
  core::all_reduce(comm, std::span<std::uint64_t>(counts), core::Reduce::sum);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < bins.size(); ++i)
    rows.push_back({{"from", bins[i].from}, {"to", bins[i].to}, {"count", counts[i]}});
  return rows;
}

template <class T>
nlohmann::json summarise(const core::Communicator& comm, const std::vector<T>& values) {
  const Keys keys = collect(comm, values);
  nlohmann::json summary{{"count", keys.count}, {"unreachable", keys.unreachable}, {"not_numbers", keys.not_numbers}};
  if (keys.count == 0) return summary;
  static constexpr std::array<std::pair<const char*, int>, 5> kPercents{
      {{"0.25", 25}, {"0.5", 50}, {"0.75", 75}, {"0.9", 90}, {"0.99", 99}}};
  std::vector<std::uint64_t> ranks{1, keys.count};
  for (const auto& [name, percent] : kPercents) {
    const auto p = static_cast<std::uint64_t>(percent); // ceil(count * p / 100), without overflow
    ranks.push_back(keys.count / 100 * p + (keys.count % 100 * p + 99) / 100);
  }
  const std::vector<std::uint64_t> found = select(comm, keys, ranks);
  const T least = value_of<T>(found[0]), most = value_of<T>(found[1]);
  summary["minimum"] = least;
  summary["maximum"] = most;
  summary["mean"] = keys.total / static_cast<double>(keys.count);
  summary["total"] = keys.total;
  for (std::size_t i = 0; i < kPercents.size(); ++i)
    summary["quantiles"][kPercents[i].first] = value_of<T>(found[i + 2]);
  summary["distribution"] = distribution(comm, keys, least, most);
  return summary;
}

} // namespace

nlohmann::json summarise_column(const core::Communicator& comm, const ResultColumn& values) {
  return std::visit(
      [&](const auto& column) -> nlohmann::json {
        using T = typename std::decay_t<decltype(column)>::value_type;
        if constexpr (std::is_same_v<T, GlobalId>)
          return nlohmann::json::object();
        else
          return summarise(comm, column);
      },
      values);
}

} // namespace pregel
