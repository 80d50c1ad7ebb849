// What --trace and --trace-vertices tell of a barrier: counted by a pass over all arcs, so that the fast paths count
// nothing.
#pragma once

#include "pregel/engine/engine.hpp"

namespace pregel {

template <class P>
TraceDetails Engine<P>::trace_details(bool describe_vertices) {
  TraceDetails details;
  direct_.sort();
  std::vector<Message> messages;
  std::vector<int> senders; // ranks
  for (const LocalId local : graph_.ascending) {
    const std::uint32_t v = index(local);
    collect_deliveries(v, messages, senders);
    const bool computed = AlwaysActive<P> || last_computed_[v] == superstep_;
    const std::uint64_t delivered = count_deliveries(senders);
    details.delivered += delivered;
    const bool woken = delivered != 0 && !computed && needs_messages(v); // the settled do not listen
    details.wakeups += woken ? 1 : 0;
    if (!describe_vertices) continue;
    VertexTrace row{graph_.slot_ids[v], computed, delivered, describe(values_[v]), ""};
    if (woken) row.woken_by = describe_all(messages);
    details.vertices.push_back(std::move(row));
  }
  return details;
}

template <class P>
void Engine<P>::collect_deliveries(std::uint32_t v, std::vector<Message>& messages, std::vector<int>& senders) const {
  messages.clear();
  senders.clear();
  const Rows<Slot>& arcs = graph_.in_arcs;
  for (std::uint64_t a = arcs.offsets[v]; a < arcs.offsets[v + std::size_t{1}]; ++a) {
    const Slot from = arcs.entries[a];
    if (!incoming_.all && !incoming_.set.contains(index(from))) continue;
    messages.push_back(message_along(arcs.weights, a, from));
    senders.push_back(graph_.owner_of(from));
  }
  for (const ReceivedMessage<Message>& m : direct_.in_range(v, v + 1)) {
    messages.push_back(m.message);
    senders.push_back(graph_.owner(m.sender));
  }
}

template <class P>
std::uint64_t Engine<P>::count_deliveries(std::vector<int>& senders) const {
  if (!combining()) return senders.size();
  std::sort(senders.begin(), senders.end());
  return static_cast<std::uint64_t>(std::unique(senders.begin(), senders.end()) - senders.begin());
}

template <class P>
std::string Engine<P>::describe_all(const std::vector<Message>& messages) const {
  std::string text;
  if constexpr (HasCombiner<P>) {
    if (options_.use_combiner) {
      Message folded = messages.front();
      for (std::size_t i = 1; i < messages.size(); ++i) folded = program_.combine(folded, messages[i]);
      return describe(folded);
    }
  }
  for (const Message& m : messages) text += (text.empty() ? "" : ";") + describe(m);
  return text;
}

template <class P>
template <class T>
std::string Engine<P>::describe(const T& x) {
  if constexpr (requires { P::describe(x); })
    return P::describe(x);
  else if constexpr (requires { trace_text(x); })
    return trace_text(x);
  else
    return "?";
}

} // namespace pregel
