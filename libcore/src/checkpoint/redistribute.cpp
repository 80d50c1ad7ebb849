// Rows to their owners. The rows are sorted by owner once (a stable counting sort); then each column is gathered in
// that order and exchanged. Ranks need not hold anything of a table, so they first agree on what its columns are.
#include "core/checkpoint/redistribute.hpp"

#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace core::checkpoint {
namespace {

bool says_nothing(const Table& table) noexcept {
  return table.rows() == 0 && table.columns().empty();
}

/// Throws unless the tables have the same columns in the same order.
void require_same_columns(const Table& a, const Table& b) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("parts of table {} do not fit together: {}", a.name(), why));
  };
  if (a.name() != b.name()) refuse(fmt::format("one is called {}", b.name()));
  if (a.columns().size() != b.columns().size())
    refuse(fmt::format("one has {} columns, another {}", a.columns().size(), b.columns().size()));
  for (std::size_t i = 0; i < a.columns().size(); ++i) {
    const Column &x = a.columns()[i], &y = b.columns()[i];
    if (!same_description(x, y))
      refuse(fmt::format("column {} ({}{}) against {} ({}{})", x.name, describe(x.type), x.is_list ? ", lists" : "",
                         y.name, describe(y.type), y.is_list ? ", lists" : ""));
  }
}

/// A table of the same name and columns without rows.
Table without_rows(const Table& table) {
  if (table.name().empty()) return {};
  Table result(table.name(), 0);
  for (const Column& column : table.columns()) result.add_column({column.name, column.type, column.is_list, {}, {}});
  return result;
}

/// What all ranks call the table and its columns: the description of the first rank that has one. Nothing when no rank
/// has. Throws on all ranks when another rank has a different one. Collective.
std::optional<Table> agree_on_columns(const Communicator& comm, const Table& mine) {
  const int speaker = all_reduce_value(comm, says_nothing(mine) ? comm.size() : comm.rank(), Reduce::min);
  if (speaker == comm.size()) return std::nullopt;
  std::vector<std::byte> block;
  if (comm.rank() == speaker) block = pack({without_rows(mine)});
  block.resize(broadcast_value<std::uint64_t>(comm, block.size(), speaker));
  broadcast(comm, std::span(block), speaker);
  return agree(comm, [&] {
    Table description = std::move(unpack(block).at(0));
    if (!says_nothing(mine)) require_same_columns(description, mine);
    return description;
  });
}

/// Which rows go to whom.
struct Routes {
  std::vector<std::size_t> rows_for;  ///< one a rank
  std::vector<std::size_t> row_order; ///< rows by owner, each owner's in their order
};

Routes route(const Table& mine, std::span<const int> owner_of_row, int ranks) {
  if (owner_of_row.size() != mine.rows())
    throw Error(fmt::format("table {}: {} owners for {} rows", mine.name(), owner_of_row.size(), mine.rows()));
  Routes routes{std::vector<std::size_t>(static_cast<std::size_t>(ranks)), std::vector<std::size_t>(mine.rows())};
  for (const int owner : owner_of_row) {
    if (owner < 0 || owner >= ranks)
      throw Error(fmt::format("table {}: a row is meant for rank {} of {}", mine.name(), owner, ranks));
    ++routes.rows_for[static_cast<std::size_t>(owner)];
  }
  std::vector<std::size_t> next(routes.rows_for.size());
  std::exclusive_scan(routes.rows_for.begin(), routes.rows_for.end(), next.begin(), std::size_t{0});
  for (std::size_t row = 0; row < mine.rows(); ++row)
    routes.row_order[next[static_cast<std::size_t>(owner_of_row[row])]++] = row;
  return routes;
}

/// Copies one element; the usual sizes without a call.
void copy_element(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 1: *to = *from; break;
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    default: std::memcpy(to, from, bytes);
  }
}

std::vector<std::byte> elements_in_order(const Column& column, std::span<const std::size_t> row_order) {
  const std::size_t bytes = column.type.bytes;
  std::vector<std::byte> sorted(column.data.size());
  for (std::size_t i = 0; i < row_order.size(); ++i)
    copy_element(&sorted[i * bytes], &column.data[row_order[i] * bytes], bytes);
  return sorted;
}

std::vector<std::uint64_t> counts_in_order(const Column& column, std::span<const std::size_t> row_order) {
  std::vector<std::uint64_t> sorted(row_order.size());
  for (std::size_t i = 0; i < row_order.size(); ++i) sorted[i] = column.counts[row_order[i]];
  return sorted;
}

std::vector<std::byte> lists_in_order(const Column& column, std::span<const std::size_t> row_order) {
  const std::size_t bytes = column.type.bytes;
  std::vector<std::size_t> begin(column.counts.size());
  std::exclusive_scan(column.counts.begin(), column.counts.end(), begin.begin(), std::size_t{0});
  std::vector<std::byte> sorted(column.data.size());
  std::size_t written = 0;
  for (const std::size_t row : row_order) {
    const std::size_t length = column.counts[row] * bytes;
    if (length > 0) std::memcpy(&sorted[written], &column.data[begin[row] * bytes], length);
    written += length;
  }
  return sorted;
}

/// Entries for each rank, when `counts` are those of rows sorted by owner.
std::vector<std::size_t> entries_for(std::span<const std::uint64_t> counts, std::span<const std::size_t> rows_for) {
  std::vector<std::size_t> entries(rows_for.size());
  auto next = counts.begin();
  for (std::size_t rank = 0; rank < rows_for.size(); ++rank) {
    const auto end = next + static_cast<std::ptrdiff_t>(rows_for[rank]);
    entries[rank] = std::reduce(next, end, std::size_t{0});
    next = end;
  }
  return entries;
}

std::vector<std::byte> exchange_elements(const Communicator& comm, std::vector<std::byte> sorted, std::size_t bytes,
                                         const ExchangeCounts& counts) {
  std::vector<std::byte> received(counts.receive_total * bytes);
  detail::all_to_all_varying(comm, sorted.data(), received.data(), counts,
                             bytes == 1 ? MPI_BYTE : bytes_datatype(bytes), bytes);
  return received;
}

Column exchange_column(const Communicator& comm, const Column& description, const Column* mine, const Routes& routes,
                       const ExchangeCounts& rows) {
  Column result{description.name, description.type, description.is_list, {}, {}};
  const std::size_t bytes = description.type.bytes;
  std::vector<std::byte> sorted;
  if (!description.is_list) {
    if (mine != nullptr) sorted = elements_in_order(*mine, routes.row_order);
    result.data = exchange_elements(comm, std::move(sorted), bytes, rows);
    return result;
  }
  std::vector<std::uint64_t> counts;
  if (mine != nullptr) {
    counts = counts_in_order(*mine, routes.row_order);
    sorted = lists_in_order(*mine, routes.row_order);
  }
  result.counts.resize(rows.receive_total);
  all_to_all_varying<std::uint64_t>(comm, counts.data(), result.counts.data(), rows);
  ExchangeCounts entries;
  entries.update(comm, entries_for(counts, routes.rows_for));
  result.data = exchange_elements(comm, std::move(sorted), bytes, entries);
  return result;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

} // namespace

Table redistribute(const Communicator& comm, const Table& mine, std::span<const int> owner_of_row) {
  const std::optional<Table> description = agree_on_columns(comm, mine);
  const Routes routes = agree(comm, [&] { return route(mine, owner_of_row, comm.size()); });
  if (!description) return mine;
  ExchangeCounts rows;
  rows.update(comm, routes.rows_for);
  Table result(description->name(), rows.receive_total);
  for (std::size_t i = 0; i < description->columns().size(); ++i) {
    const Column* const own = mine.columns().empty() ? nullptr : &mine.columns()[i];
    result.add_column(exchange_column(comm, description->columns()[i], own, routes, rows));
  }
  return result;
}

Table concatenate(std::vector<Table> tables) {
  if (tables.empty()) return {};
  Table nothing = without_rows(tables.front());
  std::erase_if(tables, says_nothing);
  if (tables.empty()) return nothing;
  if (tables.size() == 1) return std::move(tables.front());
  std::size_t rows = 0;
  for (const Table& table : tables) {
    require_same_columns(tables.front(), table);
    rows += table.rows();
  }
  Table result(tables.front().name(), rows);
  for (std::size_t i = 0; i < tables.front().columns().size(); ++i) {
    const Column& first = tables.front().columns()[i];
    Column whole{first.name, first.type, first.is_list, {}, {}};
    std::size_t bytes = 0;
    for (const Table& table : tables) bytes += table.columns()[i].data.size();
    whole.data.reserve(bytes);
    if (first.is_list) whole.counts.reserve(rows);
    for (const Table& table : tables) {
      append(whole.data, table.columns()[i].data);
      append(whole.counts, table.columns()[i].counts);
    }
    result.add_column(std::move(whole));
  }
  return result;
}

} // namespace core::checkpoint
