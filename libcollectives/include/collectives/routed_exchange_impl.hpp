// The typed half of routed_exchange(): the stage that push() writes to, and the loop of rounds. The messages are in
// routed_exchange.cpp.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/agreement.hpp"
#include "core/request.hpp"

namespace collectives::detail {

/// Room for items that nobody has initialised: pages that are never written cost no memory.
template <class T>
class RawBuffer {
 public:
  RawBuffer() = default;
  explicit RawBuffer(std::size_t items) : items_(std::allocator<T>().allocate(items), Release{items}) {}
  [[nodiscard]] T* data() const noexcept { return items_.get(); }
  /// Makes room for `items` items; the content is lost when it grows.
  void require(std::size_t items) {
    if (items <= size()) return;
    items_.reset();
    *this = RawBuffer(items);
  }
  [[nodiscard]] std::size_t size() const noexcept { return items_ ? items_.get_deleter().items : 0; }

 private:
  struct Release {
    std::size_t items = 0;
    void operator()(T* pointer) const noexcept { std::allocator<T>().deallocate(pointer, items); }
  };
  std::unique_ptr<T, Release> items_{nullptr, Release{}};
};

/// The items of a round by destination: segments of equal capacity in one block. A segment is full at its threshold;
/// behind it is slack for what the current produce call still pushes.
template <class T>
class RoutedStage {
 public:
  RoutedStage(int ranks, int self, std::size_t items_per_round)
      : self_(static_cast<std::size_t>(self)), segments_(static_cast<std::size_t>(ranks)) {
    remote_threshold_ = std::max<std::size_t>(1, items_per_round / segments_.size());
    local_threshold_ = std::min(remote_threshold_, std::max<std::size_t>(1, kLocalBytes / sizeof(T)));
    capacity_ = remote_threshold_ + kSlack;
    block_ = RawBuffer<T>(capacity_ * segments_.size());
    clear();
  }

  void push(int destination, const T& item) {
    assert(destination >= 0 && static_cast<std::size_t>(destination) < segments_.size());
    Segment& segment = segments_[static_cast<std::size_t>(destination)];
    if (segment.next == segment.end) [[unlikely]]
      make_room(segment);
    std::construct_at(segment.next, item);
    ++segment.next;
  }

  /// A segment for another rank has reached its threshold: time for a round.
  [[nodiscard]] bool remote_full() const noexcept { return remote_full_; }
  /// The segment for this rank has reached its threshold.
  [[nodiscard]] bool local_full() const noexcept { return local_full_; }

  [[nodiscard]] std::span<const T> items_for(std::size_t destination) const noexcept {
    const T* const begin = segment_begin(destination);
    return {begin, static_cast<std::size_t>(segments_[destination].next - begin)};
  }
  [[nodiscard]] std::span<const T> local_items() const noexcept { return items_for(self_); }

  void clear_local() noexcept { reset(self_); }
  void clear() noexcept {
    for (std::size_t destination = 0; destination < segments_.size(); ++destination) reset(destination);
    remote_full_ = false;
  }

 private:
  static constexpr std::size_t kSlack = 4096;
  static constexpr std::size_t kLocalBytes = std::size_t{1} << 16;

  struct Segment {
    T* next;
    T* end; // where push() has to look: the threshold, later the end of the slack
  };

  [[nodiscard]] T* segment_begin(std::size_t destination) const noexcept {
    return block_.data() + destination * capacity_;
  }
  [[nodiscard]] std::size_t threshold(std::size_t destination) const noexcept {
    return destination == self_ ? local_threshold_ : remote_threshold_;
  }
  void reset(std::size_t destination) noexcept {
    T* const begin = segment_begin(destination);
    segments_[destination] = {begin, begin + threshold(destination)};
    if (destination == self_) local_full_ = false;
  }

  /// The segment has reached its threshold, or the end of its slack. Out of line, to keep push() small.
  [[gnu::noinline]] void make_room(Segment& segment) {
    const auto destination = static_cast<std::size_t>(&segment - segments_.data());
    (destination == self_ ? local_full_ : remote_full_) = true;
    if (segment.next == segment_begin(destination) + capacity_) enlarge();
    segment.end = segment_begin(destination) + capacity_;
  }

  void enlarge() {
    const std::size_t larger = 2 * capacity_;
    RawBuffer<T> block(larger * segments_.size());
    for (std::size_t destination = 0; destination < segments_.size(); ++destination) {
      const std::span<const T> items = items_for(destination);
      T* const begin = block.data() + destination * larger;
      std::uninitialized_copy(items.begin(), items.end(), begin);
      const std::size_t looked_at = static_cast<std::size_t>(segments_[destination].end - items.data());
      segments_[destination] = {begin + items.size(), begin + looked_at};
    }
    block_ = std::move(block);
    capacity_ = larger;
  }

  std::size_t self_;
  std::size_t remote_threshold_ = 0, local_threshold_ = 0, capacity_ = 0;
  std::vector<Segment> segments_;
  RawBuffer<T> block_;
  bool remote_full_ = false, local_full_ = false;
};

/// The messages of the rounds, untyped. One object serves one routed_exchange().
class RoundChannel {
 public:
  RoundChannel(const core::Communicator& comm, MPI_Datatype item_type, std::size_t item_bytes);

  /// What a rank says of itself beside its counts.
  enum class Condition : std::uint64_t { has_more = 0, dry = 1, failed = 2, failed_at_place = 3 };
  /// What all ranks know after an announcement.
  struct Verdict {
    bool all_dry = true;
    bool any_failed = false;
    bool any_failed_at_place = false; ///< with a core::OrderedInputError
  };

  /// Exchanges counts (the one for this rank itself is ignored) and conditions. Collective.
  [[nodiscard]] Verdict announce(std::span<const std::size_t> counts, Condition mine);
  /// After announce(): items that will arrive, and where those of `source` begin. Local.
  [[nodiscard]] std::size_t incoming_total() const noexcept { return incoming_offsets_.back(); }
  [[nodiscard]] std::size_t incoming_offset(std::size_t source) const noexcept { return incoming_offsets_[source]; }
  [[nodiscard]] std::size_t incoming_count(std::size_t source) const noexcept {
    return incoming_offsets_[source + 1] - incoming_offsets_[source];
  }

  /// Starts to receive into `incoming` and to send the announced items, which begin at outgoing[destination]. Local.
  void start(std::span<const void* const> outgoing, void* incoming);
  /// Returns when the items of `source` are there.
  void wait_for(std::size_t source);
  /// Returns when the outgoing items may be overwritten.
  void finish_sends();

 private:
  const core::Communicator& comm_;
  MPI_Datatype item_type_;
  std::size_t item_bytes_;
  std::vector<std::uint64_t> words_out_, words_in_;
  std::vector<std::size_t> outgoing_counts_, incoming_offsets_;
  std::vector<core::Request> sends_, receives_;
  std::vector<std::size_t> first_receive_; // of each source; one more at the end
};

/// Runs user code and keeps the first exception for the next agreement.
class FailureKeeper {
 public:
  template <class F>
  void run(F&& work) {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = core::describe_current_exception();
    }
  }
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  [[nodiscard]] const std::optional<core::LocalFailure>& failure() const noexcept { return failure_; }
  [[nodiscard]] RoundChannel::Condition condition(bool has_more) const noexcept {
    using Condition = RoundChannel::Condition;
    if (failure_) return failure_->order > 0 ? Condition::failed_at_place : Condition::failed;
    return has_more ? Condition::has_more : Condition::dry;
  }

 private:
  std::optional<core::LocalFailure> failure_;
};

/// Announces and delivers one round. Collective.
template <class T, class Consume>
RoundChannel::Verdict route_round(const core::Communicator& comm, RoutedStage<T>& stage, RoundChannel& channel,
                                  RawBuffer<T>& incoming, FailureKeeper& keeper, bool has_more, Consume& consume) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto self = static_cast<std::size_t>(comm.rank());
  std::vector<std::size_t> counts(ranks);
  std::vector<const void*> outgoing(ranks);
  for (std::size_t destination = 0; destination < ranks; ++destination) {
    counts[destination] = stage.items_for(destination).size();
    outgoing[destination] = stage.items_for(destination).data();
  }
  const RoundChannel::Verdict verdict = channel.announce(counts, keeper.condition(has_more));
  if (verdict.any_failed) return verdict;

  incoming.require(channel.incoming_total());
  channel.start(outgoing, incoming.data());
  for (std::size_t source = 0; source < ranks; ++source) {
    if (source != self) channel.wait_for(source);
    const std::span<const T> items =
        source == self
            ? stage.local_items()
            : std::span<const T>(incoming.data() + channel.incoming_offset(source), channel.incoming_count(source));
    if (!items.empty()) keeper.run([&] { consume(static_cast<int>(source), items); });
  }
  channel.finish_sends();
  stage.clear();
  return verdict;
}

} // namespace collectives::detail

namespace collectives {

template <core::Transferable T, class Produce, class Consume>
void routed_exchange(const core::Communicator& comm, Produce&& produce, Consume&& consume,
                     std::size_t items_per_round) {
  detail::RoutedStage<T> stage(comm.size(), comm.rank(), items_per_round);
  detail::RawBuffer<T> incoming;
  detail::RoundChannel channel(comm, core::datatype_of<T>(), sizeof(T)); // after its buffers: requests end first
  detail::FailureKeeper keeper;
  const auto push = [&stage](int destination, const T& item) { stage.push(destination, item); };

  bool has_more = true;
  for (bool all_dry = false; !all_dry;) {
    while (has_more && !keeper.failed() && !stage.remote_full()) {
      keeper.run([&] { has_more = produce(push); });
      if (!stage.local_full()) continue;
      keeper.run([&] { consume(comm.rank(), stage.local_items()); });
      stage.clear_local();
    }
    const auto verdict = detail::route_round(comm, stage, channel, incoming, keeper, has_more, consume);
    if (verdict.any_failed) {
      // Another rank's input may hold an earlier mistake than the one found first.
      while (verdict.any_failed_at_place && has_more && !keeper.failed()) {
        keeper.run([&] { has_more = produce(push); });
        stage.clear();
      }
      break;
    }
    all_dry = verdict.all_dry;
  }
  core::agree_on_failure(comm, keeper.failure());
}

} // namespace collectives
