#include "pregel/graph/thread_ranges.hpp"

#include <algorithm>

namespace pregel {
namespace {

constexpr std::uint64_t kPiecesAThread = 16;
constexpr std::uint32_t kAlignment = 64; // vertices in a word of a bitmap

} // namespace

ThreadRanges::ThreadRanges(std::span<const std::uint64_t> offsets, int threads)
    : bounds_{0}, pieces_{0}, first_piece_{0} {
  const auto vertices = static_cast<std::uint32_t>(offsets.size() - 1);
  const std::uint64_t work = offsets.back() + vertices;
  const std::uint64_t pieces_a_thread = threads == 1 ? 1 : kPiecesAThread;
  const std::uint64_t pieces = static_cast<std::uint64_t>(threads) * pieces_a_thread;
  std::uint32_t v = 0;
  for (std::uint64_t piece = 1; piece <= pieces; ++piece) {
    while (v < vertices && offsets[v] + v < work * piece / pieces) v += kAlignment;
    v = piece == pieces ? vertices : std::min(v, vertices);
    if (v > pieces_.back()) pieces_.push_back(v);
    if (piece % pieces_a_thread != 0) continue;
    bounds_.push_back(v);
    first_piece_.push_back(pieces_.size() - 1);
  }
}

} // namespace pregel
