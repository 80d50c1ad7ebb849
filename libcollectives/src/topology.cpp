// How a reducer begins and ends: who shares memory with whom, the memory itself, and which algorithm is chosen for
// what.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/runtime.hpp"
#include "reducer.hpp"

namespace collectives::detail {
namespace {

/// Measured between 2, 4 and 8 hosts on links of 200 Mbit/s, TCP, 8 MiB: 128 KiB in 8 messages reach 95 % of the links
/// in both directions, with one TCP connection to a neighbour or four; in one message 77 to 94 %; segments of 1 MiB 72
/// %, because the first and the last one of a step have nothing to overlap with.
constexpr std::size_t kDefaultSegment = std::size_t{128} << 10;
constexpr int kDefaultChannels = 8;
constexpr std::size_t kAlignment = alignof(BoardLine);
/// Blocks of a node, all ranks together, and of a rank at most. Measured with 2 and 4 ranks on two cores, 1 to 64 MiB:
/// on an idle machine 128 KiB to 2 MiB a rank are equal within a tenth; on a busy one each synchronisation may wait for
/// a rank that has no core, and 1 MiB is up to three times faster than 128 KiB.
constexpr std::size_t kDefaultBlocks = std::size_t{4} << 20, kMostBlock = std::size_t{1} << 20,
                      kLeastBlock = std::size_t{64} << 10;
/// Slots are read by every rank: together they should stay in the second-level cache.
constexpr std::size_t kDefaultSlots = std::size_t{128} << 10, kLeastSmall = std::size_t{4} << 10;
/// Of vectors between nodes: below the first, the number of steps decides; below the second, steps and bytes.
constexpr std::size_t kDoublingUpTo = std::size_t{8} << 10;
constexpr std::size_t kHalvingUpTo = std::size_t{256} << 10;

std::size_t rounded_up(std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

/// The options that all ranks must share, as they travel.
struct SharedOptions {
  std::uint64_t words[12];

  explicit SharedOptions(const AllReduceOptions& options)
      : words{static_cast<std::uint64_t>(options.algorithm),
              static_cast<std::uint64_t>(options.operation),
              options.reproducible,
              options.exact,
              options.check,
              options.segment_bytes,
              static_cast<std::uint64_t>(options.channels),
              options.block_bytes,
              options.small_bytes,
              static_cast<std::uint64_t>(options.pretended_node_size),
              options.use_shared_memory,
              options.tuning ? std::hash<std::string>()(options.tuning->to_json()) : 0} {}
  SharedOptions() : SharedOptions(AllReduceOptions()) {}
  static constexpr const char* kNames[12] = {"algorithm",   "operation",           "reproducible",      "exact",
                                             "check",       "segment_bytes",       "channels",          "block_bytes",
                                             "small_bytes", "pretended_node_size", "use_shared_memory", "tuning"};
};

std::string text_of(std::size_t option, std::uint64_t word) {
  if (option == 0) return std::string(name_of(static_cast<Algorithm>(word)));
  if (option == 1) return std::string(name_of(static_cast<Operation>(word)));
  if (option == 11) return word == 0 ? "no table" : fmt::format("a table with hash {:x}", word);
  return fmt::format("{}", word);
}

/// What cannot be called "an error somewhere else": windows and communicators whose ranks may be gone. Freed, if at
/// all, after MPI has ended, when that waits for nobody.
std::vector<std::unique_ptr<core::SharedWindow<std::byte>>>& left_behind() {
  static std::vector<std::unique_ptr<core::SharedWindow<std::byte>>> windows;
  return windows;
}

} // namespace

Reducer::Reducer(const core::Communicator& comm, AllReduceOptions options)
    : comm_(comm.duplicate()), options_(std::move(options)) {
  timeout_seconds = options_.timeout_seconds;
  everybody_ = {comm_.native(), comm_.rank(), comm_.size(), {}};
  require_equal_options();
  require_possible();
  find_topology();
  open_node_memory();
  if (node_ && topology_.nodes > 1) find_ranks_across_nodes();
}

Reducer::~Reducer() {
  for (Call* const call : running_) call->task.clear();
  if (broken_.empty()) return;
  if (node_window_) left_behind().push_back(std::move(node_window_));
  for (Allocation& allocation : allocations_) {
    if (allocation.window) left_behind().push_back(std::move(allocation.window));
  }
  comm_.leave_unfreed();
  if (node_comm_) node_comm_->leave_unfreed();
  if (across_comm_) across_comm_->leave_unfreed();
}

void Reducer::require_equal_options() const {
  const std::vector<SharedOptions> all = core::all_gather(comm_, SharedOptions(options_));
  for (std::size_t option = 0; option < std::size(SharedOptions::kNames); ++option) {
    for (int peer = 1; peer < size(); ++peer) {
      const std::uint64_t first = all[0].words[option], other = all[static_cast<std::size_t>(peer)].words[option];
      if (first != other)
        throw core::Error(fmt::format("ranks disagree on the all-reduce option {}: {} on rank 0; {} on rank {}",
                                      SharedOptions::kNames[option], text_of(option, first), text_of(option, other),
                                      peer));
    }
  }
}

void Reducer::require_possible() const {
  if (options_.operation == Operation::user)
    throw core::InputError("all-reduce: a function of the user is given with the call, not in the options");
  if (options_.channels < 0 || options_.channels > kMostChannels)
    throw core::InputError(
        fmt::format("all-reduce: {} channels, but 1 to {} are possible", options_.channels, kMostChannels));
  if (options_.pretended_node_size < 0) throw core::InputError("all-reduce: nodes of a negative size");
}

void Reducer::find_topology() {
  node_comm_ = options_.use_shared_memory ? comm_.split_shared() : comm_.split(rank(), 0);
  if (options_.use_shared_memory && options_.pretended_node_size > 0)
    node_comm_ = node_comm_->split(rank() / options_.pretended_node_size, rank());
  const std::vector<int> ranks_in_node = core::all_gather(comm_, node_comm_->rank());
  topology_ = {size(), static_cast<int>(std::count(ranks_in_node.begin(), ranks_in_node.end(), 0)), false};
  threads_on_node = node_comm_->size();
}

/// Memory that the ranks of the node share, with room to align. Null, with a reason, where there is none left.
/// Collective on the node.
std::unique_ptr<core::SharedWindow<std::byte>> Reducer::open_window(std::size_t bytes, std::string& reason) const {
  try {
    return std::make_unique<core::SharedWindow<std::byte>>(*node_comm_, bytes + kAlignment);
  } catch (const core::MpiError&) {
    throw;
  } catch (const core::Error& error) { // no room: the same on all ranks of the node
    reason = error.what();
    return nullptr;
  }
}

/// Leaves node_ empty where no rank has a neighbour, or no algorithm uses it, or (all ranks together) there is no room.
void Reducer::open_node_memory() {
  const bool wanted = options_.algorithm == Algorithm::automatic || options_.algorithm == Algorithm::shared_memory ||
                      options_.algorithm == Algorithm::hierarchical;
  const bool required = options_.algorithm == Algorithm::shared_memory;
  if (required && topology_.nodes > 1)
    throw core::InputError(
        fmt::format("the all-reduce algorithm shared_memory works inside one node, but the {} ranks are on {}", size(),
                    topology_.nodes));
  if (!wanted || topology_.nodes == size()) return;

  const auto ranks = static_cast<std::size_t>(node_comm_->size());
  const std::size_t small =
      rounded_up(options_.small_bytes > 0 ? options_.small_bytes : std::max(kLeastSmall, kDefaultSlots / ranks));
  std::size_t block = rounded_up(
      options_.block_bytes > 0 ? options_.block_bytes : std::clamp(kDefaultBlocks / ranks, kLeastBlock, kMostBlock));
  block = std::max(block, rounded_up(ranks)); // a byte for each
  std::string reason;
  node_window_ = open_window(NodeMemory::part_bytes(small, block), reason);
  const std::vector<std::size_t> shares = core::all_gather(comm_, node_window_ ? block / ranks : 0);
  least_block_share_ = *std::min_element(shares.begin(), shares.end());
  if (least_block_share_ == 0) {
    node_window_.reset();
    if (options_.algorithm != Algorithm::automatic)
      throw core::Error(reason.empty() ? "another node has no room for shared memory" : reason);
    return;
  }
  node_.emplace(aligned_parts(*node_window_), node_comm_->rank(), small, block);
  node_->numbers = core::all_gather(*node_comm_, rank());
  topology_.shared_memory = true;
}

/// The parts of a window begin on pages of their own, but (Open MPI 4.1) behind a header of 264 bytes. Pages are mapped
/// to pages, so all ranks find the same aligned places.
std::vector<std::byte*> Reducer::aligned_parts(const core::SharedWindow<std::byte>& window) const {
  std::vector<std::byte*> parts;
  parts.reserve(static_cast<std::size_t>(node_comm_->size()));
  for (int peer = 0; peer < node_comm_->size(); ++peer) {
    std::byte* const begin = window.of(peer).data();
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(begin) % kAlignment;
    parts.push_back(begin + (kAlignment - beyond) % kAlignment);
  }
  return parts;
}

void Reducer::find_ranks_across_nodes() {
  const std::vector<int> sizes = core::all_gather(comm_, node_comm_->size());
  across_.owners = *std::min_element(sizes.begin(), sizes.end());
  across_comm_ = comm_.split(std::min(node_comm_->rank(), across_.owners), rank());
  across_.group = {across_comm_->native(), across_comm_->rank(), across_comm_->size(),
                   core::all_gather(*across_comm_, rank())};
}

void* Reducer::allocate(std::size_t bytes) {
  require_usable();
  Allocation allocation;
  allocation.bytes = std::max<std::size_t>(bytes, 1);
  void* memory = nullptr;
  std::string reason;
  if (everybody_on_node()) {
    allocation.window = open_window(allocation.bytes, reason);
    if (!allocation.window && options_.algorithm != Algorithm::automatic) throw core::Error(reason);
  }
  if (allocation.window) {
    allocation.parts = aligned_parts(*allocation.window);
    memory = allocation.parts[static_cast<std::size_t>(node_->rank())];
  } else {
    const std::size_t units = (allocation.bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    allocation.plain = std::make_unique_for_overwrite<std::max_align_t[]>(units);
    memory = allocation.plain.get();
    std::memset(memory, 0, units * sizeof(std::max_align_t)); // its padding too
  }
  allocations_.push_back(std::move(allocation));
  return memory;
}

namespace {

/// What serves without a table.
Algorithm built_in_choice(const Topology& topology, std::size_t bytes) {
  if (topology.shared_memory && topology.nodes == 1) return Algorithm::shared_memory;
  if (bytes <= kDoublingUpTo) return Algorithm::recursive_doubling;
  if (topology.shared_memory) return Algorithm::hierarchical;
  return bytes <= kHalvingUpTo ? Algorithm::halving_doubling : Algorithm::chunked_ring;
}

} // namespace

/// What serves instead where an algorithm cannot do what is asked for, or not here (a table may come from elsewhere).
Algorithm Reducer::possible(Algorithm wanted, Kind kind, bool sees_all_addends) const {
  if (size() == 1) return Algorithm::all_to_all; // without messages: folds the rank's own addends
  const bool uses_node = wanted == Algorithm::shared_memory || wanted == Algorithm::hierarchical;
  if (uses_node && everybody_on_node()) return Algorithm::shared_memory;
  if (sees_all_addends) return Algorithm::all_to_all;
  const bool only_whole = kind != Kind::all_reduce && wanted != Algorithm::all_to_all;
  const bool lacks_memory = wanted == Algorithm::shared_memory || (wanted == Algorithm::hierarchical && !node_);
  return only_whole || lacks_memory ? Algorithm::chunked_ring : wanted;
}

TuningRow Reducer::choose(Kind kind, ElementType type, Operation operation, std::size_t bytes) const {
  TuningRow row{bytes, options_.algorithm, 0, 0};
  if (row.algorithm == Algorithm::automatic) {
    row = options_.tuning ? options_.tuning->choose(topology_, bytes) : TuningRow{bytes, Algorithm::automatic, 0, 0};
    if (row.algorithm == Algorithm::automatic) row.algorithm = built_in_choice(topology_, bytes);
  }
  if (options_.segment_bytes > 0) row.segment_bytes = options_.segment_bytes;
  if (row.segment_bytes == 0) row.segment_bytes = kDefaultSegment;
  if (options_.channels > 0) row.channels = options_.channels;
  row.channels = row.channels <= 0 ? kDefaultChannels : std::min(row.channels, kMostChannels);

  // Only rounding makes the order of addends matter, and what the user's function does.
  const bool rounds = operation == Operation::user ||
                      (is_floating(type) && (operation == Operation::sum || operation == Operation::product ||
                                             operation == Operation::average));
  const bool in_order = options_.reproducible && rounds && row.algorithm != Algorithm::naive_ring;
  const bool exact = options_.exact && rounds && is_floating(type) && operation != Operation::product;
  const bool sees_all_addends = kind == Kind::all_reduce_many || (kind != Kind::all_gather && (in_order || exact));
  row.algorithm = possible(row.algorithm, kind, sees_all_addends);
  return row;
}

} // namespace collectives::detail
