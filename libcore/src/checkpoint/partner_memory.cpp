#include "core/checkpoint/partner_memory.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/checkpoint/redistribute.hpp"
#include "core/collectives.hpp"

namespace core::checkpoint {
namespace {

/// What a rank tells of a block that it holds.
struct Holding {
  std::uint64_t world, number;
  std::int32_t rank, ranks;
  std::int32_t holder, copy; // copy: not the rank's own
};

/// Sends `block` to the next rank and returns what the previous one sent. Collective.
std::vector<std::byte> pass_on(const Communicator& comm, const std::vector<std::byte>& block) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(comm.size()), 0);
  counts[static_cast<std::size_t>((comm.rank() + 1) % comm.size())] = block.size();
  ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::vector<std::byte> received(exchange.receive_total);
  all_to_all_varying(comm, block.data(), received.data(), exchange);
  return received;
}

} // namespace

void PartnerMemory::save(const Communicator& comm, std::uint64_t world, std::uint64_t number, const Part& mine,
                         const nlohmann::json& meta) {
  Block own{world, number, comm.rank(), comm.size(), pack(mine), meta};
  if (comm.size() > 1) {
    const int previous = (comm.rank() + comm.size() - 1) % comm.size();
    copies_.push_back({world, number, previous, comm.size(), pass_on(comm, own.packed), meta});
  }
  mine_.push_back(std::move(own));
  for (std::deque<Block>* blocks : {&mine_, &copies_}) {
    while (blocks->size() > generations_) blocks->pop_front();
  }
}

std::optional<PartnerMemory::Restored> PartnerMemory::restore(const Communicator& comm) const {
  std::vector<Holding> holdings;
  for (const Block& block : mine_)
    holdings.push_back({block.world, block.number, block.rank, block.ranks, comm.rank(), 0});
  for (const Block& block : copies_)
    holdings.push_back({block.world, block.number, block.rank, block.ranks, comm.rank(), 1});
  const std::vector<Holding> all = all_gather_varying(comm, std::span<const Holding>(holdings));

  // Generation -> rank -> who is to give its part: the rank itself if it lives, else its partner.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::int32_t, Holding>> generations;
  for (const Holding& holding : all) {
    auto& parts = generations[{holding.world, holding.number}];
    const auto [known, is_new] = parts.try_emplace(holding.rank, holding);
    if (!is_new && holding.copy < known->second.copy) known->second = holding;
  }
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    const auto& parts = generation->second;
    if (parts.size() != static_cast<std::size_t>(parts.begin()->second.ranks)) continue;
    Restored restored;
    restored.number = generation->first.second;
    for (const auto& [rank, holding] : parts) {
      for (const std::deque<Block>* blocks : {&mine_, &copies_}) {
        const bool is_copy = blocks == &copies_;
        if (holding.holder != comm.rank() || is_copy != (holding.copy != 0)) continue;
        for (const Block& block : *blocks) {
          if (block.world != holding.world || block.number != holding.number || block.rank != rank) continue;
          restored.parts.push_back(unpack(block.packed));
          restored.meta = block.meta;
        }
      }
    }
    // A rank whose save() was cut short may have nothing of a generation that its partner has whole.
    const std::string meta = broadcast_string(comm, restored.meta.dump(), parts.begin()->second.holder);
    restored.meta = nlohmann::json::parse(meta);
    return restored;
  }
  return std::nullopt;
}

std::size_t PartnerMemory::bytes() const noexcept {
  std::size_t total = 0;
  for (const std::deque<Block>* blocks : {&mine_, &copies_}) {
    for (const Block& block : *blocks) total += block.packed.size();
  }
  return total;
}

} // namespace core::checkpoint
