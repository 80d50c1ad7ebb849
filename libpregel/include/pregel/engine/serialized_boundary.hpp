// Messages that are not trivially copyable: they travel as Boost.Serialization archives.
#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "pregel/engine/boundary_exchange.hpp"
#include "pregel/engine/worker.hpp"

namespace boost::serialization {

/// Ids go as plain integers: Boost.Serialization writes any enum as an int, and would cut an id to 32 bits.
template <class Archive, class Message>
void serialize(Archive& archive, pregel::DirectMessage<Message>& m, unsigned) {
  std::uint64_t target = number(m.target), sender = number(m.sender);
  archive& target& sender& m.message;
  m.target = pregel::GlobalId{target};
  m.sender = pregel::GlobalId{sender};
}

} // namespace boost::serialization

namespace pregel {

/// What exchange_serialized() brings.
template <class Item>
struct SerializedDelivery {
  std::vector<std::vector<Item>> items; ///< by sender
  std::uint64_t bytes_sent = 0;         ///< by this rank to others
};

/// Sends items[p] to rank p. Throws on every rank when a message's serialize() throws on one. Collective.
template <class Item>
SerializedDelivery<Item> exchange_serialized(const core::Communicator& comm,
                                             const std::vector<std::vector<Item>>& items) {
  std::string send;
  std::vector<std::size_t> counts;
  core::agree(comm, [&] {
    for (const std::vector<Item>& list : items) {
      std::ostringstream out;
      if (!list.empty()) boost::archive::binary_oarchive(out, boost::archive::no_header) << list;
      const std::string block = out.str();
      counts.push_back(block.size());
      send += block;
    }
  });
  core::ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::string receive(exchange.receive_total, '\0');
  core::all_to_all_varying(comm, send.data(), receive.data(), exchange);
  SerializedDelivery<Item> delivery;
  delivery.items.resize(items.size());
  delivery.bytes_sent = send.size() - counts[static_cast<std::size_t>(comm.rank())];
  core::agree(comm, [&] {
    for (std::size_t p = 0; p < items.size(); ++p) {
      if (exchange.receive_counts[p] == 0) continue;
      std::istringstream in(receive.substr(exchange.receive_offsets[p], exchange.receive_counts[p]));
      boost::archive::binary_iarchive(in, boost::archive::no_header) >> delivery.items[p];
    }
  });
  return delivery;
}

/// The engine's view of the exchange, whatever the message is.
template <class Message>
class BoundaryFor {
 public:
  explicit BoundaryFor(const DistributedGraph& graph)
      : graph_(graph), raw_(graph, core::Transferable<Message> && !std::is_empty_v<Message> ? sizeof(Message) : 0) {}

  /// See BoundaryExchange::exchange. Collective.
  ExchangeVolume exchange(std::span<Message> slots, VertexSet& published, bool all_published) {
    if constexpr (core::Transferable<Message>) {
      return raw_.exchange(reinterpret_cast<std::byte*>(slots.data()), published, all_published);
    } else {
      return exchange_archives(slots, published, all_published);
    }
  }

 private:
  ExchangeVolume exchange_archives(std::span<Message> slots, VertexSet& published, bool all_published) {
    using Item = std::pair<std::uint32_t, Message>; // position in the agreed list, message
    const ExchangePlan& plan = graph_.plan;
    const auto ranks = static_cast<std::size_t>(graph_.comm->size());
    if (ranks == 1) return {};
    std::vector<std::vector<Item>> send(ranks);
    ExchangeVolume volume;
    for (std::size_t p = 0; p < ranks; ++p) {
      for (std::size_t i = plan.send_offsets[p]; i < plan.send_offsets[p + 1]; ++i) {
        const std::uint32_t v = index(plan.send_vertices[i]);
        if (published.contains(v)) send[p].emplace_back(static_cast<std::uint32_t>(i - plan.send_offsets[p]), slots[v]);
      }
      volume.values += send[p].size();
    }
    auto delivery = exchange_serialized(*graph_.comm, send);
    volume.bytes = delivery.bytes_sent;
    for (std::size_t p = 0; p < ranks; ++p) {
      for (Item& item : delivery.items[p]) {
        const auto slot = static_cast<std::uint32_t>(graph_.local_count + plan.receive_offsets[p] + item.first);
        slots[slot] = std::move(item.second);
        if (!all_published) published.insert(slot);
      }
    }
    return volume;
  }

  const DistributedGraph& graph_;
  BoundaryExchange raw_;
};

} // namespace pregel
