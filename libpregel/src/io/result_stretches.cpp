#include "result_stretches.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "pregel/error.hpp"

namespace pregel {
namespace {

/// Sampled ids per stretch. Rank by rank a cut is off by at most one sample's spacing, so on P ranks a stretch is at
/// most P / kSamplesPerStretch longer than the mean.
constexpr std::uint64_t kSamplesPerStretch = 128;

struct IdAndRow {
  GlobalId id;
  std::size_t row;
};

void require_complete(const ResultTable& table) {
  if (!std::ranges::is_sorted(table.ids)) throw GraphError("results are not in ascending order of id");
  for (const NamedColumn& column : table.columns) {
    const std::size_t values = std::visit([](const auto& v) { return v.size(); }, column.values);
    if (values != table.ids.size())
      throw GraphError(
          fmt::format("result column '{}' has {} values for {} vertices", column.name, values, table.ids.size()));
  }
}

/// Where the rows of the ascending runs [ends[i-1], ends[i]) are in the common ascending order: runs are merged two by
/// two.
std::vector<std::size_t> merge_runs(const std::vector<GlobalId>& ids, std::vector<std::size_t> ends) {
  std::vector<IdAndRow> rows(ids.size()), merged(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) rows[i] = {ids[i], i};
  const auto at = [](std::vector<IdAndRow>& v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
  while (ends.size() > 1) {
    std::vector<std::size_t> fewer;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run], end = run + 1 < ends.size() ? ends[run + 1] : middle;
      std::merge(at(rows, begin), at(rows, middle), at(rows, middle), at(rows, end), at(merged, begin),
                 [](const IdAndRow& a, const IdAndRow& b) { return a.id < b.id; });
      fewer.push_back(end);
      begin = end;
    }
    rows.swap(merged);
    ends.swap(fewer);
  }
  std::vector<std::size_t> order(ids.size());
  std::ranges::transform(rows, order.begin(), &IdAndRow::row);
  return order;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> ordered(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = values[order[i]];
  values.swap(ordered);
}

} // namespace

ResultStretches::ResultStretches(const core::Communicator& comm, const ResultTable& table, std::size_t rows_per_stretch)
    : comm_(comm), table_(table) {
  core::agree(comm, [&] { require_complete(table); });
  total_rows_ = core::all_reduce_value(comm, std::uint64_t{table.ids.size()}, core::Reduce::sum);
  choose_cuts(rows_per_stretch);
}

void ResultStretches::choose_cuts(std::size_t rows_per_stretch) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::uint64_t rows_per_round = std::uint64_t{rows_per_stretch} * ranks;
  rounds_ = static_cast<std::size_t>((total_rows_ + rows_per_round - 1) / rows_per_round);
  const std::size_t stretches = rounds_ * ranks;
  if (stretches == 0) return;

  const std::vector<GlobalId>& ids = table_.ids;
  const auto spacing =
      static_cast<std::size_t>(std::max<std::uint64_t>(1, total_rows_ / (stretches * kSamplesPerStretch)));
  std::vector<GlobalId> mine;
  for (std::size_t row = spacing / 2; row < ids.size(); row += spacing) mine.push_back(ids[row]);
  std::vector<GlobalId> sample = core::all_gather_varying(comm_, std::span<const GlobalId>(mine));
  std::ranges::sort(sample);

  cuts_.assign(1, 0);
  for (std::size_t s = 1; s < stretches; ++s) {
    const std::size_t place = sample.size() * s / stretches;
    const auto from = ids.begin() + static_cast<std::ptrdiff_t>(cuts_.back());
    const auto cut = place < sample.size() ? std::lower_bound(from, ids.end(), sample[place]) : ids.end();
    cuts_.push_back(static_cast<std::size_t>(cut - ids.begin()));
  }
  cuts_.push_back(ids.size());
}

ResultTable ResultStretches::stretch(std::size_t round) const {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::size_t first = round * ranks, begin = cuts_[first];
  std::vector<std::size_t> to_send(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) to_send[peer] = cuts_[first + peer + 1] - cuts_[first + peer];
  core::ExchangeCounts counts;
  counts.update(comm_, to_send);

  const auto exchange = [&]<class T>(const std::vector<T>& values) {
    std::vector<T> received(counts.receive_total);
    core::all_to_all_varying(comm_, values.data() + begin, received.data(), counts);
    return received;
  };
  ResultTable rows;
  rows.ids = exchange(table_.ids);
  for (const NamedColumn& column : table_.columns)
    rows.columns.push_back(
        {column.name, std::visit([&](const auto& values) { return ResultColumn(exchange(values)); }, column.values)});

  if (std::ranges::is_sorted(rows.ids)) return rows; // one rank, or a partition by ranges
  std::vector<std::size_t> ends;
  for (std::size_t peer = 0; peer < ranks; ++peer)
    ends.push_back(counts.receive_offsets[peer] + counts.receive_counts[peer]);
  const std::vector<std::size_t> order = merge_runs(rows.ids, std::move(ends));
  reorder(rows.ids, order);
  for (NamedColumn& column : rows.columns) std::visit([&](auto& values) { reorder(values, order); }, column.values);
  return rows;
}

} // namespace pregel
