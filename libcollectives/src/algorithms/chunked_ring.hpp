// Chunked ring: the vector is cut into m chunks. In m-1 steps of reduce-scatter every rank receives a partial chunk
// from its left neighbour, adds its own part, and sends it on; then it owns one chunk of the result. In m-1 steps of
// all-gather the finished chunks go round once more. All links are busy all the time, and each carries 2(m-1)/m n
// bytes, which no algorithm can undercut (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009, section 3).
//
// Cost for n bytes and m ranks: 2(m-1) alpha + 2(m-1)/m n beta + (m-1)/m n gamma; beta and gamma do not depend on m.
//
// A chunk travels in segments, and the steps form one stream of segments: while segment g is being added, segment g+1
// is being received, and what was added a step earlier is being sent on. So gamma hides behind beta, and the scratch
// memory is two segments. Each segment is sent as several messages at a time (`channels`): a transport with several
// connections to a neighbour then uses them all, and a single connection that serves one direction at a time keeps both
// directions of the link busy.
//
// Why this does not deadlock, though sends may wait for their receiver: on its way through segment i a rank waits for
// segment i to arrive and for sends of segments up to i only. Take the rank with the smallest i. Its left neighbour has
// come at least as far, so it has started to send i; its right neighbour has too, so it has posted receives up to i.
#pragma once

#include "vector.hpp"

namespace collectives::detail {

/// How far sending runs ahead of receiving, where the data are there: the first chunk is the rank's own.
inline constexpr std::size_t kSegmentsAhead = 2;
/// A message is worth splitting over channels above this.
inline constexpr std::size_t kLeastPart = 8192;

/// Where the segments of one rank's ring lie.
class RingSchedule {
 public:
  RingSchedule(const Call& call, const Group& group, const Vector& vector)
      : call_(call), vector_(vector), rank_(group.rank), size_(group.size) {
    const std::size_t longest = chunk_of(vector.count, size_, 0).count;
    segment_ = segment_elements(call, longest);
    per_step_ = longest == 0 ? 0 : (longest + segment_ - 1) / segment_;
    const auto around = static_cast<std::size_t>(size_ - 1);
    reducing_steps_ = vector.reduces ? around : 0;
    steps_ = reducing_steps_ + (vector.gathers ? around : 0);
  }

  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t total() const noexcept { return steps_ * per_step_; }
  [[nodiscard]] std::size_t per_step() const noexcept { return per_step_; }
  [[nodiscard]] std::size_t segment_bytes() const noexcept { return call_.bytes(segment_); }
  /// Segments until a place that was sent from is received into.
  [[nodiscard]] std::size_t until_overwritten() const noexcept {
    return static_cast<std::size_t>(size_ - 1) * per_step_;
  }
  [[nodiscard]] bool is_reducing(std::size_t g) const noexcept { return g / per_step_ < reducing_steps_; }
  [[nodiscard]] bool is_last_addition(std::size_t g) const noexcept { return g / per_step_ + 1 == reducing_steps_; }
  /// The temporary home of partial sums where the output has none: two chunks.
  [[nodiscard]] bool needs_home() const noexcept { return !vector_.gathers; }

  /// Elements of the g-th segment that is sent or received; chunks that are shorter may lack the last segment.
  [[nodiscard]] Chunk sent(std::size_t g) const noexcept { return elements(chunk_sent(g), g); }
  [[nodiscard]] Chunk received(std::size_t g) const noexcept { return elements(chunk_sent(g) - 1, g); }

  /// Where sent segment g is read from.
  [[nodiscard]] const std::byte* source(std::size_t g, std::byte* home) const noexcept {
    if (g >= per_step_) return place(g - per_step_, home);
    if (vector_.reduces) return vector_.input + call_.bytes(sent(g).first);
    return vector_.input + call_.bytes(g * segment_); // the input is the chunk itself
  }
  /// Where received segment g ends up.
  [[nodiscard]] std::byte* place(std::size_t g, std::byte* home) const noexcept {
    if (vector_.gathers) return vector_.output + call_.bytes(received(g).first);
    const std::size_t step = g / per_step_, within = g % per_step_ * segment_;
    if (is_last_addition(g)) return vector_.output + call_.bytes(within);
    return home + call_.bytes(step % 2 * per_step_ * segment_ + within);
  }

 private:
  [[nodiscard]] int chunk_sent(std::size_t g) const noexcept {
    // The last chunk that a rank adds to is its own.
    return rank_ - static_cast<int>(g / per_step_) - (vector_.reduces ? 1 : 0);
  }
  [[nodiscard]] Chunk elements(int chunk, std::size_t g) const noexcept {
    const Chunk whole = chunk_of(vector_.count, size_, wrapped(chunk, size_));
    const std::size_t at = std::min(whole.count, g % per_step_ * segment_);
    return {whole.first + at, std::min(segment_, whole.count - at)};
  }

  const Call& call_;
  Vector vector_;
  int rank_, size_;
  std::size_t segment_ = 1, per_step_ = 0, reducing_steps_ = 0, steps_ = 0;
};

/// Splits a segment over channels: calls part(offset, bytes, stream).
template <class F>
void for_each_part(const Call& call, std::size_t bytes, F&& part) {
  const std::size_t parts = std::clamp<std::size_t>(bytes / kLeastPart, 1, static_cast<std::size_t>(call.channels));
  const std::size_t length = ((bytes + parts - 1) / parts + 63) / 64 * 64;
  int stream = 0;
  for (std::size_t at = 0; at < bytes; at += length) part(at, std::min(length, bytes - at), stream++);
}

inline Task chunked_ring(Call& call, const Group& group, Vector vector) {
  const RingSchedule ring(call, group, vector);
  const int left = wrapped(group.rank - 1, group.size), right = wrapped(group.rank + 1, group.size);
  const std::size_t home_bytes = ring.needs_home() ? 2 * ring.per_step() * ring.segment_bytes() : 0;
  std::byte* const scratch = call.scratch.reserve(2 * ring.segment_bytes() + home_bytes);
  std::byte* const home = scratch + 2 * ring.segment_bytes();

  constexpr std::size_t kQueue = kSegmentsAhead + 2;
  Requests incoming[2], outgoing[kQueue]; // segment g is in [g % length]
  std::size_t sent = 0;
  const auto receive = [&](std::size_t g) {
    std::byte* const to = ring.is_reducing(g) ? scratch + g % 2 * ring.segment_bytes() : ring.place(g, home);
    for_each_part(call, call.bytes(ring.received(g).count), [&](std::size_t at, std::size_t bytes, int stream) {
      incoming[g % 2].receive(call, group, to + at, bytes, left, stream);
    });
  };
  // Awaits the send of segment g, unless its place in the queue already belongs to a later one.
  const auto has_left = [&](std::size_t g) { return g + kQueue < sent; };

  if (!vector.reduces)
    copy_bytes(vector.output + call.bytes(chunk_of(vector.count, group.size, group.rank).first), vector.input,
               call.bytes(chunk_of(vector.count, group.size, group.rank).count));
  if (ring.total() > 0) receive(0);
  for (std::size_t g = 0; g < ring.total(); ++g) {
    while (sent < ring.total() && sent <= g + kSegmentsAhead &&
           (sent < ring.per_step() || sent - ring.per_step() < g)) {
      co_await until(call, outgoing[sent % kQueue]);
      const std::byte* const from = ring.source(sent, home);
      for_each_part(call, call.bytes(ring.sent(sent).count), [&](std::size_t at, std::size_t bytes, int stream) {
        outgoing[sent % kQueue].send(call, group, from + at, bytes, right, stream);
      });
      ++sent;
    }
    if (g + 1 < ring.total()) {
      // A finished segment overwrites what was sent from its place.
      const std::size_t next = g + 1;
      if (!ring.is_reducing(next) && vector.reduces && !has_left(next - ring.until_overwritten()))
        co_await until(call, outgoing[(next - ring.until_overwritten()) % kQueue]);
      receive(next);
    }
    co_await until(call, incoming[g % 2]);
    if (!ring.is_reducing(g)) continue;
    if (ring.needs_home() && g >= ring.per_step() && !has_left(g - ring.per_step()))
      co_await until(call, outgoing[(g - ring.per_step()) % kQueue]);
    const Chunk part = ring.received(g);
    std::byte* const to = ring.place(g, home);
    call.reduction.combine(to, vector.input + call.bytes(part.first), scratch + g % 2 * ring.segment_bytes(),
                           part.count);
    if (ring.is_last_addition(g)) call.reduction.finish(to, part.count);
  }
  for (Requests& requests : outgoing) co_await until(call, requests);
  call.steps += ring.steps();
}

} // namespace collectives::detail
