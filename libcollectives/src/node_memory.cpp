#include "node_memory.hpp"

#include <new>

namespace collectives::detail {
namespace {

SharedBoard board_of(const std::vector<std::byte*>& parts, int rank) {
  std::vector<BoardLine*> lines;
  lines.reserve(parts.size());
  // Memory that is zero holds a BoardLine: making another one here would undo what a faster rank has written.
  for (std::byte* const part : parts) lines.push_back(std::launder(reinterpret_cast<BoardLine*>(part)));
  return {std::move(lines), rank};
}

} // namespace

NodeMemory::NodeMemory(const std::vector<std::byte*>& parts, int rank, std::size_t small_bytes, std::size_t block_bytes)
    : parts_(parts), rank_(rank), small_bytes_(small_bytes), block_bytes_(block_bytes), board_(board_of(parts, rank)) {}

std::vector<int> NodeMemory::Round::missing() const {
  std::vector<int> ranks = node_.board_.missing();
  if (!node_.numbers.empty()) {
    for (int& rank : ranks) rank = node_.numbers[static_cast<std::size_t>(rank)];
  }
  return ranks;
}

} // namespace collectives::detail
