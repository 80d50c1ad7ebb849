// A growing list of edges that never moves what it holds and gives memory back while it is read: a vector would need
// up to three times the memory when it grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <utility>

#include "core/huge_vector.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

class EdgeBlocks {
 public:
  static constexpr std::size_t kEdgesPerBlock = std::size_t{1} << 17; // of 16 bytes: one huge page

  /// `weighted`: each edge carries a double.
  explicit EdgeBlocks(bool weighted = false) : weighted_(weighted) {}
  // Said here because a deque of what cannot be copied claims that it can be: a vector of EdgeBlocks would not compile.
  EdgeBlocks(const EdgeBlocks&) = delete;
  EdgeBlocks& operator=(const EdgeBlocks&) = delete;
  EdgeBlocks(EdgeBlocks&&) = default;
  EdgeBlocks& operator=(EdgeBlocks&&) = default;
  ~EdgeBlocks() = default;

  [[nodiscard]] bool weighted() const noexcept { return weighted_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void append(Edge edge, double weight = 1.0) {
    if (blocks_.empty() || blocks_.back().count == kEdgesPerBlock) add_block();
    Block& block = blocks_.back();
    block.edges[block.count] = edge;
    if (weighted_) block.weights[block.count] = weight;
    ++block.count;
    ++size_;
  }

  /// Moves all of `other`, which must have the same kind, to the end of this list. No edge is copied.
  void splice(EdgeBlocks&& other) {
    for (Block& block : other.blocks_) blocks_.push_back(std::move(block));
    size_ += std::exchange(other.size_, 0);
    other.blocks_.clear();
  }

  /// Another list of the same edges.
  [[nodiscard]] EdgeBlocks copy() const {
    EdgeBlocks copied(weighted_);
    for (const Block& block : blocks_) {
      copied.add_block();
      Block& target = copied.blocks_.back();
      std::copy_n(block.edges.data(), block.count, target.edges.data());
      if (weighted_) std::copy_n(block.weights.data(), block.count, target.weights.data());
      target.count = block.count;
    }
    copied.size_ = size_;
    return copied;
  }

  [[nodiscard]] std::size_t block_count() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::span<Edge> edges(std::size_t block) noexcept {
    return {blocks_[block].edges.data(), blocks_[block].count};
  }
  [[nodiscard]] std::span<const Edge> edges(std::size_t block) const noexcept {
    return {blocks_[block].edges.data(), blocks_[block].count};
  }
  /// Weights of a block's edges; empty when unweighted.
  [[nodiscard]] std::span<const double> weights(std::size_t block) const noexcept {
    return {blocks_[block].weights.data(), weighted_ ? blocks_[block].count : 0};
  }
  /// Frees the first block.
  void drop_front() {
    size_ -= blocks_.front().count;
    blocks_.pop_front();
  }

 private:
  struct Block {
    core::HugeArray<Edge> edges;
    core::HugeArray<double> weights; // empty when unweighted
    std::size_t count = 0;
  };

  void add_block() {
    Block block;
    block.edges = core::HugeArray<Edge>(kEdgesPerBlock);
    if (weighted_) block.weights = core::HugeArray<double>(kEdgesPerBlock);
    blocks_.push_back(std::move(block));
  }

  std::deque<Block> blocks_;
  std::size_t size_ = 0;
  bool weighted_;
};

} // namespace pregel
