// The engine: runs a vertex program on this rank's part of a graph, in the loop of superstep_loop.hpp.
//
// How a superstep's messages reach compute() is chosen by every rank for itself, by the number of arcs to look at:
//   PULL  each vertex folds over its in-arcs, skipping slots that did not publish. Fold and compute are one loop: a
//   combined
//         message lives in a register. For supersteps in which many vertices sent.
//   PUSH  each published slot walks its arcs to local vertices and combines into their accumulators; then the touched
//   vertices
//         compute. For supersteps in which few sent. Order: if the combiner cares, slots are walked in ascending global
//         id.
//   LIST  messages are listed by (target, sender), then read in that order: no combiner, or messages to given ids.
// All three fold a vertex's messages in ascending order of the sender's id, so the choice cannot change a bit.
//
// Threads: a vertex is computed by one thread, and mostly by the one that owns its range (thread_ranges.hpp), which has
// touched its arcs, value and message slot first. PULL takes pieces of ranges, a thread's own before those of others;
// PUSH keeps to the ranges: each thread walks all published slots but only their targets in its range (found by binary
// search: rows are sorted).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/first_touch.hpp"
#include "core/thread_team.hpp"
#include "core/timeline.hpp"
#include "pregel/engine/direct_messages.hpp"
#include "pregel/engine/program.hpp"
#include "pregel/engine/serialized_boundary.hpp"
#include "pregel/engine/superstep_loop.hpp"
#include "pregel/engine/trace.hpp"
#include "pregel/engine/vertex.hpp"
#include "pregel/engine/vertex_set.hpp"
#include "pregel/engine/worker.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/thread_ranges.hpp"

namespace pregel {

/// What PULL knows about the senders of a vertex.
enum class Senders {
  all,     ///< every slot has published
  some,    ///< look at the set
  neutral, ///< silent slots hold the neutral message
};

template <class P>
class Engine final : public SuperstepLoop {
  static_assert(VertexProgram<P>, "compute(Vertex<P>&, std::span<const Message>, Context&) const is missing");
  static_assert(!std::is_same_v<typename P::Value, bool>,
                "use a byte: vector<bool> packs bits that threads would share");

 public:
  using Value = typename P::Value;
  using Message = typename P::Message;

  /// `graph` and `team` must outlive the engine. Local.
  Engine(const DistributedGraph& graph, P program, core::ThreadTeam& team, RunOptions options)
      : SuperstepLoop(graph, team, std::move(options)),
        program_(std::move(program)),
        ranges_(graph.in_arcs.offsets, team.size()),
        incoming_(graph),
        outgoing_(graph),
        active_(graph.local_count),
        next_active_(graph.local_count),
        touched_(graph.local_count),
        boundary_(graph) {
    AggregatorRegistry registry;
    if constexpr (DeclaresAggregators<P>) program_.declare(registry);
    board_ = AggregatorBoard(registry.declarations(), team.size());
    for (int t = 0; t < team.size(); ++t) {
      workers_.emplace_back(Context(board_, board_.of_thread(t), graph.vertex_count, options_.seed));
    }
    make_room();
  }

  /// By LocalId.
  [[nodiscard]] std::span<const Value> values() const noexcept { return values_; }
  [[nodiscard]] std::span<Value> values() noexcept { return values_; }
  [[nodiscard]] const P& program() const noexcept { return program_; }

 private:
  friend class Vertex<P>;

  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  static constexpr bool kHasContent = !std::is_empty_v<Message>;
  // Below this many vertices or arcs a second thread costs more (about 5 microseconds to start) than it saves.
  static constexpr std::size_t kWorthThreads = 16384;
  // Vertices that PULL folds side by side.
  static constexpr std::uint32_t kLanes = 4;
  // Integers need no lanes: the compiler may reorder their folds and does, with vector gathers (WCC: 15 ms a superstep,
  // 22 with lanes).
  static constexpr bool kFoldLanes = std::is_floating_point_v<Message> && !SettlesVertices<P> && !OneIsEnough<P>;
  // An arc walked by PUSH costs about this many arcs walked by PULL: random writes instead of reads. Where PULL stops
  // at the first sender it looks at a small part of its arcs (GAP's direction-optimising BFS switches at 1/15).
  static constexpr double kPushCost = OneIsEnough<P> ? 15.0 : 4.0;

  /// The messages of one superstep: a value a slot, and which slots have published.
  struct Published {
    explicit Published(const DistributedGraph& graph) : set(graph.slot_count()) {}
    VertexSet set;
    core::HugeVector<Message> messages;
    bool all = false; // every vertex of the graph published: `set` need not be looked at
  };

  // ---- memory -------------------------------------------------------------------------------------------------

  /// Room in `vector` for what the vertices have, and behind it for `mirrors` more, touched first by the threads that
  /// will write it; mirrors, which the exchange writes and all threads read, by all in turn.
  template <class T>
  void place(core::HugeVector<T>& vector, std::size_t mirrors = 0) {
    vector.reserve(graph_.local_count + mirrors);
    core::first_touch(team_, vector.data(), ranges_.bounds());
    core::first_touch(team_, vector.data() + graph_.local_count,
                      std::span<const std::size_t>(core::even_bounds(mirrors, team_.size())));
  }
  void make_room() {
    if (options_.timeline != nullptr) options_.timeline->working_for(core::Timeline::Kind::load);
    place(values_);
    values_.resize(graph_.local_count);
    if constexpr (!AlwaysActive<P>) {
      place(last_computed_);
      last_computed_.assign(graph_.local_count, kNever);
    }
    if constexpr (kHasContent) {
      for (Published* published : {&incoming_, &outgoing_}) {
        place(published->messages, graph_.slot_count() - graph_.local_count);
        published->messages.resize(graph_.slot_count());
      }
    }
  }

  // ---- phases -------------------------------------------------------------------------------------------------

  SuperstepCounts compute() override {
    mode_ = superstep_ == 0 ? FoldMode::none : choose_mode();
    switch (mode_) {
      case FoldMode::none: visit_active(); break;
      case FoldMode::pull: pull(); break;
      case FoldMode::push: push(); break;
      case FoldMode::list: list(); break;
    }
    return end_of_compute();
  }

  ExchangeVolume exchange(bool all_published, bool any_direct) override {
    ExchangeVolume volume = boundary_.exchange(outgoing_.messages, outgoing_.set, all_published);
    if (all_published) outgoing_.set.clear();
    std::swap(incoming_, outgoing_);
    incoming_.all = all_published;
    direct_.clear();
    if (any_direct) volume += exchange_direct();
    return volume;
  }

  void discard_messages() override { outgoing_.set.clear(); }

  void begin_superstep() override {
    workers_[0].context.enter_superstep(superstep_);
    if constexpr (PreparesSupersteps<P>) program_.begin_superstep(std::as_const(workers_[0].context));
  }

  void master([[maybe_unused]] MasterContext& context) override {
    if constexpr (HasMaster<P>) program_.master(context);
  }

  void wake_all() override {
    if constexpr (!AlwaysActive<P>) {
      active_.clear();
      active_.insert_range(0, graph_.local_count);
      // A vertex that the master calls was not woken by a message: for the count of those it has just computed.
      std::fill(last_computed_.begin(), last_computed_.end(), static_cast<std::uint32_t>(superstep_));
    }
  }

  /// Closes a compute phase: merges the threads' counts and sets, and forgets the messages that were read.
  SuperstepCounts end_of_compute() {
    SuperstepCounts total;
    active_.clear();
    for (Worker<P>& worker : workers_) {
      total.computed += worker.counts.computed;
      total.woken += worker.counts.woken;
      total.still_active += worker.counts.still_active;
      total.published += worker.counts.published;
      total.sent += worker.counts.sent;
      total.direct += worker.counts.direct;
      outgoing_.set.account(worker.counts.published, worker.published, worker.listing);
      if constexpr (!AlwaysActive<P>) next_active_.account(worker.counts.still_active, worker.active, worker.listing);
      worker.counts = {};
    }
    if (total.published != graph_.local_count) outgoing_.set.relist_if_few();
    next_active_.relist_if_few();
    std::swap(active_, next_active_);
    if (!incoming_.all) incoming_.set.clear();
    incoming_.all = false;
    direct_.clear();
    return total;
  }

  [[nodiscard]] bool combining() const noexcept override { return HasCombiner<P> && options_.use_combiner; }

  [[nodiscard]] FoldMode choose_mode() const {
    const bool any_order = CombinesInAnyOrder<P> && combining();
    const bool can_push = graph_.arcs_from_slot.built();
    if (!direct_.empty()) return any_order && can_push ? FoldMode::push : FoldMode::list;
    if (incoming_.all) return FoldMode::pull;
    if (incoming_.set.empty()) return FoldMode::none;
    if (!can_push || (!any_order && !incoming_.set.listed())) return FoldMode::pull;
    const double share =
        static_cast<double>(totals_.sent) / static_cast<double>(std::max<std::uint64_t>(1, graph_.arc_count));
    if (share * kPushCost >= 1) return FoldMode::pull;
    return combining() ? FoldMode::push : FoldMode::list;
  }

  // ---- loops over vertices ------------------------------------------------------------------------------------

  /// Calls body(worker, begin, end) for all ranges, on all threads.
  template <class Body>
  void for_ranges(Body&& body) {
    for (Worker<P>& worker : workers_) worker.begin(superstep_, false);
    if (team_.size() == 1 || graph_.local_count < kWorthThreads) {
      body(workers_[0], std::uint32_t{0}, graph_.local_count);
      return;
    }
    ranges_.shared(team_, [&](int thread, std::uint32_t begin, std::uint32_t end) {
      body(workers_[static_cast<std::size_t>(thread)], begin, end);
    });
  }

  /// Calls body(worker, begin, end) once a thread with that thread's fixed range, or once with everything if `work` is
  /// little.
  template <class Body>
  void for_fixed_ranges(std::size_t work, Body&& body) {
    if (team_.size() == 1 || work < kWorthThreads) {
      for (Worker<P>& worker : workers_) worker.begin(superstep_, true);
      body(workers_[0], std::uint32_t{0}, graph_.local_count);
      return;
    }
    for (Worker<P>& worker : workers_) worker.begin(superstep_, false);
    ranges_.fixed(team_, [&](int thread, std::uint32_t begin, std::uint32_t end) {
      body(workers_[static_cast<std::size_t>(thread)], begin, end);
    });
  }

  /// Runs compute on one vertex.
  void visit(Worker<P>& worker, std::uint32_t v, std::span<const Message> messages) {
    ++worker.counts.computed;
    if constexpr (!AlwaysActive<P>) {
      worker.counts.woken += superstep_ > 0 && last_computed_[v] + std::uint64_t{1} != superstep_;
      last_computed_[v] = static_cast<std::uint32_t>(superstep_);
    }
    Vertex<P> vertex(*this, worker, LocalId{v});
    program_.compute(vertex, messages, worker.context);
    if constexpr (AlwaysActive<P>) {
      ++worker.counts.still_active;
    } else if (!vertex.halted()) {
      ++worker.counts.still_active;
      next_active_.set_bit(v);
      if (worker.listing) worker.active.push_back(v);
    }
  }

  [[nodiscard]] bool is_active(std::uint32_t v) const noexcept { return AlwaysActive<P> || active_.contains(v); }

  /// No messages: all vertices in superstep 0, later those that have not halted.
  void visit_active() {
    if (superstep_ == 0 || AlwaysActive<P>) {
      for_ranges([&](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t v = begin; v < end; ++v) visit(worker, v, {});
      });
    } else if (active_.listed() && (team_.size() == 1 || active_.count() < kWorthThreads)) {
      for (Worker<P>& worker : workers_) worker.begin(superstep_, true);
      for (const std::uint32_t v : active_.members()) visit(workers_[0], v, {});
    } else {
      for_ranges([&](Worker<P>& worker, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t v = begin; v < end; ++v) {
          if (active_.contains(v)) visit(worker, v, {});
        }
      });
    }
  }

  // ---- PULL ---------------------------------------------------------------------------------------------------

  /// The message that arc `a` with `weights` carries from a slot that published.
  template <class Weights>
  [[nodiscard]] Message message_along(const Weights& weights, std::uint64_t a, Slot from) const;
  /// Calls body(weights) with the fastest representation of the weights, or with ones if the program does not look at
  /// them.
  template <class Entry, class Body>
  void with_weights(const Rows<Entry>& rows, Body&& body) const;
  void pull();
  /// Gives every slot that did not publish the message that changes nothing.
  void neutralise_silent_slots();
  /// Folds v's in-arcs into `folded`; false if no sender published.
  template <Senders kSenders, class Weights>
  [[nodiscard]] bool fold(std::uint32_t v, const Weights& weights, Message& folded) const;
  template <Senders kSenders>
  void pull_combined();
  /// Folds and computes begin .. end-1: the hottest loop.
  template <Senders kSenders, class Weights>
  void pull_range(Worker<P>& worker, Weights weights, std::uint32_t begin, std::uint32_t end);
  void visit_pulled(Worker<P>& worker, std::uint32_t v, const Message& folded, bool any);
  /// Folds v .. v+kLanes-1 side by side; says for each whether a sender published.
  template <Senders kSenders, class Weights>
  [[nodiscard]] std::array<bool, kLanes> fold_lanes(std::uint32_t v, const Weights& weights,
                                                    std::array<Message, kLanes>& folded) const;
  void pull_listed();
  [[nodiscard]] bool needs_messages(std::uint32_t v) const;

  // ---- PUSH ---------------------------------------------------------------------------------------------------

  void push();
  void push_from(Worker<P>& worker, Slot slot, std::uint32_t begin, std::uint32_t end);
  void receive(Worker<P>& worker, std::uint32_t v, const Message& message);
  /// Computes this range's touched vertices and its other active ones, and leaves touched_ empty again.
  void visit_touched(Worker<P>& worker, std::uint32_t begin, std::uint32_t end);
  void sort_by_global_id(std::vector<std::uint32_t>& slots) const;

  // ---- LIST ---------------------------------------------------------------------------------------------------

  /// Adds the neighbour messages to the direct ones, orders all by (target, sender), and computes.
  void list();
  void list_from(Slot slot);
  void list_by_target();
  /// Adds a message to those of the vertex at hand; with a combiner there is at most one.
  void gather(Worker<P>& worker, const Message& message);

  // ---- messages -----------------------------------------------------------------------------------------------

  void publish(Worker<P>& worker, std::uint32_t v, const Message& message) {
    worker.counts.sent += graph_.out_degrees[v];
    if (!outgoing_.set.contains(v)) {
      if constexpr (kHasContent) outgoing_.messages[v] = message;
      outgoing_.set.set_bit(v);
      ++worker.counts.published;
      if (worker.listing) worker.published.push_back(v);
      return;
    }
    publish_again(v, message);
  }

  [[gnu::noinline]] void publish_again(std::uint32_t v, const Message& message) {
    if constexpr (HasCombiner<P>) {
      if constexpr (kHasContent) outgoing_.messages[v] = program_.combine(outgoing_.messages[v], message);
    } else {
      throw GraphError("vertex " + std::to_string(number(graph_.slot_ids[v])) +
                       " called send_to_neighbors() twice in a superstep, and its program has no combiner");
    }
  }

  ExchangeVolume exchange_direct() {
    std::vector<DirectMessage<Message>> outbox = core::agree(*graph_.comm, [&] { return collect_outbox(); });
    return direct_.exchange(graph_, std::move(outbox), options_.unknown_target, superstep_);
  }

  /// All threads' direct messages, combined by target where the combiner allows it. Local; combine() may throw.
  [[nodiscard]] std::vector<DirectMessage<Message>> collect_outbox() {
    std::vector<DirectMessage<Message>> outbox = std::move(workers_[0].outbox);
    workers_[0].outbox.clear();
    for (Worker<P>& worker : std::span(workers_).subspan(1)) {
      outbox.insert(outbox.end(), worker.outbox.begin(), worker.outbox.end());
      worker.outbox.clear();
    }
    if constexpr (CombinesInAnyOrder<P>) {
      if (options_.use_combiner)
        combine_by_target(outbox, [&](const Message& a, const Message& b) { return program_.combine(a, b); });
    }
    return outbox;
  }

  // ---- checkpoints --------------------------------------------------------------------------------------------

  [[nodiscard]] const char* why_not_saved() const noexcept override;
  [[nodiscard]] std::string save_program() const override;
  void load_program(const std::string& bytes) override;
  [[nodiscard]] core::checkpoint::Part save_tables() const override;
  void load_tables(const core::checkpoint::Part& part) override;
  void refill_mirrors(bool all_published) override;

  // ---- trace --------------------------------------------------------------------------------------------------

  TraceDetails trace_details(bool describe_vertices) override;
  /// The messages that reach v at this barrier, uncombined, and the rank that sent each.
  void collect_deliveries(std::uint32_t v, std::vector<Message>& messages, std::vector<int>& senders) const;
  /// With a combiner, what one rank sent to one target counts once.
  [[nodiscard]] std::uint64_t count_deliveries(std::vector<int>& senders) const;
  [[nodiscard]] std::string describe_all(const std::vector<Message>& messages) const;
  template <class T>
  [[nodiscard]] static std::string describe(const T& x);

  P program_;
  ThreadRanges ranges_;
  core::HugeVector<Value> values_;
  Published incoming_, outgoing_;
  VertexSet active_, next_active_;                // who has not halted; unused where all always are
  core::HugeVector<std::uint32_t> last_computed_; // superstep in which each vertex last ran compute
  core::HugeVector<Message> inbox_;               // PUSH accumulators
  VertexSet touched_;                             // PUSH: inbox_[v] is valid
  std::vector<std::uint32_t> push_order_;
  DirectMessages<Message> direct_;
  BoundaryFor<Message> boundary_;
  std::vector<Worker<P>> workers_;
};

template <class P>
GlobalId Vertex<P>::id() const noexcept {
  return engine_.graph_.slot_ids[index(local_)];
}
template <class P>
std::uint32_t Vertex<P>::degree() const noexcept {
  return engine_.graph_.out_degrees[index(local_)];
}
template <class P>
typename P::Value& Vertex<P>::value() noexcept {
  return engine_.values_[index(local_)];
}
template <class P>
const typename P::Value& Vertex<P>::value() const noexcept {
  return engine_.values_[index(local_)];
}
template <class P>
OutEdgeRange Vertex<P>::edges() const {
  const Rows<GlobalId>& rows = engine_.graph_.out_edges;
  if (!rows.built()) throw GraphError("vertex.edges() needs a graph that was built with GraphNeeds::out_edges");
  return {rows, local_};
}
template <class P>
void Vertex<P>::send_to_neighbors(const Message& message) {
  engine_.publish(worker_, index(local_), message);
}
template <class P>
void Vertex<P>::send(GlobalId target, const Message& message) {
  worker_.outbox.push_back({target, id(), message});
  ++worker_.counts.direct;
}

} // namespace pregel

#include "pregel/engine/engine_list.hpp"  // IWYU pragma: export
#include "pregel/engine/engine_pull.hpp"  // IWYU pragma: export
#include "pregel/engine/engine_push.hpp"  // IWYU pragma: export
#include "pregel/engine/engine_state.hpp" // IWYU pragma: export
#include "pregel/engine/engine_trace.hpp" // IWYU pragma: export
