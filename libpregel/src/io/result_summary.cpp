#include "pregel/io/result_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "collectives/routed_exchange.hpp"
#include "column_summary.hpp"
#include "core/collectives.hpp"
#include "core/random.hpp"

namespace pregel {
namespace {

using nlohmann::json;

constexpr std::size_t kLargest = 10;
/// Rows of features have hundreds of columns.
constexpr std::size_t kMostColumns = 3;

/// The rows whose value of `column` is a finite number, with that column alone.
ResultTable finite_rows(const ResultTable& table, const ResultColumn& column) {
  ResultTable kept;
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        std::vector<T> finite;
        for (std::size_t row = 0; row < values.size(); ++row) {
          if constexpr (std::is_same_v<T, double>) {
            if (!std::isfinite(values[row])) continue;
          } else if constexpr (std::is_same_v<T, std::int64_t>) {
            if (values[row] == std::numeric_limits<T>::max()) continue;
          }
          kept.ids.push_back(table.ids[row]);
          finite.push_back(values[row]);
        }
        kept.columns = {{"value", std::move(finite)}};
      },
      column);
  return kept;
}

/// [{NAME: the row's id, "value": …}]. Collective.
json largest(const core::Communicator& comm, const ResultTable& table, std::size_t column, const NameDirectory* names,
             const char* name, const char* value) {
  json rows = json::array();
  for (const TopVertex& top : top_vertices(comm, table, names, kLargest, column))
    rows.push_back({{name, top.vertex}, {value, json::parse(top.value)}});
  return rows;
}

json summarise_values(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names) {
  json columns = json::array();
  std::size_t left_out = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto& [name, values] = table.columns[c];
    if (std::holds_alternative<std::vector<GlobalId>>(values)) continue;
    if (columns.size() == kMostColumns) {
      ++left_out;
      continue;
    }
    json column = summarise_column(comm, values);
    column["name"] = name;
    column.erase("total");
    const bool all_finite = column.at("unreachable") == 0 && column.at("not_numbers") == 0;
    column["largest"] = all_finite ? largest(comm, table, c, names, "vertex", "value")
                                   : largest(comm, finite_rows(table, values), 0, names, "vertex", "value");
    columns.push_back(std::move(column));
  }
  return {{"columns", columns}, {"columns_left_out", left_out}};
}

/// How many vertices have each label; a label's count is on one rank.
struct GroupSizes {
  ResultTable groups;        // id: the label
  std::uint64_t without = 0; // vertices without a label, on all ranks
};

/// Collective.
GroupSizes group_sizes(const core::Communicator& comm, const std::vector<GlobalId>& labels) {
  struct Counted {
    std::uint64_t label, count;
  };
  std::unordered_map<std::uint64_t, std::uint64_t> mine, owned;
  std::uint64_t without = 0;
  for (const GlobalId label : labels) {
    if (label == kNoVertex)
      ++without;
    else
      ++mine[number(label)];
  }
  std::vector<Counted> counted;
  counted.reserve(mine.size());
  for (const auto& [label, count] : mine) counted.push_back({label, count});
  mine.clear();
  const auto owner_of = [&](std::uint64_t label) {
    return static_cast<int>(core::mix64(label) % static_cast<std::uint64_t>(comm.size()));
  };
  collectives::routed_exchange<Counted>(
      comm, collectives::produce_each(counted, [&](auto& push, const Counted& one) { push(owner_of(one.label), one); }),
      [&](int, std::span<const Counted> items) {
        for (const Counted& one : items) owned[one.label] += one.count;
      });
  GroupSizes sizes;
  sizes.without = core::all_reduce_value(comm, without, core::Reduce::sum);
  std::vector<std::uint64_t> counts;
  for (const auto& [label, count] : owned) {
    sizes.groups.ids.push_back(GlobalId{label});
    counts.push_back(count);
  }
  sizes.groups.columns = {{"size", std::move(counts)}};
  return sizes;
}

/// Collective.
json summarise_groups(const core::Communicator& comm, const std::vector<GlobalId>& labels, const NameDirectory* names) {
  const GroupSizes sizes = group_sizes(comm, labels);
  const auto& counts = std::get<std::vector<std::uint64_t>>(sizes.groups.columns.front().values);
  std::array<std::uint64_t, 2> totals{counts.size(), static_cast<std::uint64_t>(std::ranges::count(counts, 1U))};
  core::all_reduce(comm, std::span<std::uint64_t>(totals), core::Reduce::sum);
  json summary{{"groups", totals[0]},
               {"singletons", totals[1]},
               {"without_group", sizes.without},
               {"largest", largest(comm, sizes.groups, 0, names, "group", "size")}};
  json spread = summarise_column(comm, sizes.groups.columns.front().values);
  if (totals[0] != 0) summary["sizes"] = std::move(spread);
  return summary;
}

json summarise_matching(const core::Communicator& comm, const std::vector<GlobalId>& partners) {
  std::uint64_t free = static_cast<std::uint64_t>(std::ranges::count(partners, kNoVertex));
  std::array<std::uint64_t, 2> totals{free, partners.size() - free};
  core::all_reduce(comm, std::span<std::uint64_t>(totals), core::Reduce::sum);
  return {{"edges", totals[1] / 2}, {"matched", totals[1]}, {"free", totals[0]}};
}

json summarise_edges(const core::Communicator& comm, const ResultTable& table) {
  json weights = summarise_column(comm, table.columns.back().values);
  json summary{{"edges", weights.at("count")}, {"total_weight", weights.value("total", json(0))}};
  if (weights.at("count") != 0) summary["weights"] = std::move(weights);
  return summary;
}

const std::vector<GlobalId>& labels_of(const NamedColumn& column) {
  return std::get<std::vector<GlobalId>>(column.values);
}

} // namespace

json summarise_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                       ResultKind kind) {
  static const std::vector<GlobalId> none; // a walk of no steps has no columns
  json summary;
  switch (kind) {
    case ResultKind::values: summary = summarise_values(comm, table, names); break;
    case ResultKind::groups: summary = summarise_groups(comm, labels_of(table.columns.front()), names); break;
    case ResultKind::walks:
      summary = summarise_groups(comm, table.columns.empty() ? none : labels_of(table.columns.back()), names);
      break;
    case ResultKind::matching: summary = summarise_matching(comm, labels_of(table.columns.front())); break;
    case ResultKind::edges: summary = summarise_edges(comm, table); break;
  }
  static constexpr std::array<const char*, 5> kNames{"values", "groups", "walks", "matching", "edges"};
  summary["kind"] = kNames[static_cast<std::size_t>(kind)];
  summary["rows"] = core::all_reduce_value(comm, std::uint64_t{table.ids.size()}, core::Reduce::sum);
  return summary;
}

} // namespace pregel
