#include "pregel/engine/superstep_loop.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "pregel/engine/progress.hpp"
#include "pregel/engine/spectator.hpp"
#include "pregel/engine/trace.hpp"

namespace pregel {
namespace {

// Words in front of the aggregators in the reduction at the barrier.
enum ControlWord : std::size_t {
  kFailed,
  kComputed,
  kWoken,
  kStillActive,
  kPublished,
  kSent,
  kDirect,
  kStop,
  kControlWords
};

} // namespace

SuperstepLoop::SuperstepLoop(const DistributedGraph& graph, core::ThreadTeam& team, RunOptions options)
    : graph_(graph), team_(team), options_(std::move(options)), straggler_(options_.slowness) {}

SuperstepLoop::~SuperstepLoop() = default;

RunReport SuperstepLoop::run() {
  if (!options_.trace_file.empty() || !options_.trace_vertices_file.empty())
    trace_ = std::make_unique<TraceWriter>(*graph_.comm, options_);
  if (options_.progress && graph_.comm->rank() == 0) progress_ = std::make_unique<ProgressLine>();
  if (options_.spectator != nullptr)
    rank_times_ = std::make_unique<RankTimesExchange>(*graph_.comm, *options_.spectator);
  sums_.assign(kControlWords + board_.sum_words(), 0);
  maxima_.assign(board_.max_words(), 0);

  RunReport report;
  begin_or_restore(report);
  if (options_.spectator != nullptr) options_.spectator->begin(report);
  core::barrier(*graph_.comm);
  run_time_ = core::Stopwatch();
  for (;; ++superstep_) {
    if (options_.checkpointer != nullptr) save_if_due(report);
    core::Stopwatch phase;
    SuperstepReport row;
    row.superstep = superstep_;

    SuperstepCounts mine;
    const std::optional<core::LocalFailure> failure = compute_guarded(mine);
    row.compute_seconds = end_of(core::Timeline::Kind::compute, phase);

    synchronise(mine, failure);
    row.wait_seconds = end_of(core::Timeline::Kind::wait, phase);

    row.active = totals_.computed;
    row.sent = totals_.sent + totals_.direct;
    row.mode = mode_;
    if (!report.per_superstep.empty()) report.per_superstep.back().wakeups = totals_.woken;
    remember_aggregates(report);

    const bool last = finished();
    if (last && !trace_)
      discard_messages();
    else
      deliver(row, report);
    row.exchange_seconds = end_of(core::Timeline::Kind::exchange, phase);
    if (trace_) trace(row);

    report.compute_seconds += row.compute_seconds;
    report.per_superstep.push_back(row);
    if (progress_) progress_->show(row);
    if (options_.spectator != nullptr) {
      rank_times_->add(row);
      options_.spectator->superstep(row, report);
    }
    if (last) break;
  }
  report.run_seconds = earlier_seconds_ + core::all_reduce_value(*graph_.comm, run_time_.seconds(), core::Reduce::max);
  if (trace_) trace_->commit();
  if (progress_) progress_->finish();
  fill_known_deliveries(report);
  return report;
}

std::optional<core::LocalFailure> SuperstepLoop::compute_guarded(SuperstepCounts& mine) {
  try {
    enter(Phase::compute);
    const core::Stopwatch watch;
    begin_superstep();
    mine = compute();
    straggler_.stretch(watch);
    return std::nullopt;
  } catch (...) {
    return core::describe_current_exception(); // told to everybody in synchronise()
  }
}

void SuperstepLoop::synchronise(const SuperstepCounts& mine, const std::optional<core::LocalFailure>& failure) {
  sums_[kFailed] = failure ? 1 : 0;
  sums_[kComputed] = static_cast<std::int64_t>(mine.computed);
  sums_[kWoken] = static_cast<std::int64_t>(mine.woken);
  sums_[kStillActive] = static_cast<std::int64_t>(mine.still_active);
  sums_[kPublished] = static_cast<std::int64_t>(mine.published);
  sums_[kSent] = static_cast<std::int64_t>(mine.sent);
  sums_[kDirect] = static_cast<std::int64_t>(mine.direct);
  sums_[kStop] = options_.monitor != nullptr && options_.monitor->stop_requested() ? 1 : 0;
  enter(Phase::barrier);
  const std::span<std::int64_t> sums(sums_), maxima(maxima_);
  board_.pack(sums.subspan(kControlWords), maxima);
  if (rank_times_)
    rank_times_->all_reduce_with(sums);
  else
    core::all_reduce(*graph_.comm, sums, core::Reduce::sum);
  if (sums_[kFailed] != 0) core::agree_on_failure(*graph_.comm, failure);
  if (!maxima.empty()) core::all_reduce(*graph_.comm, maxima, core::Reduce::max);
  take_reduced_words();
}

void SuperstepLoop::take_reduced_words() {
  board_.unpack(std::span<const std::int64_t>(sums_).subspan(kControlWords), maxima_);
  const auto word = [&](ControlWord w) { return static_cast<std::uint64_t>(sums_[w]); };
  totals_ = {word(kComputed), word(kWoken), word(kStillActive), word(kPublished), word(kSent), word(kDirect)};
  stop_agreed_ = word(kStop) != 0;
}

bool SuperstepLoop::finished() {
  MasterContext context(board_, superstep_, graph_.vertex_count, totals_.sent + totals_.direct);
  master(context);
  if (context.halted() || superstep_ + 1 >= options_.max_supersteps) return true;
  if (context.wakes_all() && graph_.vertex_count != 0) {
    wake_all();
    return false;
  }
  return totals_.still_active == 0 && totals_.sent == 0 && totals_.direct == 0;
}

void SuperstepLoop::deliver(SuperstepReport& row, RunReport& report) {
  const bool all_published = totals_.published == graph_.vertex_count;
  if (totals_.sent == 0 && totals_.direct == 0) {
    discard_messages();
    row.delivered = 0;
  } else {
    enter(Phase::exchange);
    const ExchangeVolume volume = exchange(all_published, totals_.direct != 0);
    report.values_sent += volume.values;
    report.bytes_sent += volume.bytes;
    row.all_published = all_published && totals_.direct == 0;
  }
}

void SuperstepLoop::enter(Phase phase) {
  if (options_.monitor != nullptr) options_.monitor->entering(phase, superstep_);
  if (options_.timeline != nullptr)
    options_.timeline->working_for(
        phase == Phase::exchange ? core::Timeline::Kind::exchange : core::Timeline::Kind::compute, superstep_);
}

/// Seconds of the phase that ends now.
double SuperstepLoop::end_of(core::Timeline::Kind kind, core::Stopwatch& phase) {
  const double seconds = phase.lap();
  if (options_.timeline != nullptr) options_.timeline->add(kind, seconds, phase.started(), superstep_);
  return seconds;
}

void SuperstepLoop::trace(SuperstepReport& row) {
  const TraceDetails details = core::agree(*graph_.comm, [&] { return trace_details(trace_->wants_vertices()); });
  row.delivered = core::all_reduce_value(*graph_.comm, details.delivered, core::Reduce::sum);
  row.wakeups = core::all_reduce_value(*graph_.comm, details.wakeups, core::Reduce::sum);
  trace_->write(row, details, board_);
}

void SuperstepLoop::remember_aggregates(RunReport& report) const {
  for (auto& [name, value] : board_.named_values()) {
    const auto known = std::find_if(report.aggregates.begin(), report.aggregates.end(),
                                    [&, &n = name](const auto& a) { return a.first == n; });
    if (known == report.aggregates.end())
      report.aggregates.emplace_back(name, value);
    else
      known->second = value;
  }
}

/// Where all vertices publish, what is delivered is a property of the graph: one message for each arc, or with a
/// combiner for each pair of a target and a rank that has senders to it. Counted once, after the clock has stopped.
void SuperstepLoop::fill_known_deliveries(RunReport& report) const {
  if (trace_ || std::ranges::none_of(report.per_superstep, &SuperstepReport::all_published)) return;
  std::uint64_t delivered = 0;
  std::vector<std::uint32_t> seen(static_cast<std::size_t>(graph_.comm->size()), ~0U);
  if (combining()) {
    std::vector<std::uint32_t> owner(graph_.slot_count());
    for (std::uint32_t s = 0; s < graph_.slot_count(); ++s)
      owner[s] = static_cast<std::uint32_t>(graph_.owner_of(Slot{s}));
    for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
      for (const Slot slot : graph_.in_arcs.row(v)) {
        std::uint32_t& last_target = seen[owner[index(slot)]];
        delivered += last_target != v;
        last_target = v;
      }
    }
  } else {
    delivered = graph_.in_arcs.entries.size();
  }
  delivered = core::all_reduce_value(*graph_.comm, delivered, core::Reduce::sum);
  for (SuperstepReport& row : report.per_superstep) {
    if (row.all_published) row.delivered = delivered;
  }
}

} // namespace pregel
