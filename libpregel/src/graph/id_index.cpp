#include "pregel/graph/id_index.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/random.hpp"
#include "pregel/error.hpp"

namespace pregel {
namespace {

// A bitmap word and its count take 16 bytes for 64 ids: at 32 ids of range per id that occurs, 8 bytes an id.
constexpr std::uint64_t kRangePerId = 32;
constexpr std::uint64_t kAlwaysDense = 1 << 20;

} // namespace

IdIndex::IdIndex(std::uint64_t largest, std::uint64_t expected) {
  const bool small = largest < kAlwaysDense;
  dense_ = small || largest / kRangePerId < expected;
  if (dense_)
    words_.resize(largest / 64 + 1);
  else
    table_.resize(std::bit_ceil(std::max<std::uint64_t>(expected / 16, 64))); // most ids repeat; it grows
}

std::size_t IdIndex::probe(std::uint64_t id) const noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t position = core::mix64(id ^ 0x5bf03635d1c2bd4bULL) & mask;
  while (table_[position].used != 0 && table_[position].id != id) position = (position + 1) & mask;
  return position;
}

void IdIndex::insert_sparse(std::uint64_t id) {
  std::size_t position = probe(id);
  if (table_[position].used != 0) return;
  if (used_ * 3 >= table_.size() * 2) {
    grow();
    position = probe(id);
  }
  table_[position] = {id, 0, 1};
  ++used_;
}

void IdIndex::grow() {
  std::vector<Entry> old = std::exchange(table_, std::vector<Entry>(table_.size() * 2));
  for (const Entry& entry : old) {
    if (entry.used != 0) table_[probe(entry.id)] = entry;
  }
}

std::vector<std::uint64_t> IdIndex::finish() {
  std::vector<std::uint64_t> ids;
  std::uint64_t count = 0;
  for (const Word& word : words_) count += static_cast<std::uint64_t>(std::popcount(word.bits));
  count += used_;
  if (count > std::numeric_limits<std::uint32_t>::max() - 1) {
    throw GraphError("more than 2^32-2 vertices meet on one rank; use more ranks");
  }
  ids.reserve(count);
  for_each([&](std::uint64_t id) { ids.push_back(id); });
  if (dense_) {
    std::uint32_t before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += static_cast<std::uint32_t>(std::popcount(word.bits));
    }
  } else {
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size(); ++i) table_[probe(ids[i])].ordinal = static_cast<std::uint32_t>(i);
  }
  return ids;
}

std::optional<std::uint32_t> IdIndex::find(std::uint64_t id) const noexcept {
  if (dense_) {
    if (id / 64 >= words_.size() || (words_[id / 64].bits >> (id % 64) & 1) == 0) return std::nullopt;
    return ordinal(id);
  }
  if (table_.empty()) return std::nullopt;
  const Entry& entry = table_[probe(id)];
  if (entry.used == 0) return std::nullopt;
  return entry.ordinal;
}

} // namespace pregel
