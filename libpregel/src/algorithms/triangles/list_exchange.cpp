#include "list_exchange.hpp"

#include <optional>
#include <utility>

#include "core/random.hpp"

namespace pregel {

std::uint64_t ListExchange::round_of(GlobalId id, std::uint64_t rounds) noexcept {
  return rounds == 1 ? 0 : core::mix64(~number(id)) % rounds; // not the partitioner's hash: every rank has some of each
}

void ListExchange::find_own(std::uint64_t round, std::uint64_t rounds) {
  own_.clear();
  entries_ = 0;
  for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
    const std::uint32_t number = lists_.number_of_slot[v];
    const std::size_t length = lists_.list(number).size();
    if (length < 2 || round_of(graph_.id_of(LocalId{v}), rounds) != round) continue; // one entry makes no triangle
    own_.push_back(number);
    entries_ += length;
  }
}

void ListExchange::pack(std::uint64_t round, std::uint64_t rounds) {
  find_own(round, rounds);
  const auto ranks = static_cast<std::size_t>(graph_.comm->size());
  send_counts_.assign(ranks, 0);
  values_ = 0;
  send_.clear();
  if (ranks == 1) return;
  std::vector<int> destinations;
  last_seen_.assign(ranks, 0);
  seen_ = 0;
  for (const std::uint32_t number : own_) {
    find_destinations(number, destinations);
    const std::size_t length = lists_.list(number).size();
    for (const int rank : destinations) send_counts_[static_cast<std::size_t>(rank)] += words_for(length);
    values_ += destinations.size() * length;
  }
  std::vector<std::size_t> next(ranks, 0);
  for (std::size_t p = 1; p < ranks; ++p) next[p] = next[p - 1] + send_counts_[p - 1];
  send_.resize(next.back() + send_counts_.back());
  for (const std::uint32_t number : own_) {
    find_destinations(number, destinations);
    for (const int rank : destinations) {
      std::size_t& place = next[static_cast<std::size_t>(rank)];
      write(number, send_.data() + place);
      place += words_for(lists_.list(number).size());
    }
  }
}

void ListExchange::find_destinations(std::uint32_t number, std::vector<int>& destinations) {
  destinations.clear();
  ++seen_;
  for (const std::uint32_t x : lists_.list(number)) {
    const Slot slot = lists_.slot_of_number[x];
    if (index(slot) < graph_.local_count) continue;
    const int owner = graph_.owner_of(slot);
    if (std::exchange(last_seen_[static_cast<std::size_t>(owner)], seen_) != seen_) destinations.push_back(owner);
  }
}

void ListExchange::write(std::uint32_t number, std::uint64_t* words) const {
  const auto id_of = [&](std::uint32_t n) { return pregel::number(graph_.slot_ids[index(lists_.slot_of_number[n])]); };
  const std::span<const std::uint32_t> list = lists_.list(number);
  *words++ = id_of(number);
  *words++ = list.size();
  for (const std::uint32_t x : list) *words++ = id_of(x);
  const std::uint8_t* const widths = lists_.widths_of(number);
  if (widths == nullptr) return;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % 64 == 0) words[i / 64] = 0;
    words[i / 64] |= std::uint64_t{widths[i] == 2} << (i % 64);
  }
}

ExchangeVolume ListExchange::exchange() {
  counts_.update(*graph_.comm, send_counts_);
  received_.resize(counts_.receive_total);
  core::all_to_all_varying(*graph_.comm, send_.data(), received_.data(), counts_);
  const ExchangeVolume volume{values_, send_.size() * sizeof(std::uint64_t)};
  std::vector<std::uint64_t>().swap(send_);
  arrived_.clear();
  for (std::size_t begin = 0; begin < received_.size(); begin += words_for(received_[begin + 1]))
    arrived_.push_back(begin);
  return volume;
}

void ListExchange::read(std::size_t i, NumberedList& list) const {
  list.widths.clear();
  if (i < own_.size()) {
    list.number = own_[i];
    const std::span<const std::uint32_t> entries = lists_.list(list.number);
    list.entries.assign(entries.begin(), entries.end());
    if (const std::uint8_t* const widths = lists_.widths_of(list.number))
      list.widths.assign(widths, widths + entries.size());
    return;
  }
  const std::uint64_t* const words = received_.data() + arrived_[i - own_.size()];
  const std::uint64_t length = words[1];
  const std::uint64_t* const ids = words + 2;
  const std::uint64_t* const bits = ids + length;
  const auto number_of = [&](std::uint64_t id) -> std::optional<std::uint32_t> {
    const std::optional<std::uint32_t> ordinal = graph_.index.find(id);
    if (!ordinal) return std::nullopt;
    return lists_.number_of_slot[graph_.slot_of_ordinal[*ordinal]];
  };
  list.number = *number_of(words[0]); // a neighbour of a vertex of this rank
  list.entries.clear();
  for (std::uint64_t e = 0; e < length; ++e) {
    const std::optional<std::uint32_t> x = number_of(ids[e]);
    if (!x) continue;
    list.entries.push_back(*x);
    if (lists_.with_widths) list.widths.push_back((bits[e / 64] >> (e % 64) & 1) != 0 ? 2 : 1);
  }
}

void ListExchange::clear() {
  own_.clear();
  std::vector<std::uint64_t>().swap(received_);
  std::vector<std::size_t>().swap(arrived_);
}

} // namespace pregel
