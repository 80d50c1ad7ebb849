// Messages of a call: groups of sends and receives that are awaited together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "call.hpp"

namespace collectives::detail {

/// The ranks that an algorithm runs on: those of a communicator, with their numbers in the reducer.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::vector<int> numbers; ///< empty: the same as in the communicator

  [[nodiscard]] int number_of(int peer) const {
    return numbers.empty() ? peer : numbers[static_cast<std::size_t>(peer)];
  }
};

/// Streams keep messages between two ranks apart that are under way at the same time and might be confused. Messages of
/// one stream arrive in the order in which they were sent.
inline constexpr int kStreams = 32;
inline constexpr int kFingerprintStream = kStreams - 1;
/// A tag is the call's number modulo this, and the stream.
inline constexpr std::uint64_t kCallsInTags = 512;
/// Not part of any call: "I am here" (Reducer::announce). Below the 32767 that MPI promises.
inline constexpr int kRollCallTag = 32000;
static_assert(kCallsInTags * kStreams <= kRollCallTag);

/// Sends and receives under way. All functions are local.
///
/// Destroyed while some are incomplete (an exception is passing) it cancels the receives, gives all of them a moment to
/// end, and abandons them.
class Requests {
 public:
  Requests() = default;
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&&) = delete;
  ~Requests();

  /// Starts messages of `bytes` bytes, cut where a count would pass core::count_limit(); none for 0 bytes.
  void send(Call& call, const Group& group, const std::byte* data, std::size_t bytes, int peer, int stream);
  void receive(Call& call, const Group& group, std::byte* data, std::size_t bytes, int peer, int stream);

  /// True when all are complete; the group is then empty and can be used again. Gives MPI an opportunity to progress.
  [[nodiscard]] bool ready();
  void sleep(std::chrono::microseconds longest) const noexcept { nap(longest); }
  /// The peers of those that are not, by their numbers in the reducer.
  [[nodiscard]] std::vector<int> missing() const;

 private:
  struct Entry {
    MPI_Request request;
    int peer; ///< number in the reducer
    bool is_receive;
  };
  std::vector<Entry> entries_;
  std::size_t complete_ = 0; ///< the first entries, as many
};

/// Awaits a group of requests.
[[nodiscard]] inline Until<Requests> until(Call& call, Requests& requests) {
  return {call, requests};
}

} // namespace collectives::detail
