// PULL: each vertex folds over its in-arcs and computes at once. This file decides the engine's speed. What makes it
// fast (measured on Kronecker graphs of scale 20, 2 ranks):
//   - Arcs name slots of one message array, hubs first (distributed_graph.hpp) and on huge pages: most reads hit a
//   cache.
//   - Fold and compute are one loop: the combined message of a vertex never goes through memory. The loop is flattened,
//     so that the program's compute() is part of it, and the running value of a fold is a local variable; through a
//     reference it would be stored once an arc (1.3 x slower).
//   - No test an arc. When all slots have published there is nothing to test; else silent slots are first given the
//     program's neutral message. With half of the slots published the test would be mispredicted for every fourth arc
//     (a superstep of WCC: 74 ms with the test, 15 ms without).
//   - Four folds at a time. One fold is a chain in which every combine() waits for the one before, and the processor
//     idles between them; the chains of different vertices are independent. Neighbours in local order have nearly the
//     same number of arcs, so little is left over. Each vertex still folds in its own order: not a bit changes.
#pragma once

#include "pregel/engine/engine.hpp"

namespace pregel {

template <class P>
template <class Weights>
auto Engine<P>::message_along([[maybe_unused]] const Weights& weights, [[maybe_unused]] std::uint64_t a,
                              [[maybe_unused]] Slot from) const -> Message {
  Message message{};
  if constexpr (kHasContent) message = incoming_.messages[index(from)];
  if constexpr (ChangesAlongArcs<P>)
    return program_.along(message, weights[a]);
  else
    return message;
}

template <class P>
template <class Entry, class Body>
void Engine<P>::with_weights(const Rows<Entry>& rows, Body&& body) const {
  if constexpr (ChangesAlongArcs<P>)
    rows.weights.visit(body);
  else
    body(UnitWeights{});
}

template <class P>
void Engine<P>::pull() {
  if constexpr (HasCombiner<P>) {
    if (options_.use_combiner) {
      if (incoming_.all) return pull_combined<Senders::all>();
      if constexpr (HasNeutralMessage<P>) {
        neutralise_silent_slots();
        return pull_combined<Senders::neutral>();
      }
      return pull_combined<Senders::some>();
    }
  }
  pull_listed();
}

template <class P>
void Engine<P>::neutralise_silent_slots() {
  if constexpr (HasNeutralMessage<P>) {
    const std::span<const std::uint64_t> words = incoming_.set.words();
    for (std::uint32_t slot = 0; slot < graph_.slot_count(); ++slot) {
      if ((words[slot / 64] >> (slot % 64) & 1) == 0) incoming_.messages[slot] = P::neutral();
    }
  }
}

template <class P>
template <Senders kSenders, class Weights>
bool Engine<P>::fold(std::uint32_t v, const Weights& weights, Message& folded) const {
  const Rows<Slot>& arcs = graph_.in_arcs;
  const Slot* senders = arcs.entries.data();
  const std::uint64_t end = arcs.offsets[v + std::size_t{1}];
  std::uint64_t a = arcs.offsets[v];
  if constexpr (kSenders == Senders::some) {
    while (a < end && !incoming_.set.contains(index(senders[a]))) ++a;
  }
  if (a == end) return false;
  Message running = message_along(weights, a, senders[a]);
  if constexpr (!OneIsEnough<P>) {
    for (++a; a < end; ++a) {
      if constexpr (kSenders == Senders::some) {
        if (!incoming_.set.contains(index(senders[a]))) continue;
      }
      running = program_.combine(running, message_along(weights, a, senders[a]));
    }
  }
  folded = running;
  if constexpr (kSenders == Senders::neutral)
    return running != P::neutral();
  else
    return true;
}

template <class P>
template <Senders kSenders>
void Engine<P>::pull_combined() {
  with_weights(graph_.in_arcs, [this](const auto& weights) {
    for_ranges([this, &weights](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
      pull_range<kSenders>(worker, weights, begin, end);
    });
  });
}

template <class P>
template <Senders kSenders, class Weights>
[[gnu::flatten]] void Engine<P>::pull_range(Worker<P>& worker, Weights weights, std::uint32_t begin,
                                            std::uint32_t end) {
  std::uint32_t v = begin;
  if constexpr (kFoldLanes && kSenders != Senders::some) {
    for (; v + kLanes <= end; v += kLanes) {
      std::array<Message, kLanes> folded;
      const std::array<bool, kLanes> any = fold_lanes<kSenders>(v, weights, folded);
      for (std::uint32_t k = 0; k < kLanes; ++k) visit_pulled(worker, v + k, folded[k], any[k]);
    }
  }
  for (; v < end; ++v) {
    Message folded{};
    const bool any = needs_messages(v) && fold<kSenders>(v, weights, folded);
    visit_pulled(worker, v, folded, any);
  }
}

template <class P>
void Engine<P>::visit_pulled(Worker<P>& worker, std::uint32_t v, const Message& folded, bool any) {
  if (any || is_active(v)) visit(worker, v, std::span<const Message>(&folded, any ? 1 : 0));
}

template <class P>
template <Senders kSenders, class Weights>
auto Engine<P>::fold_lanes(std::uint32_t v, const Weights& weights, std::array<Message, kLanes>& folded) const
    -> std::array<bool, kLanes> {
  const Rows<Slot>& arcs = graph_.in_arcs;
  const Slot* senders = arcs.entries.data();
  std::array<std::uint64_t, kLanes> begin;
  std::array<Message, kLanes> running;
  std::array<bool, kLanes> any;
  std::uint64_t common = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    begin[k] = arcs.offsets[v + k];
    common = std::min(common, arcs.offsets[v + k + std::size_t{1}] - begin[k]);
  }
  if (common == 0) {
    for (std::uint32_t k = 0; k < kLanes; ++k) any[k] = fold<kSenders>(v + k, weights, folded[k]);
    return any;
  }
  for (std::uint32_t k = 0; k < kLanes; ++k) running[k] = message_along(weights, begin[k], senders[begin[k]]);
  for (std::uint64_t j = 1; j < common; ++j) {
    for (std::uint32_t k = 0; k < kLanes; ++k) {
      running[k] = program_.combine(running[k], message_along(weights, begin[k] + j, senders[begin[k] + j]));
    }
  }
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    for (std::uint64_t a = begin[k] + common; a < arcs.offsets[v + k + std::size_t{1}]; ++a) {
      running[k] = program_.combine(running[k], message_along(weights, a, senders[a]));
    }
    folded[k] = running[k];
    if constexpr (kSenders == Senders::neutral)
      any[k] = running[k] != P::neutral();
    else
      any[k] = true;
  }
  return any;
}

template <class P>
void Engine<P>::pull_listed() {
  const Rows<Slot>& arcs = graph_.in_arcs;
  for_ranges([&](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t v = begin; v < end; ++v) {
      worker.gathered.clear();
      if (needs_messages(v) && incoming_.all) {
        const std::uint64_t first = arcs.offsets[v];
        worker.gathered.resize(arcs.length(v)); // filling is twice as fast as appending
        for (std::size_t i = 0; i < worker.gathered.size(); ++i)
          worker.gathered[i] = message_along(arcs.weights, first + i, arcs.entries[first + i]);
      } else if (needs_messages(v)) {
        for (std::uint64_t a = arcs.offsets[v]; a < arcs.offsets[v + std::size_t{1}]; ++a) {
          const Slot from = arcs.entries[a];
          if (incoming_.set.contains(index(from))) worker.gathered.push_back(message_along(arcs.weights, a, from));
        }
      }
      if (!worker.gathered.empty() || is_active(v)) visit(worker, v, worker.gathered);
    }
  });
}

template <class P>
bool Engine<P>::needs_messages([[maybe_unused]] std::uint32_t v) const {
  if constexpr (SettlesVertices<P>)
    return program_.needs_messages(values_[v]);
  else
    return true;
}

} // namespace pregel
