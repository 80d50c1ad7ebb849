#include "saved_report.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace pregel {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// Calls field(name, member access as uint64 or double) for each column: one list for both directions.
template <class Field>
void for_each_count(Field&& field) {
  field("superstep", &SuperstepReport::superstep);
  field("active", &SuperstepReport::active);
  field("sent", &SuperstepReport::sent);
  field("wakeups", &SuperstepReport::wakeups);
}
template <class Field>
void for_each_time(Field&& field) {
  field("compute_seconds", &SuperstepReport::compute_seconds);
  field("exchange_seconds", &SuperstepReport::exchange_seconds);
  field("wait_seconds", &SuperstepReport::wait_seconds);
}

template <class T, class Get>
void add(core::checkpoint::Table& table, const char* name, const std::vector<SuperstepReport>& rows, Get&& get) {
  std::vector<T> cells;
  cells.reserve(rows.size());
  for (const SuperstepReport& row : rows) cells.push_back(static_cast<T>(get(row)));
  table.add<T>(name, std::span<const T>(cells));
}

} // namespace

core::checkpoint::Table save_rows(const std::vector<SuperstepReport>& rows) {
  core::checkpoint::Table table("supersteps", rows.size());
  for_each_count([&](const char* name, auto member) {
    add<std::uint64_t>(table, name, rows, [&](const SuperstepReport& row) { return row.*member; });
  });
  for_each_time([&](const char* name, auto member) {
    add<double>(table, name, rows, [&](const SuperstepReport& row) { return row.*member; });
  });
  add<std::uint64_t>(table, "delivered", rows, [](const auto& row) { return row.delivered.value_or(kUnknown); });
  add<std::uint8_t>(table, "mode", rows, [](const auto& row) { return row.mode; });
  add<std::uint8_t>(table, "all_published", rows, [](const auto& row) { return row.all_published ? 1 : 0; });
  return table;
}

std::vector<SuperstepReport> load_rows(const core::checkpoint::Table& table) {
  std::vector<SuperstepReport> rows(table.rows());
  if (rows.empty()) return rows;
  for_each_count([&](const char* name, auto member) {
    const std::span<const std::uint64_t> cells = table.column<std::uint64_t>(name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*member = cells[i];
  });
  for_each_time([&](const char* name, auto member) {
    const std::span<const double> cells = table.column<double>(name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*member = cells[i];
  });
  const std::span<const std::uint64_t> delivered = table.column<std::uint64_t>("delivered");
  const std::span<const std::uint8_t> mode = table.column<std::uint8_t>("mode");
  const std::span<const std::uint8_t> all_published = table.column<std::uint8_t>("all_published");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (delivered[i] != kUnknown) rows[i].delivered = delivered[i];
    rows[i].mode = static_cast<FoldMode>(mode[i]);
    rows[i].all_published = all_published[i] != 0;
  }
  return rows;
}

} // namespace pregel
