// Messages to given ids: routed to the owner of the target in rounds bounded in memory, combined per sending rank where
// the combiner allows it, and listed by (target, sender) where order matters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/routed_exchange.hpp"
#include "pregel/engine/boundary_exchange.hpp"
#include "pregel/engine/run_report.hpp"
#include "pregel/engine/serialized_boundary.hpp"
#include "pregel/engine/worker.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/distributed_graph.hpp"

namespace pregel {

/// A message that has reached the rank of its target.
template <class Message>
struct ReceivedMessage {
  LocalId target{};
  GlobalId sender{};
  Message message{};
};

/// Folds messages to the same target into one; only for combiners that ignore order. The sender becomes the smallest
/// one.
template <class Message, class Combine>
void combine_by_target(std::vector<DirectMessage<Message>>& outbox, Combine&& combine) {
  std::sort(outbox.begin(), outbox.end(),
            [](const auto& a, const auto& b) { return std::pair(a.target, a.sender) < std::pair(b.target, b.sender); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < outbox.size(); ++i) {
    if (kept > 0 && outbox[kept - 1].target == outbox[i].target) {
      outbox[kept - 1].message = combine(outbox[kept - 1].message, outbox[i].message);
    } else {
      outbox[kept++] = outbox[i];
    }
  }
  outbox.resize(kept);
}

template <class Message>
class DirectMessages {
 public:
  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  void clear() noexcept {
    messages_.clear();
    sorted_ = true;
  }
  void add(ReceivedMessage<Message> message) {
    messages_.push_back(std::move(message));
    sorted_ = false;
  }
  /// By target, then sender, then order of sending.
  void sort() {
    if (sorted_) return;
    std::stable_sort(messages_.begin(), messages_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.target, a.sender) < std::pair(b.target, b.sender);
    });
    sorted_ = true;
  }
  [[nodiscard]] const std::vector<ReceivedMessage<Message>>& all() const noexcept { return messages_; }
  /// Those for local vertices begin .. end-1. The messages must be sorted.
  [[nodiscard]] std::span<const ReceivedMessage<Message>> in_range(std::uint32_t begin, std::uint32_t end) const {
    const auto before = [](const ReceivedMessage<Message>& m, std::uint32_t bound) { return index(m.target) < bound; };
    const auto first = std::lower_bound(messages_.begin(), messages_.end(), begin, before);
    const auto last = std::lower_bound(first, messages_.end(), end, before);
    return {first, last};
  }

  /// Sends `outbox` to the owners of its targets and takes what arrives, sorted. Collective. Throws GraphError on every
  /// rank for a target that does not exist, unless the policy is to drop.
  ExchangeVolume exchange(const DistributedGraph& graph, std::vector<DirectMessage<Message>>&& outbox,
                          UnknownTarget policy, std::uint64_t superstep) {
    ExchangeVolume volume;
    for (const auto& m : outbox) {
      if (graph.owner(m.target) != graph.comm->rank()) ++volume.values;
    }
    const auto accept = [&](const DirectMessage<Message>& m) {
      if (const std::optional<LocalId> target = graph.find(m.target)) {
        add({*target, m.sender, m.message});
      } else if (policy == UnknownTarget::error) {
        throw GraphError("superstep " + std::to_string(superstep) + ": vertex " + std::to_string(number(m.sender)) +
                         " sent a message to vertex " + std::to_string(number(m.target)) + ", which does not exist");
      }
    };
    if constexpr (core::Transferable<Message>) {
      volume.bytes = volume.values * sizeof(DirectMessage<Message>);
      auto produce = collectives::produce_each(
          outbox, [&](auto& push, const DirectMessage<Message>& m) { push(graph.owner(m.target), m); });
      collectives::routed_exchange<DirectMessage<Message>>(*graph.comm, produce,
                                                           [&](int, std::span<const DirectMessage<Message>> items) {
                                                             for (const auto& m : items) accept(m);
                                                           });
    } else {
      std::vector<std::vector<DirectMessage<Message>>> by_owner(static_cast<std::size_t>(graph.comm->size()));
      for (auto& m : outbox) by_owner[static_cast<std::size_t>(graph.owner(m.target))].push_back(std::move(m));
      const auto delivery = exchange_serialized(*graph.comm, by_owner);
      volume.bytes = delivery.bytes_sent;
      core::agree(*graph.comm, [&] {
        for (const auto& from_rank : delivery.items) {
          for (const auto& m : from_rank) accept(m);
        }
      });
    }
    sort();
    return volume;
  }

 private:
  std::vector<ReceivedMessage<Message>> messages_;
  bool sorted_ = true;
};

} // namespace pregel
