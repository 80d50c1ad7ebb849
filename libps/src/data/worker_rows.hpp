// Which rows a rank keeps: worker w has the rows r with r mod W = w.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ps {

class WorkerRows {
 public:
  /// Throws PsError for a worker that is none of 0 .. workers - 1, or named twice. Local.
  WorkerRows(std::span<const std::size_t> my_workers, std::size_t workers);

  static constexpr std::size_t kNotMine = static_cast<std::size_t>(-1);
  /// Index among this rank's workers of the one that has row `row`, or kNotMine.
  [[nodiscard]] std::size_t share_of(std::size_t row) const noexcept { return share_[row % share_.size()]; }
  [[nodiscard]] std::size_t shares() const noexcept { return mine_; }
  [[nodiscard]] std::size_t workers() const noexcept { return share_.size(); }

 private:
  std::vector<std::size_t> share_; ///< of each worker
  std::size_t mine_;
};

} // namespace ps
