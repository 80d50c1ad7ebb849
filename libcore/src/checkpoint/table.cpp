// Tables and their columns: what is checked when a column is added is what files and exchanges rely on later.
#include "core/checkpoint/table.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"

namespace core::checkpoint {
namespace {

constexpr std::string_view kCountSuffix = "_count";

const char* name_of(ElementKind kind) noexcept {
  switch (kind) {
    case ElementKind::unsigned_integer: return "unsigned integer";
    case ElementKind::signed_integer: return "signed integer";
    case ElementKind::real: return "real";
    case ElementKind::opaque: return "opaque value";
  }
  return "unknown value";
}

void require_name(const char* what, const std::string& name) {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
    throw Error(fmt::format("'{}' cannot be the name of a {} in a checkpoint", name, what));
}

/// True when `column` would need the name `name` in the file.
bool takes_name(const Column& column, std::string_view name) noexcept {
  if (column.name == name) return true;
  return column.is_list && name.size() == column.name.size() + kCountSuffix.size() && name.starts_with(column.name) &&
         name.ends_with(kCountSuffix);
}

bool names_collide(const Column& a, const Column& b) {
  return takes_name(a, b.name) || takes_name(b, a.name);
}

} // namespace

std::string describe(const ElementType& type) {
  return fmt::format("{} of {} bytes", name_of(type.kind), type.bytes);
}

bool same_description(const Column& a, const Column& b) {
  return a.name == b.name && a.type == b.type && a.is_list == b.is_list;
}

Table::Table(std::string name, std::size_t rows) : name_(std::move(name)), rows_(rows) {
  require_name("table", name_);
}

void Table::add_column(Column column) {
  require_name("column", column.name);
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("column {} of table {}: {}", column.name, name_, why));
  };
  if (std::ranges::any_of(columns_, [&](const Column& other) { return names_collide(other, column); }))
    refuse("the name is taken");
  if (column.type.bytes == 0 || column.data.size() % column.type.bytes != 0)
    refuse(fmt::format("{} bytes are no whole number of elements", column.data.size()));
  const std::size_t given = column.is_list ? column.counts.size() : column.elements();
  if (given != rows_) refuse(fmt::format("{} elements for {} rows", given, rows_));
  if (column.is_list) {
    const std::uint64_t entries = std::reduce(column.counts.begin(), column.counts.end(), std::uint64_t{0});
    if (entries != column.elements())
      refuse(fmt::format("its rows have {} entries, but {} are given", entries, column.elements()));
  } else if (!column.counts.empty()) {
    refuse("only lists have counts");
  }
  columns_.push_back(std::move(column));
}

bool Table::has(std::string_view name) const noexcept {
  return std::ranges::any_of(columns_, [&](const Column& column) { return column.name == name; });
}

const Column& Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  if (found == columns_.end()) throw Error(fmt::format("table {} has no column {}", name_, name));
  return *found;
}

const Column& Table::find_typed(std::string_view name, const ElementType& wanted) const {
  const Column& found = find(name);
  if (found.type != wanted)
    throw Error(
        fmt::format("column {} of table {} is {}, not {}", name, name_, describe(found.type), describe(wanted)));
  return found;
}

std::span<const std::uint64_t> Table::counts(std::string_view name) const {
  const Column& found = find(name);
  if (!found.is_list) throw Error(fmt::format("column {} of table {} has one element a row, not lists", name, name_));
  return found.counts;
}

std::uint64_t Table::bytes() const noexcept {
  std::uint64_t total = 0;
  for (const Column& column : columns_) total += column.data.size() + column.counts.size() * sizeof(std::uint64_t);
  return total;
}

const Table* find_table(const Part& part, std::string_view name) noexcept {
  const auto found = std::ranges::find(part, name, &Table::name);
  return found == part.end() ? nullptr : &*found;
}

const Table& require_table(const Part& part, std::string_view name) {
  const Table* const found = find_table(part, name);
  if (found == nullptr) throw Error(fmt::format("there is no table {}", name));
  return *found;
}

} // namespace core::checkpoint
