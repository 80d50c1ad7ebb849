// LIST: messages listed by (target, sender) and read in that order, for programs without a combiner and for messages to
// given ids.
#pragma once

#include "pregel/engine/engine.hpp"

namespace pregel {

template <class P>
void Engine<P>::list() {
  incoming_.set.for_each([&](std::uint32_t slot) { list_from(Slot{slot}); });
  if (incoming_.all) {
    for (std::uint32_t slot = 0; slot < graph_.slot_count(); ++slot) list_from(Slot{slot});
  }
  if (!graph_.arcs_from_slot.built()) list_by_target();
  direct_.sort();
  for_fixed_ranges(direct_.size() + active_.count(), [&](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
    std::span<const ReceivedMessage<Message>> rest = direct_.in_range(begin, end);
    worker.touched.clear();
    while (!rest.empty()) {
      const std::uint32_t v = index(rest.front().target);
      worker.gathered.clear();
      for (; !rest.empty() && index(rest.front().target) == v; rest = rest.subspan(1))
        gather(worker, rest.front().message);
      touched_.set_bit(v);
      worker.touched.push_back(v);
      if (needs_messages(v))
        visit(worker, v, worker.gathered);
      else if (is_active(v))
        visit(worker, v, {});
    }
    const std::vector<std::uint32_t> done = std::exchange(worker.touched, {});
    visit_touched(worker, begin, end); // the active ones that got nothing
    for (const std::uint32_t v : done) touched_.clear_word_of(v);
  });
}

template <class P>
void Engine<P>::list_from(Slot slot) {
  const Rows<LocalId>& arcs = graph_.arcs_from_slot;
  if (!arcs.built()) return;
  for (std::uint64_t a = arcs.offsets[index(slot)]; a < arcs.offsets[index(slot) + std::size_t{1}]; ++a) {
    direct_.add({arcs.entries[a], graph_.slot_ids[index(slot)], message_along(arcs.weights, a, slot)});
  }
}

template <class P>
void Engine<P>::list_by_target() {
  const Rows<Slot>& arcs = graph_.in_arcs;
  for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
    for (std::uint64_t a = arcs.offsets[v]; a < arcs.offsets[v + std::size_t{1}]; ++a) {
      const Slot from = arcs.entries[a];
      if (!incoming_.all && !incoming_.set.contains(index(from))) continue;
      direct_.add({LocalId{v}, graph_.slot_ids[index(from)], message_along(arcs.weights, a, from)});
    }
  }
}

template <class P>
void Engine<P>::gather(Worker<P>& worker, const Message& message) {
  if constexpr (HasCombiner<P>) {
    if (options_.use_combiner && !worker.gathered.empty()) {
      worker.gathered.front() = program_.combine(worker.gathered.front(), message);
      return;
    }
  }
  worker.gathered.push_back(message);
}

} // namespace pregel
