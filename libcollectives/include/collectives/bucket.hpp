// Many small tensors in few all-reduces. A message of a kilobyte costs hardly less than one of ten, so tensors are
// packed one after the other into buckets of a few megabytes; a bucket that is full is reduced in the background while
// the next one is being filled (Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training",
// VLDB 2020, section 3.2.3).
//
// An element's order of addition can depend on its place in the bucket (chunked_ring starts each chunk at another
// rank). Where fused and single all-reduces must give the same bits, let the reducer be `reproducible`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <optional>
#include <span>

#include "collectives/all_reduce.hpp"

namespace collectives {

/// Fused all-reduce of tensors of one type. Construction allocates from the reducer, so a Bucket is made once and used
/// many times. The reducer must outlive it.
template <Element T>
class Bucket {
 public:
  static constexpr std::size_t kDefaultBytes = std::size_t{4} << 20;

  /// Collective.
  explicit Bucket(AllReducer& reducer, std::size_t bucket_bytes = kDefaultBytes,
                  std::optional<Operation> operation = {})
      : reducer_(&reducer), operation_(operation) {
    const std::size_t capacity = std::max<std::size_t>(1, bucket_bytes / sizeof(T));
    for (Side& side : sides_) side.memory = reducer.allocate<T>(capacity);
  }

  /// Adds a tensor, which must stay in place and untouched until finish() has put the result into it. All ranks add
  /// tensors of the same lengths in the same order. Collective: may start or complete all-reduces.
  void add(std::span<T> tensor) {
    while (!tensor.empty()) {
      Side& side = sides_[filling_];
      const std::size_t room = side.memory.size() - side.used;
      const std::span<T> piece = tensor.first(std::min(room, tensor.size()));
      if (!piece.empty()) {
        std::memcpy(side.memory.data() + side.used, piece.data(), piece.size_bytes());
        side.pieces.push_back(piece);
        side.used += piece.size();
        tensor = tensor.subspan(piece.size());
      }
      if (side.used == side.memory.size()) send_off();
    }
  }

  /// Completes everything: each tensor holds its result. Collective.
  void finish() {
    send_off();
    take_back(sides_[filling_]);
    take_back(sides_[1 - filling_]);
  }

 private:
  struct Side {
    std::span<T> memory;
    std::size_t used = 0;
    std::deque<std::span<T>> pieces; ///< where the content came from and goes back to
    AllReduceHandle handle;
  };

  /// Starts the bucket being filled and turns to the other one, when that has come back.
  void send_off() {
    Side& side = sides_[filling_];
    if (side.used > 0) side.handle = reducer_->start_all_reduce(side.memory.first(side.used), operation_);
    filling_ = 1 - filling_;
    take_back(sides_[filling_]);
  }
  void take_back(Side& side) {
    side.handle.wait();
    const T* next = side.memory.data();
    for (const std::span<T> piece : side.pieces) {
      std::memcpy(piece.data(), next, piece.size_bytes());
      next += piece.size();
    }
    side.pieces.clear();
    side.used = 0;
  }

  AllReducer* reducer_;
  std::optional<Operation> operation_;
  Side sides_[2];
  int filling_ = 0;
};

} // namespace collectives
