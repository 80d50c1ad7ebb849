#include "core/checkpoint/partner_memory.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/checkpoint/redistribute.hpp"
#include "core/collectives.hpp"

namespace core::checkpoint {
namespace {

/// (world, number)
using Generation = std::pair<std::uint64_t, std::uint64_t>;

/// What a rank tells of a block that it holds.
struct Holding {
  std::uint64_t world, number;
  std::int32_t rank, ranks;
  std::int32_t holder, copy; // copy: not the rank's own
};

/// Who is to give each rank's part: the rank itself if it lives, else its partner.
using Givers = std::map<std::int32_t, Holding>;

/// The newest generation of which somebody has every part.
std::optional<std::pair<Generation, Givers>> newest_whole(const std::vector<Holding>& holdings) {
  std::map<Generation, Givers> generations;
  for (const Holding& holding : holdings) {
    Givers& givers = generations[{holding.world, holding.number}];
    const auto [known, is_new] = givers.try_emplace(holding.rank, holding);
    if (!is_new && holding.copy < known->second.copy) known->second = holding;
  }
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    const Givers& givers = generation->second;
    if (givers.size() == static_cast<std::size_t>(givers.begin()->second.ranks)) return *generation;
  }
  return std::nullopt;
}

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

std::optional<PartnerMemory::Restored> PartnerMemory::restore(const Communicator& comm) {
  std::vector<Holding> holdings;
  for (const std::deque<Block>* blocks : {&mine_, &copies_}) {
    for (const Block& block : *blocks)
      holdings.push_back({block.world, block.number, block.rank, block.ranks, comm.rank(), blocks == &copies_ ? 1 : 0});
  }
  const auto whole = newest_whole(all_gather_varying(comm, std::span<const Holding>(holdings)));
  if (!whole) return std::nullopt;

  const Generation generation = whole->first;
  const Givers& givers = whole->second;
  Restored restored;
  restored.number = generation.second;
  for (std::deque<Block>* blocks : {&mine_, &copies_}) {
    std::erase_if(*blocks, [&](const Block& block) { return Generation{block.world, block.number} > generation; });
    for (const Block& block : *blocks) {
      if (Generation{block.world, block.number} != generation) continue;
      const Holding& giver = givers.at(block.rank);
      if (giver.holder != comm.rank() || (giver.copy != 0) != (blocks == &copies_)) continue;
      restored.parts.push_back(unpack(block.packed));
      restored.meta = block.meta;
    }
  }
  // A rank whose save() was cut short may have nothing of a generation that its partner has whole.
  const std::string meta = broadcast_string(comm, restored.meta.dump(), givers.begin()->second.holder);
  restored.meta = nlohmann::json::parse(meta);
  return restored;
}

std::size_t PartnerMemory::bytes() const noexcept {
  std::size_t total = 0;
  for (const std::deque<Block>* blocks : {&mine_, &copies_}) {
    for (const Block& block : *blocks) total += block.packed.size();
  }
  return total;
}

} // namespace core::checkpoint
