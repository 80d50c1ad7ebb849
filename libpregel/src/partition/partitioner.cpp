#include "pregel/partition/partitioner.hpp"

#include <string>

#include "core/collectives.hpp"
#include "core/error.hpp"

namespace pregel {
namespace {

// A rank's sample: enough that a range is within a few percent of its share on 1,000 ranks, small enough to gather
// everywhere.
constexpr std::size_t kSamplesPerRank = 4096;

/// Evenly spaced endpoints of this rank's edges, listed vertices and contiguous ids.
std::vector<std::uint64_t> sample_ids(const core::Communicator& comm, const EdgeBlocks& edges,
                                      const std::vector<GlobalId>& vertices, std::uint64_t contiguous,
                                      std::uint64_t first) {
  std::vector<std::uint64_t> sample;
  const std::size_t every_edge = std::max<std::size_t>(1, edges.size() / kSamplesPerRank);
  std::size_t position = 0;
  for (std::size_t block = 0; block < edges.block_count(); ++block) {
    for (const Edge& edge : edges.edges(block)) {
      if (position++ % every_edge != 0) continue;
      sample.push_back(number(edge.source));
      sample.push_back(number(edge.target));
    }
  }
  const std::size_t every_vertex = std::max<std::size_t>(1, vertices.size() / kSamplesPerRank);
  for (std::size_t i = 0; i < vertices.size(); i += every_vertex) sample.push_back(number(vertices[i]));
  const auto rank = static_cast<std::uint64_t>(comm.rank()), ranks = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t step = std::max<std::uint64_t>(1, contiguous / (kSamplesPerRank * ranks));
  for (std::uint64_t id = rank * step; id < contiguous; id += step * ranks) sample.push_back(first + id);
  return sample;
}

} // namespace

PartitionKind parse_partition_kind(std::string_view name) {
  if (name == "hash") return PartitionKind::hash;
  if (name == "modulo") return PartitionKind::modulo;
  if (name == "range") return PartitionKind::range;
  throw core::InputError("--partition " + std::string(name) + ": not one of hash, modulo, range");
}

std::string_view partition_name(PartitionKind kind) {
  switch (kind) {
    case PartitionKind::hash: return "hash";
    case PartitionKind::modulo: return "modulo";
    case PartitionKind::range: break;
  }
  return "range";
}

Partitioner Partitioner::hash(int ranks) {
  return {PartitionKind::hash, ranks};
}

Partitioner Partitioner::modulo(int ranks) {
  return {PartitionKind::modulo, ranks};
}

Partitioner Partitioner::range(std::vector<std::uint64_t> first_ids) {
  Partitioner partitioner(PartitionKind::range, static_cast<int>(first_ids.size()) + 1);
  partitioner.first_ids_ = std::move(first_ids);
  return partitioner;
}

Partitioner Partitioner::sampled_range(const core::Communicator& comm, const EdgeBlocks& edges,
                                       const std::vector<GlobalId>& vertices, std::uint64_t contiguous_vertices,
                                       std::uint64_t contiguous_first) {
  const std::vector<std::uint64_t> mine = sample_ids(comm, edges, vertices, contiguous_vertices, contiguous_first);
  std::vector<std::uint64_t> all = core::all_gather_varying(comm, std::span<const std::uint64_t>(mine));
  std::sort(all.begin(), all.end());
  std::vector<std::uint64_t> first_ids;
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (std::size_t r = 1; r < ranks; ++r) first_ids.push_back(all.empty() ? 0 : all[r * all.size() / ranks]);
  return range(std::move(first_ids));
}

Partitioner Partitioner::without(std::span<const int> lost) const {
  Loss loss{std::vector<int>(static_cast<std::size_t>(ranks_), -1), 0};
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!std::ranges::binary_search(lost, rank)) loss.survivor[static_cast<std::size_t>(rank)] = loss.ranks++;
  }
  Partitioner after = *this;
  after.ranks_ = loss.ranks;
  after.losses_.push_back(std::move(loss));
  return after;
}

int Partitioner::owner_after_losses(GlobalId id, int owner) const noexcept {
  // The orphans of a rank are dealt out by a number that has nothing to do with what made them its own: the quotient of
  // the textbook's division, else a second hash.
  std::uint64_t lot = kind_ == PartitionKind::modulo ? number(id) / static_cast<unsigned>(first_ranks_)
                                                     : core::mix64(core::mix64(number(id)) ^ 0x6c62272e07bb0142ULL);
  for (const Loss& loss : losses_) {
    const auto ranks = static_cast<unsigned>(loss.ranks);
    const int survivor = loss.survivor[static_cast<std::size_t>(owner)];
    owner = survivor >= 0 ? survivor : static_cast<int>(lot % ranks);
    if (survivor < 0) lot /= ranks;
  }
  return owner;
}

} // namespace pregel
