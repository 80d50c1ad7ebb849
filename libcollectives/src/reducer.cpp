#include "reducer.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/all_to_all.hpp"
#include "algorithms/halving_doubling.hpp"
#include "algorithms/naive_ring.hpp"
#include "algorithms/recursive_doubling.hpp"
#include "algorithms/reduce_broadcast.hpp"

namespace collectives::detail {
namespace {

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto* const first = static_cast<const std::byte*>(a);
  const auto* const second = static_cast<const std::byte*>(b);
  return std::less<>()(first, second + b_bytes) && std::less<>()(second, first + a_bytes);
}

void require_apart(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  if (overlap(a, a_bytes, b, b_bytes))
    throw core::Error("all-reduce: input and output overlap without being the same memory");
}

/// Input and output may be the same memory, or a chunk its place in the whole; else they have nothing in common.
void require_buffers_apart(const Call& call, const Chunk& own) {
  const std::size_t whole = call.bytes(call.count), part = call.bytes(own.count);
  if (whole == 0) return;
  switch (call.kind) {
    case Kind::all_reduce:
      if (call.input() != call.output) require_apart(call.input(), whole, call.output, whole);
      break;
    case Kind::reduce_scatter:
      if (call.input() + call.bytes(own.first) != call.output) require_apart(call.input(), whole, call.output, part);
      break;
    case Kind::all_gather:
      if (call.output + call.bytes(own.first) != call.input()) require_apart(call.input(), part, call.output, whole);
      break;
    case Kind::all_reduce_many:
      for (const std::byte* const addend : call.addends) require_apart(addend, whole, call.output, whole);
  }
}

/// With the fingerprints first.
Task checked(Call& call, Reducer& reducer, const Group& group) {
  co_await exchange_fingerprints(call, group);
  co_await reducer.task_for(call);
}
Task checked_on_node(Call& call, Reducer& reducer, NodeMemory& node) {
  {
    NodeMemory::Turn turn(node, call.check_ticket);
    co_await until(call, turn);
    node.board().arrive(call.note);
    NodeMemory::Round round(node);
    co_await until(call, round);
    require_equal_notes(call, node);
  }
  co_await reducer.task_for(call);
}

} // namespace

void Reducer::run(const Order& order) {
  Call& call = take_call();
  try {
    prepare(call, order);
  } catch (...) {
    give_back(call);
    throw;
  }
  begin(call, true);
  conclude(call);
}

Call& Reducer::start(const Order& order) {
  Call& call = take_call();
  try {
    prepare(call, order);
  } catch (...) {
    give_back(call);
    throw;
  }
  running_.push_back(&call);
  begin(call, false);
  return call;
}

/// Calls that are under way at the same time have different tags, so one that would have the tags of a background call
/// (a few hundred have been started since) first waits for it, on all ranks alike.
void Reducer::await_tags_of(std::uint64_t number) {
  for (;;) {
    const bool free = std::ranges::none_of(
        running_, [&](const Call* call) { return !call->task.done() && number - call->number >= kCallsInTags; });
    if (free) return;
    advance_others(nullptr);
    require_usable();
    poke_mpi();
    if (!core::yield_core()) nap(longest_sleep());
  }
}

Call& Reducer::take_call() {
  require_usable();
  await_tags_of(calls_started_);
  if (idle_.empty()) {
    calls_.push_back(std::make_unique<Call>());
    idle_.reserve(calls_.size()); // so that giving back cannot fail
    idle_.push_back(calls_.back().get());
  }
  Call& call = *idle_.back();
  idle_.pop_back();
  return call;
}

void Reducer::give_back(Call& call) noexcept {
  call.task.clear();
  call.suspended = nullptr;
  std::erase(running_, &call);
  idle_.push_back(&call);
}

/// Everything that needs no other rank; what is wrong with the arguments is thrown here, before anything has begun.
void Reducer::prepare(Call& call, const Order& order) {
  const Operation operation =
      order.function != nullptr ? Operation::user : order.operation.value_or(options_.operation);
  const std::size_t workers = order.layout != nullptr ? order.layout->workers() : static_cast<std::size_t>(size());
  if (order.function != nullptr) {
    call.function = *order.function;
    call.reduction = Reduction::of_user(order.element_bytes, call.function);
  } else if (order.kind == Kind::all_gather) {
    call.reduction = Reduction::none(order.element_bytes);
  } else {
    call.reduction = Reduction::of(order.type, operation, workers, options_.exact);
  }
  call.kind = order.kind;
  call.count = order.count;
  call.layout = order.layout;
  call.output = static_cast<std::byte*>(order.output);
  call.addends.clear();
  for (const void* const addend : order.addends) call.addends.push_back(static_cast<const std::byte*>(addend));
  if (order.layout != nullptr && order.layout->workers_of(rank()) != call.addends.size())
    throw core::Error(fmt::format("all_reduce_many: {} vectors for {} workers of rank {}", call.addends.size(),
                                  order.layout->workers_of(rank()), rank()));
  require_buffers_apart(call, chunk_of(call.count, size(), rank()));

  const TuningRow choice = choose(order.kind, order.type, operation, call.bytes(call.count));
  const bool uses_node = choice.algorithm == Algorithm::shared_memory || choice.algorithm == Algorithm::hierarchical;
  call.algorithm = uses_node && !fits_blocks(call) ? Algorithm::all_to_all : choice.algorithm;
  call.segment_bytes = choice.segment_bytes;
  call.channels = choice.channels;
  const bool reduces = order.kind != Kind::all_gather;
  call.note = fingerprint(order.kind, order.type, call.reduction.element_bytes(), reduces ? operation : Operation::sum,
                          call.algorithm, order.layout != nullptr ? workers : 0, call.count);
  call.window.clear();
  call.asks_for_window = false;
  if (call.algorithm == Algorithm::shared_memory && order.kind == Kind::all_reduce) find_window(call);
  scale_addends(call);
  call.bytes_sent = call.steps = 0;
  call.around = this;
  call.interruption = nullptr;
}

/// Can the block of every node hold an element of each chunk, for all addends of a rank? Other calls go by messages.
bool Reducer::fits_blocks(const Call& call) const noexcept {
  return most_addends(call) * call.reduction.element_bytes() <= least_block_share_;
}

/// An average of 16-bit types scales what is added; in place where that is possible.
void Reducer::scale_addends(Call& call) {
  if (call.kind == Kind::all_gather || !call.reduction.scales_addends()) return;
  if (call.kind == Kind::all_reduce) {
    call.reduction.scale(call.output, call.input(), call.count);
    call.addends.front() = call.output;
    return;
  }
  const std::size_t bytes = call.bytes(call.count);
  std::byte* to = call.scaled.reserve(bytes * call.addends.size());
  for (const std::byte*& addend : call.addends) {
    call.reduction.scale(to, addend, call.count);
    addend = std::exchange(to, to + bytes);
  }
}

/// Is this a vector that the others can read where it is?
void Reducer::find_window(Call& call) {
  if (allocations_.empty()) return;
  call.asks_for_window = true; // also where this rank's vector is not: another one's may be
  if (call.input() != call.output || call.count == 0) return;
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    if (!allocation.window) continue;
    const std::byte* const begin = allocation.parts[static_cast<std::size_t>(node_->rank())];
    if (std::less<>()(call.output, begin) ||
        std::less<>()(begin + allocation.bytes, call.output + call.bytes(call.count)))
      continue;
    const auto offset = static_cast<std::size_t>(call.output - begin);
    for (std::byte* const part : allocation.parts) call.window.push_back(part + offset);
    constexpr unsigned kOffsetBits = 48;
    call.note.where = static_cast<std::uint64_t>(i + 1) << kOffsetBits | offset;
    return;
  }
}

void Reducer::begin(Call& call, bool blocking) {
  call.blocking = blocking;
  call.number = calls_started_++;
  const bool on_node = everybody_on_node();
  if (node_) { // in the order in which calls are started, on all ranks alike
    if (options_.check && on_node) call.check_ticket = node_->draw_ticket();
    if (call.algorithm == Algorithm::shared_memory || call.algorithm == Algorithm::hierarchical)
      call.ticket = node_->draw_ticket();
  }
  if (!options_.check || size() == 1)
    call.task = task_for(call);
  else
    call.task = on_node ? checked_on_node(call, *this, *node_) : checked(call, *this, everybody_);
  call.task.start();
}

Task Reducer::task_for(Call& call) {
  Vector vector{call.addends.empty() ? nullptr : call.input(), call.output, call.count, call.kind != Kind::all_gather,
                call.kind != Kind::reduce_scatter};
  switch (call.algorithm) {
    case Algorithm::naive_ring: return naive_ring(call, everybody_, vector);
    case Algorithm::reduce_broadcast: return reduce_broadcast(call, everybody_, vector);
    case Algorithm::recursive_doubling: return recursive_doubling(call, everybody_, vector);
    case Algorithm::halving_doubling: return halving_doubling(call, everybody_, vector);
    case Algorithm::chunked_ring: return chunked_ring(call, everybody_, vector);
    case Algorithm::shared_memory: return shared_memory(call, *node_, vector);
    case Algorithm::hierarchical: return hierarchical(call, *node_, across_, vector);
    case Algorithm::all_to_all:
    case Algorithm::automatic: break;
  }
  return all_to_all(call, everybody_, vector); // also alone: folds this rank's own addends
}

bool Reducer::test(Call& call) {
  or_abandon(call, [&] {
    advance_others(nullptr);
    if (call.task.done()) return;
    require_usable();
    poke_mpi(); // for messages that others wait for
  });
  if (!call.task.done()) return false;
  conclude(call);
  return true;
}

void Reducer::wait(Call& call) {
  or_abandon(call, [&] {
    core::PoliteWait wait = core::usual_wait(threads_on_node);
    for (;;) {
      advance_others(nullptr);
      if (call.task.done()) return;
      require_usable();
      wait.pause([&] { nap(longest_sleep()); }, [&] { poke_mpi(); });
    }
  });
  conclude(call);
}

/// When f throws, because another call or MPI has failed, the call shall not go on with buffers that the caller frees.
template <class F>
void Reducer::or_abandon(Call& call, F&& f) {
  try {
    f();
  } catch (...) {
    abandon(call);
    throw;
  }
}

void Reducer::advance_others(const Call* waiting) {
  for (Call* const call : running_) {
    if (call != waiting && !call->task.done() && call->advance()) note_failure(*call);
  }
}

/// After the end of a call: what it threw, if anything, is why the reducer cannot go on.
void Reducer::note_failure(const Call& call) {
  if (!call.task.error() || !broken_.empty()) return;
  try {
    call.task.rethrow();
  } catch (const std::exception& failure) {
    broken_ = failure.what();
  } catch (...) {
    broken_ = "an earlier call has failed";
  }
}

void Reducer::conclude(Call& call) {
  bytes_sent_ += call.bytes_sent;
  steps_ += call.steps;
  note_failure(call);
  const std::exception_ptr error = call.task.error();
  give_back(call);
  if (error) std::rethrow_exception(error);
}

void Reducer::abandon(Call& call) noexcept {
  // Also when it has ended here: on another rank it may not have, and what follows would wait for that rank.
  if (broken_.empty()) broken_ = "a call was abandoned";
  give_back(call);
}

void Reducer::require_usable() const {
  if (!broken_.empty()) throw core::Error(fmt::format("this all-reducer cannot be used any more: {}", broken_));
}

/// Lets MPI progress.
void Reducer::poke_mpi() const {
  int arrived = 0;
  core::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kRollCallTag, comm_.native(), &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::chrono::microseconds Reducer::longest_sleep() const noexcept {
  constexpr std::chrono::microseconds kBesideOthers{50}, kAlone{5000};
  return running_.empty() ? kAlone : kBesideOthers;
}

void Reducer::move_on(Call& waiting) {
  poke_mpi();
  if (running_.empty()) return;
  advance_others(&waiting);
  require_usable();
}

// A rank that waits too long may wait for one that waits itself. So half-way to the time-out every waiting rank tells
// all others that it is there, and which call it is in; whoever has not said so by the end of the time is the one that
// is missing.

void Reducer::announce(const Call& waiting) {
  announced_ = waiting.number;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank()) continue;
    // Eager, like any message of a few bytes, so nearly always complete at once. A peer that has died is noticed
    // elsewhere.
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&announced_, 1, MPI_UINT64_T, peer, kRollCallTag, comm_.native(), &request) != MPI_SUCCESS) continue;
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) MPI_Request_free(&request);
  }
}

std::vector<int> Reducer::not_heard_of(std::uint64_t call_number) {
  const auto calls_heard_of = [this](int peer) -> std::uint64_t& {
    return calls_heard_of_[static_cast<std::size_t>(peer)];
  };
  calls_heard_of_.resize(static_cast<std::size_t>(size()));
  for (;;) {
    int arrived = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kRollCallTag, comm_.native(), &arrived, &status) != MPI_SUCCESS || arrived == 0)
      break;
    std::uint64_t number = 0;
    if (MPI_Recv(&number, 1, MPI_UINT64_T, status.MPI_SOURCE, kRollCallTag, comm_.native(), &status) != MPI_SUCCESS)
      break;
    calls_heard_of(status.MPI_SOURCE) = std::max(calls_heard_of(status.MPI_SOURCE), number + 1);
  }
  std::vector<int> silent;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != rank() && calls_heard_of(peer) <= call_number) silent.push_back(peer);
  }
  return silent;
}

void Reducer::give_up(const Call& waiting, std::vector<int> missing) {
  const std::vector<int> silent = not_heard_of(waiting.number);
  std::vector<int> named;
  std::set_intersection(missing.begin(), missing.end(), silent.begin(), silent.end(), std::back_inserter(named));
  if (named.empty()) named = silent.empty() ? missing : silent;
  throw SilentRankError(
      fmt::format("rank {} has waited {:g} s in collective call {} ({}) for rank{} {}", rank(), timeout_seconds,
                  waiting.number, name_of(waiting.algorithm), named.size() == 1 ? "" : "s", fmt::join(named, ", ")),
      named);
}

} // namespace collectives::detail
