// The vertices with the largest values, for the few lines that a program prints at its end.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "pregel/io/results.hpp"
#include "result_names.hpp"

namespace pregel {
namespace {

/// Values keep their type: as doubles, ids and counts beyond 2^53 would be compared and printed wrongly.
template <class T>
struct Candidate {
  GlobalId id;
  T value;
};

/// A value that is no number comes last, and so does "no vertex".
bool larger(double a, double b) {
  const double lowest = -std::numeric_limits<double>::infinity();
  const double x = std::isnan(a) ? lowest : a, y = std::isnan(b) ? lowest : b;
  return x != y ? x > y : !std::isnan(a) && std::isnan(b);
}
bool larger(GlobalId a, GlobalId b) {
  return a != kNoVertex && (b == kNoVertex || b < a);
}
template <std::integral T>
bool larger(T a, T b) {
  return a > b;
}

template <class T>
void keep_largest(std::vector<Candidate<T>>& candidates, std::size_t count) {
  const std::size_t kept = std::min(count, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    [](const Candidate<T>& a, const Candidate<T>& b) {
                      if (larger(a.value, b.value)) return true;
                      return !larger(b.value, a.value) && a.id < b.id;
                    });
  candidates.resize(kept);
}

/// The candidates of all ranks; never many more than needed are held. Collective.
template <class T>
std::vector<Candidate<T>> largest_of(const core::Communicator& comm, const std::vector<GlobalId>& ids,
                                     const std::vector<T>& values, std::size_t count) {
  constexpr std::size_t kSpare = 4096;
  std::vector<Candidate<T>> candidates;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    candidates.push_back({ids[row], values[row]});
    if (candidates.size() - std::min(count, candidates.size()) == kSpare) keep_largest(candidates, count);
  }
  keep_largest(candidates, count);
  candidates = core::all_gather_varying(comm, std::span<const Candidate<T>>(candidates));
  keep_largest(candidates, count);
  return candidates;
}

std::vector<std::string> texts_of(const core::Communicator& comm, const NameDirectory* names,
                                  const std::vector<GlobalId>& ids) {
  if (names != nullptr) return names_or_none(comm, *names, ids);
  std::vector<std::string> texts;
  for (const GlobalId id : ids) texts.push_back(id == kNoVertex ? "-1" : std::to_string(number(id)));
  return texts;
}

std::string text_of(double value) {
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
}
template <std::integral T>
std::string text_of(T value) {
  return std::to_string(value);
}

template <class T>
std::vector<TopVertex> lines_of(const core::Communicator& comm, const NameDirectory* names,
                                const std::vector<Candidate<T>>& candidates) {
  std::vector<GlobalId> ids, values;
  for (const Candidate<T>& candidate : candidates) {
    ids.push_back(candidate.id);
    if constexpr (std::is_same_v<T, GlobalId>) values.push_back(candidate.value);
  }
  const std::vector<std::string> labels = texts_of(comm, names, ids), value_names = texts_of(comm, names, values);
  std::vector<TopVertex> lines;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if constexpr (std::is_same_v<T, GlobalId>)
      lines.push_back({labels[i], value_names[i]});
    else
      lines.push_back({labels[i], text_of(candidates[i].value)});
  }
  return lines;
}

} // namespace

std::vector<TopVertex> top_vertices(const core::Communicator& comm, const ResultTable& table,
                                    const NameDirectory* names, std::size_t count, std::size_t column) {
  if (table.columns.empty()) return {};
  return std::visit(
      [&](const auto& values) { return lines_of(comm, names, largest_of(comm, table.ids, values, count)); },
      table.columns[column].values);
}

} // namespace pregel
