#include "messages.hpp"

#include <algorithm>
#include <chrono>

#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace collectives::detail {
namespace {

/// What a cancelled receive or the send to a rank that has gone may still take.
constexpr double kGraceSeconds = 0.2;
constexpr std::chrono::microseconds kLongestNap{50};

int tag_of(const Call& call, int stream) noexcept {
  return static_cast<int>(call.number % kCallsInTags) * kStreams + stream;
}

/// Calls piece(offset, length) for pieces that one MPI call can carry.
template <class F>
void for_each_message(std::size_t bytes, F&& piece) {
  const std::size_t limit = std::min(core::count_limit(), std::size_t{1} << 30);
  for (std::size_t at = 0; at < bytes; at += limit) piece(at, static_cast<int>(std::min(limit, bytes - at)));
}

} // namespace

Requests::~Requests() {
  if (complete_ == entries_.size()) return;
  for (Entry& entry : entries_) {
    if (entry.is_receive && entry.request != MPI_REQUEST_NULL) MPI_Cancel(&entry.request);
  }
  const core::Stopwatch watch;
  while (watch.seconds() < kGraceSeconds) {
    bool all_done = true;
    for (Entry& entry : entries_) {
      int done = 0;
      if (MPI_Test(&entry.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) all_done = false;
    }
    if (all_done) return;
    if (!core::yield_core()) nap(kLongestNap);
  }
}

void Requests::send(Call& call, const Group& group, const std::byte* data, std::size_t bytes, int peer, int stream) {
  for_each_message(bytes, [&](std::size_t at, int length) {
    Entry entry{MPI_REQUEST_NULL, group.number_of(peer), false};
    core::check_mpi(MPI_Isend(data + at, length, MPI_BYTE, peer, tag_of(call, stream), group.comm, &entry.request),
                    "MPI_Isend");
    entries_.push_back(entry);
  });
  call.bytes_sent += bytes;
}

void Requests::receive(Call& call, const Group& group, std::byte* data, std::size_t bytes, int peer, int stream) {
  for_each_message(bytes, [&](std::size_t at, int length) {
    Entry entry{MPI_REQUEST_NULL, group.number_of(peer), true};
    core::check_mpi(MPI_Irecv(data + at, length, MPI_BYTE, peer, tag_of(call, stream), group.comm, &entry.request),
                    "MPI_Irecv");
    entries_.push_back(entry);
  });
}

bool Requests::ready() {
  for (; complete_ < entries_.size(); ++complete_) {
    int done = 0;
    core::check_mpi(MPI_Test(&entries_[complete_].request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return false;
  }
  entries_.clear();
  complete_ = 0;
  return true;
}

std::vector<int> Requests::missing() const {
  std::vector<int> peers;
  for (std::size_t i = complete_; i < entries_.size(); ++i) {
    if (entries_[i].request != MPI_REQUEST_NULL) peers.push_back(entries_[i].peer);
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

} // namespace collectives::detail
