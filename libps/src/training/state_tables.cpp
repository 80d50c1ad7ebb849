#include "ps/training/state_tables.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/checkpoint/redistribute.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

using core::checkpoint::Part;
using core::checkpoint::Table;

constexpr const char* kParameters = "parameters";
constexpr const char* kKeys = "keys";
constexpr const char* kWorkers = "workers";

/// The rows of this rank after they have moved to their owners by the numbers in column `key`.
Table to_owners(const core::Communicator& comm, std::span<const Part> parts, const char* name, const char* key,
                const std::function<int(std::size_t)>& owner) {
  std::vector<int> owners;
  const Table mine = core::agree(comm, [&] {
    std::vector<Table> tables;
    for (const Part& part : parts) {
      if (const Table* const found = core::checkpoint::find_table(part, name)) tables.push_back(*found);
    }
    Table rows = core::checkpoint::concatenate(std::move(tables));
    if (rows.rows() > 0) {
      for (const std::uint64_t number : rows.column<std::uint64_t>(key)) owners.push_back(owner(number));
    }
    return rows;
  });
  return core::checkpoint::redistribute(comm, mine, owners);
}

/// Rows in ascending order of a column.
std::vector<std::size_t> order_of(const Table& table, const char* key) {
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.empty()) return order;
  const auto numbers = table.column<std::uint64_t>(key);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  return order;
}

template <class T>
void take_column(const Table& table, std::span<const std::size_t> order, std::string_view name, std::span<T> into) {
  if (into.empty()) return;
  const std::span<const T> column = table.column<T>(name);
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = column[order[i]];
}

/// The list of row `row`, all rows having lists of one length.
template <class T>
void take_list(const Table& table, std::size_t row, std::string_view name, std::span<T> into) {
  const std::span<const T> all = table.column<T>(name);
  if (table.counts(name)[row] != into.size()) throw PsError(fmt::format("a list of {} is not as long", name));
  std::ranges::copy(all.subspan(row * into.size(), into.size()), into.begin());
}

} // namespace

template <class T>
Table parameter_table(std::size_t first, std::span<const T> values, UpdateRule<T>* rule, std::size_t in_rule) {
  Table table(kParameters, values.size());
  std::vector<std::uint64_t> index(values.size());
  std::iota(index.begin(), index.end(), std::uint64_t{first});
  table.add<std::uint64_t>("index", index);
  table.add<T>("value", values);
  if (rule == nullptr) return table;
  for (const auto& state : rule->state()) table.add<T>(state.name, state.values.subspan(in_rule, values.size()));
  return table;
}

template <class T>
void take_parameters(const core::Communicator& comm, std::span<const Part> parts,
                     const std::function<int(std::size_t index)>& owner, std::span<T> values, UpdateRule<T>* rule) {
  const Table rows = to_owners(comm, parts, kParameters, "index", owner);
  core::agree(comm, [&] {
    if (rows.rows() != values.size())
      throw PsError(fmt::format("the checkpoint has {} parameters for a shard of {}", rows.rows(), values.size()));
    const std::vector<std::size_t> order = order_of(rows, "index");
    take_column(rows, order, "value", values);
    if (rule == nullptr) return;
    for (const auto& state : rule->state()) take_column(rows, order, state.name, state.values);
  });
}

template <class T>
Table key_table(const SparseContent<T>& content, std::size_t width) {
  Table table(kKeys, content.keys.size());
  const std::vector<std::uint64_t> counts(content.keys.size(), width);
  table.add<std::uint64_t>("key", content.keys);
  table.add<std::uint64_t>("steps", content.steps);
  table.add_list<T>("values", counts, content.values);
  for (const auto& state : content.states) table.add_list<T>(state.name, counts, state.values);
  return table;
}

template <class T>
SparseContent<T> take_keys(const core::Communicator& comm, std::span<const Part> parts,
                           const std::function<int(std::uint64_t key)>& owner) {
  const Table rows = to_owners(comm, parts, kKeys, "key", owner);
  return core::agree(comm, [&] {
    const auto copy = [](auto column) { return std::vector(column.begin(), column.end()); };
    SparseContent<T> content;
    if (rows.rows() == 0) return content;
    for (const core::checkpoint::Column& column : rows.columns()) {
      if (column.name == "key")
        content.keys = copy(rows.column<std::uint64_t>("key"));
      else if (column.name == "steps")
        content.steps = copy(rows.column<std::uint64_t>("steps"));
      else if (column.name == "values")
        content.values = copy(rows.column<T>("values"));
      else
        content.states.push_back({column.name, copy(rows.column<T>(column.name))});
    }
    return content;
  });
}

template <class T>
Table worker_table(std::span<const CopyOfWorker<T>> copies) {
  Table table(kWorkers, copies.size());
  std::vector<std::uint64_t> numbers, counts;
  std::vector<T> entries;
  for (const CopyOfWorker<T>& copy : copies) {
    numbers.push_back(copy.worker);
    counts.push_back(copy.parameters.size());
    entries.insert(entries.end(), copy.parameters.begin(), copy.parameters.end());
  }
  table.add<std::uint64_t>("worker", numbers);
  table.add_list<T>("parameters", counts, entries);
  const auto states = copies.front().rule->state();
  for (std::size_t s = 0; s < states.size(); ++s) {
    entries.clear();
    for (const CopyOfWorker<T>& copy : copies) {
      const std::span<T> values = copy.rule->state()[s].values;
      entries.insert(entries.end(), values.begin(), values.end());
    }
    table.add_list<T>(states[s].name, counts, entries);
  }
  return table;
}

template <class T>
void take_workers(const core::Communicator& comm, std::span<const Part> parts, const Roles& roles,
                  std::span<const CopyOfWorker<T>> copies) {
  const Table rows =
      to_owners(comm, parts, kWorkers, "worker", [&](std::size_t worker) { return roles.rank_of(worker); });
  core::agree(comm, [&] {
    if (rows.rows() != copies.size())
      throw PsError(fmt::format("the checkpoint has {} of this rank's {} workers", rows.rows(), copies.size()));
    const std::vector<std::size_t> order = order_of(rows, "worker");
    for (std::size_t i = 0; i < copies.size(); ++i) {
      take_list(rows, order[i], "parameters", copies[i].parameters);
      for (const auto& state : copies[i].rule->state()) take_list(rows, order[i], state.name, state.values);
    }
  });
}

#define SUPERSTEP_INSTANTIATE(T)                                                                       \
  template Table parameter_table(std::size_t, std::span<const T>, UpdateRule<T>*, std::size_t);        \
  template void take_parameters(const core::Communicator&, std::span<const Part>,                      \
                                const std::function<int(std::size_t)>&, std::span<T>, UpdateRule<T>*); \
  template Table key_table(const SparseContent<T>&, std::size_t);                                      \
  template SparseContent<T> take_keys(const core::Communicator&, std::span<const Part>,                \
                                      const std::function<int(std::uint64_t)>&);                       \
  template Table worker_table(std::span<const CopyOfWorker<T>>);                                       \
  template void take_workers(const core::Communicator&, std::span<const Part>, const Roles&,           \
                             std::span<const CopyOfWorker<T>>)
SUPERSTEP_INSTANTIATE(float);
SUPERSTEP_INSTANTIATE(double);
#undef SUPERSTEP_INSTANTIATE

} // namespace ps
