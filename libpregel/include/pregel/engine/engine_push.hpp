// PUSH: few slots published, so each walks its arcs to local vertices and combines into their accumulators; then the
// touched vertices compute.
#pragma once

#include "pregel/engine/engine.hpp"

namespace pregel {

template <class P>
void Engine<P>::push() {
  if constexpr (HasCombiner<P>) {
    if (inbox_.size() < graph_.local_count) {
      place(inbox_);
      inbox_.resize(graph_.local_count);
    }
    if constexpr (!CombinesInAnyOrder<P>) {
      push_order_.assign(incoming_.set.members().begin(), incoming_.set.members().end());
      sort_by_global_id(push_order_);
    }
    const std::size_t work =
        totals_.sent / static_cast<std::size_t>(graph_.comm->size()) + active_.count() + direct_.size();
    for_fixed_ranges(work, [&](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
      worker.touched.clear();
      if (incoming_.all) {
        for (std::uint32_t slot = 0; slot < graph_.slot_count(); ++slot) push_from(worker, Slot{slot}, begin, end);
      } else if constexpr (!CombinesInAnyOrder<P>) {
        for (const std::uint32_t slot : push_order_) push_from(worker, Slot{slot}, begin, end);
      } else {
        incoming_.set.for_each([&](std::uint32_t slot) { push_from(worker, Slot{slot}, begin, end); });
      }
      for (const ReceivedMessage<Message>& m : direct_.in_range(begin, end))
        receive(worker, index(m.target), m.message);
      visit_touched(worker, begin, end);
    });
  }
}

template <class P>
void Engine<P>::push_from(Worker<P>& worker, Slot slot, std::uint32_t begin, std::uint32_t end) {
  const Rows<LocalId>& arcs = graph_.arcs_from_slot;
  std::uint64_t first = arcs.offsets[index(slot)];
  std::uint64_t last = arcs.offsets[index(slot) + std::size_t{1}];
  if (begin != 0 || end != graph_.local_count) {
    const auto row = arcs.row(index(slot));
    const std::uint64_t row_start = first;
    first =
        row_start + static_cast<std::uint64_t>(std::lower_bound(row.begin(), row.end(), LocalId{begin}) - row.begin());
    last = row_start + static_cast<std::uint64_t>(std::lower_bound(row.begin(), row.end(), LocalId{end}) - row.begin());
  }
  with_weights(arcs, [&](const auto& weights) {
    for (std::uint64_t a = first; a < last; ++a)
      receive(worker, index(arcs.entries[a]), message_along(weights, a, slot));
  });
}

template <class P>
void Engine<P>::receive(Worker<P>& worker, std::uint32_t v, const Message& message) {
  if (!needs_messages(v)) return;
  if (!touched_.contains(v)) {
    touched_.set_bit(v);
    worker.touched.push_back(v);
    inbox_[v] = message;
  } else if constexpr (!OneIsEnough<P> || CombinesInAnyOrder<P>) {
    inbox_[v] = program_.combine(inbox_[v], message);
  }
}

template <class P>
void Engine<P>::visit_touched(Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
  for (const std::uint32_t v : worker.touched) visit(worker, v, {&inbox_[v], 1});
  if constexpr (AlwaysActive<P>) {
    for (std::uint32_t v = begin; v < end; ++v) {
      if (!touched_.contains(v)) visit(worker, v, {});
    }
  } else if (!active_.empty()) {
    active_.for_each([&](std::uint32_t v) {
      if (v >= begin && v < end && !touched_.contains(v)) visit(worker, v, {});
    });
  }
  for (const std::uint32_t v : worker.touched) touched_.clear_word_of(v);
}

template <class P>
void Engine<P>::sort_by_global_id(std::vector<std::uint32_t>& slots) const {
  std::sort(slots.begin(), slots.end(),
            [&](std::uint32_t a, std::uint32_t b) { return graph_.slot_ids[a] < graph_.slot_ids[b]; });
}

} // namespace pregel
