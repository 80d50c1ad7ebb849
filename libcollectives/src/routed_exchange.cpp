// The messages of routed_exchange(): one word per pair of ranks to announce a round, then the items themselves.
#include "collectives/routed_exchange.hpp"

namespace collectives::detail {
namespace {

/// Tag of the items; rounds cannot be confused because messages between two ranks do not overtake each other.
constexpr int kItemsTag = 31'001;

/// A count and a condition in one word: MPI_Alltoall of a few bytes is all that a round costs beside its items.
constexpr unsigned kConditionShift = 62;
constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kConditionShift) - 1;

} // namespace

RoundChannel::RoundChannel(const core::Communicator& comm, MPI_Datatype item_type, std::size_t item_bytes)
    : comm_(comm),
      item_type_(item_type),
      item_bytes_(item_bytes),
      words_out_(static_cast<std::size_t>(comm.size())),
      words_in_(words_out_.size()),
      outgoing_counts_(words_out_.size()),
      incoming_offsets_(words_out_.size() + 1),
      first_receive_(words_out_.size() + 1) {}

RoundChannel::Verdict RoundChannel::announce(std::span<const std::size_t> counts, Condition mine) {
  const auto self = static_cast<std::size_t>(comm_.rank());
  std::copy(counts.begin(), counts.end(), outgoing_counts_.begin());
  outgoing_counts_[self] = 0;
  for (std::size_t peer = 0; peer < words_out_.size(); ++peer)
    words_out_[peer] = outgoing_counts_[peer] | (static_cast<std::uint64_t>(mine) << kConditionShift);
  core::all_to_all(comm_, std::span<const std::uint64_t>(words_out_), std::span<std::uint64_t>(words_in_));

  Verdict verdict;
  for (std::size_t source = 0; source < words_in_.size(); ++source) {
    incoming_offsets_[source + 1] = incoming_offsets_[source] + (words_in_[source] & kCountMask);
    const auto condition = static_cast<Condition>(words_in_[source] >> kConditionShift);
    verdict.all_dry = verdict.all_dry && condition == Condition::dry;
    verdict.any_failed_at_place = verdict.any_failed_at_place || condition == Condition::failed_at_place;
    verdict.any_failed = verdict.any_failed || condition >= Condition::failed;
  }
  return verdict;
}

void RoundChannel::start(std::span<const void* const> outgoing, void* incoming) {
  // All receives first, so that every message finds its place; then the sends, each rank beginning with the one after
  // itself, so that not all of them fall upon rank 0 together.
  receives_.clear();
  for (std::size_t source = 0; source < words_in_.size(); ++source) {
    first_receive_[source] = receives_.size();
    core::for_each_piece(incoming_count(source), [&](std::size_t first, int length) {
      std::byte* const target = static_cast<std::byte*>(incoming) + (incoming_offsets_[source] + first) * item_bytes_;
      receives_.push_back(core::Request::receive(comm_, target, static_cast<std::size_t>(length), item_type_,
                                                 static_cast<int>(source), kItemsTag));
    });
  }
  first_receive_.back() = receives_.size();

  sends_.clear();
  for (int step = 1; step < comm_.size(); ++step) {
    const int destination = (comm_.rank() + step) % comm_.size();
    const auto index = static_cast<std::size_t>(destination);
    core::for_each_piece(outgoing_counts_[index], [&](std::size_t first, int length) {
      const std::byte* const source = static_cast<const std::byte*>(outgoing[index]) + first * item_bytes_;
      sends_.push_back(
          core::Request::send(comm_, source, static_cast<std::size_t>(length), item_type_, destination, kItemsTag));
    });
  }
}

void RoundChannel::wait_for(std::size_t source) {
  for (std::size_t i = first_receive_[source]; i < first_receive_[source + 1]; ++i) receives_[i].wait();
}

void RoundChannel::finish_sends() {
  core::wait_all(sends_);
}

} // namespace collectives::detail
