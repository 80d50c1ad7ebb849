// The vertices with the largest values, for the few lines that a program prints at its end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/collectives.hpp"
#include "pregel/io/results.hpp"
#include "result_names.hpp"

namespace pregel {
namespace {

struct Candidate {
  GlobalId id;
  double value;
};

/// Larger values first, then smaller ids. A value that is no number comes last.
bool before(const Candidate& a, const Candidate& b) {
  const double lowest = -std::numeric_limits<double>::infinity();
  const double x = std::isnan(a.value) ? lowest : a.value, y = std::isnan(b.value) ? lowest : b.value;
  if (x != y) return x > y;
  if (std::isnan(a.value) != std::isnan(b.value)) return std::isnan(b.value);
  return a.id < b.id;
}

void keep_largest(std::vector<Candidate>& candidates, std::size_t count) {
  const std::size_t kept = std::min(count, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    before);
  candidates.resize(kept);
}

double as_real(GlobalId id) {
  return id == kNoVertex ? -1.0 : static_cast<double>(number(id));
}
template <class T>
double as_real(T value) {
  return static_cast<double>(value);
}

/// The candidates of this rank; never many more than needed are held.
template <class T>
std::vector<Candidate> largest_of(const std::vector<GlobalId>& ids, const std::vector<T>& values, std::size_t count) {
  constexpr std::size_t kSpare = 4096;
  std::vector<Candidate> candidates;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    candidates.push_back({ids[row], as_real(values[row])});
    if (candidates.size() - std::min(count, candidates.size()) == kSpare) keep_largest(candidates, count);
  }
  keep_largest(candidates, count);
  return candidates;
}

} // namespace

std::vector<std::pair<std::string, double>> top_vertices(const core::Communicator& comm, const ResultTable& table,
                                                         const NameDirectory* names, std::size_t count) {
  std::vector<Candidate> candidates;
  if (!table.columns.empty())
    candidates = std::visit([&](const auto& values) { return largest_of(table.ids, values, count); },
                            table.columns.front().values);
  candidates = core::all_gather_varying(comm, std::span<const Candidate>(candidates));
  keep_largest(candidates, count);

  std::vector<std::string> labels;
  if (names != nullptr) {
    std::vector<GlobalId> ids;
    ids.reserve(candidates.size());
    for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
    labels = names->names_of(comm, ids);
  } else {
    for (const Candidate& candidate : candidates) labels.push_back(std::to_string(number(candidate.id)));
  }
  std::vector<std::pair<std::string, double>> top;
  for (std::size_t i = 0; i < candidates.size(); ++i) top.emplace_back(std::move(labels[i]), candidates[i].value);
  return top;
}

} // namespace pregel
