// A curve of bounded size over an unbounded number of points: when it is full, neighbours are merged and from then on
// each entry stands for twice as many points. A point costs O(1), and what it says of the past is never finer than a
// screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace monitor {

/// `Point` has merge(const Point& later), which makes two entries one. All functions are local.
template <class Point>
class History {
 public:
  explicit History(std::size_t capacity = 256) : capacity_(capacity) {}

  void add(const Point& point) {
    if (in_last_ == 0 || in_last_ == stride_) {
      if (entries_.size() == capacity_) halve();
      entries_.push_back(point);
      in_last_ = 1;
    } else {
      entries_.back().merge(point);
      ++in_last_;
    }
  }
  void clear() {
    entries_.clear();
    stride_ = 1;
    in_last_ = 0;
  }

  /// Points that an entry stands for; the last one may stand for fewer.
  [[nodiscard]] std::uint64_t stride() const noexcept { return stride_; }
  [[nodiscard]] const std::vector<Point>& entries() const noexcept { return entries_; }

 private:
  /// Called when the last entry is full, so all are; the capacity is even.
  void halve() {
    for (std::size_t i = 0; 2 * i + 1 < entries_.size(); ++i) {
      Point merged = entries_[2 * i];
      merged.merge(entries_[2 * i + 1]);
      entries_[i] = std::move(merged);
    }
    entries_.resize(entries_.size() / 2);
    stride_ *= 2;
  }

  std::size_t capacity_;
  std::vector<Point> entries_;
  std::uint64_t stride_ = 1;
  std::uint64_t in_last_ = 0; // points in the last entry
};

} // namespace monitor
