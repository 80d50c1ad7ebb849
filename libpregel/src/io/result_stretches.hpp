// Results in ascending order, from vertices that lie anywhere. The ids are cut into stretches that follow one another;
// in round k the stretches k*P .. k*P+P-1 travel to the ranks 0 .. P-1, one each, and each rank formats and writes its
// own. So the output is written front to back, by all ranks at once, and no rank ever holds more than one stretch of
// other ranks' rows, however large the graph is.
//
// Every rank's rows are in ascending order already: what it sends in a round is one piece of each column, cut into P,
// and nothing is packed. The cuts come from a sample of the ids; they only balance the work and never show in the
// output.
#pragma once

#include <cstddef>
#include <vector>

#include "core/communicator.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// Rows that a rank holds per round, about: some megabytes of text.
inline constexpr std::size_t kRowsPerStretch = std::size_t{1} << 17;

class ResultStretches {
 public:
  /// `table` must outlive this object. Throws on all ranks when a column has not one value a row. Collective.
  ResultStretches(const core::Communicator& comm, const ResultTable& table, std::size_t rows_per_stretch);

  /// The same on every rank; none for an empty table.
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }
  /// Rows on all ranks.
  [[nodiscard]] std::uint64_t total_rows() const noexcept { return total_rows_; }
  /// This rank's stretch of a round, ascending by id. Collective.
  [[nodiscard]] ResultTable stretch(std::size_t round) const;

 private:
  void choose_cuts(std::size_t rows_per_stretch);

  const core::Communicator& comm_;
  const ResultTable& table_;
  std::uint64_t total_rows_ = 0;
  std::size_t rounds_ = 0;
  std::vector<std::size_t> cuts_; ///< stretch s begins at this rank's row cuts_[s]; one more at the end
};

} // namespace pregel
