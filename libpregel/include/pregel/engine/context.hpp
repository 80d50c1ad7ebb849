// What a vertex and the master see of the job.
#pragma once

#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "pregel/engine/aggregators.hpp"
#include "pregel/graph/types.hpp"

namespace pregel {

/// The job as seen by one thread of one rank during a superstep.
class Context {
 public:
  Context(const AggregatorBoard& board, Accumulator* accumulators, std::uint64_t vertices, std::uint64_t seed)
      : board_(&board), accumulators_(accumulators), vertex_count_(vertices), seed_(seed) {}

  [[nodiscard]] std::uint64_t superstep() const noexcept { return superstep_; }
  /// Vertices of the whole graph.
  [[nodiscard]] std::uint64_t vertex_count() const noexcept { return vertex_count_; }

  /// Feeds an aggregator; readable by everybody in the next superstep.
  template <Aggregatable T, AggregateKind Kind>
  void aggregate(AggregatorHandle<T, Kind> handle, std::type_identity_t<T> x) noexcept {
    accumulators_[handle.index].template feed<T, Kind>(x);
  }
  /// The value fed during the previous superstep; nothing if nobody fed it.
  template <Aggregatable T, AggregateKind Kind>
  [[nodiscard]] std::optional<T> aggregated(AggregatorHandle<T, Kind> handle) const noexcept {
    return board_->reduced(handle.index).template value<T, Kind>();
  }
  /// Random numbers that depend on the seed, the vertex and the superstep only.
  [[nodiscard]] core::CounterRandom random(GlobalId id) const noexcept {
    return core::CounterRandom(seed_, number(id), superstep_);
  }

  void enter_superstep(std::uint64_t superstep) noexcept { superstep_ = superstep; }

 private:
  const AggregatorBoard* board_;
  Accumulator* accumulators_;
  std::uint64_t superstep_ = 0;
  std::uint64_t vertex_count_;
  std::uint64_t seed_;
};

/// What master() sees after the barrier of a superstep: the same on every rank, so that its decisions need no message.
class MasterContext {
 public:
  MasterContext(const AggregatorBoard& board, std::uint64_t superstep, std::uint64_t vertices, std::uint64_t messages)
      : board_(&board), superstep_(superstep), vertex_count_(vertices), messages_sent_(messages) {}

  /// The superstep that has just ended.
  [[nodiscard]] std::uint64_t superstep() const noexcept { return superstep_; }
  [[nodiscard]] std::uint64_t vertex_count() const noexcept { return vertex_count_; }
  /// Messages sent in it, by all vertices.
  [[nodiscard]] std::uint64_t messages_sent() const noexcept { return messages_sent_; }
  /// The value fed in it; nothing if nobody fed it.
  template <Aggregatable T, AggregateKind Kind>
  [[nodiscard]] std::optional<T> aggregated(AggregatorHandle<T, Kind> handle) const noexcept {
    return board_->reduced(handle.index).template value<T, Kind>();
  }
  /// Ends the job after this superstep.
  void halt() noexcept { halted_ = true; }
  [[nodiscard]] bool halted() const noexcept { return halted_; }
  /// All vertices compute in the next superstep, whether they have voted to halt or not: a new phase begins.
  void wake_all() noexcept { wakes_all_ = true; }
  [[nodiscard]] bool wakes_all() const noexcept { return wakes_all_; }

 private:
  const AggregatorBoard* board_;
  std::uint64_t superstep_, vertex_count_, messages_sent_;
  bool halted_ = false;
  bool wakes_all_ = false;
};

} // namespace pregel
