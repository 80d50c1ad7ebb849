// Mailboxes: who writes what, and why what is read is complete.
//
// The word of a slot is written by the worker when it is 0 and by the server when it is not, so there is one writer at
// any time; both write it by an accumulate that replaces (an atomic put), and read it by an atomic get, the server too:
// a plain load beside somebody's accumulate is not covered by MPI.
//
//   worker                                server
//   put gradient -> slot
//   flush (the put is done at the target)
//   word = version + 1, flush
//                                         reads word != 0
//                                         sync (memory barrier): loads see what was put
//                                         loads the slot
//                                         sync: the loads are over
//                                         word = 0, flush
//   reads word == 0
//   put next gradient -> slot
#include "ps/table/mailboxes.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/progress.hpp"
#include "ps/error.hpp"
#include "servers.hpp"

namespace ps {
namespace {

constexpr const char* kWhat = "a mailbox";

std::span<const std::int64_t> one(const std::int64_t& value) noexcept {
  return {&value, 1};
}

} // namespace

template <class T>
Mailboxes<T>::Mailboxes(const core::Communicator& comm, std::size_t size, std::vector<int> servers, std::size_t workers)
    : servers_(detail::checked_servers(comm, kWhat, size, std::move(servers))),
      map_(size, servers_.size()),
      workers_(workers),
      shard_index_(detail::shard_index_of(servers_, comm.rank())),
      rank_(comm.rank()),
      slots_(comm, serves() ? workers * map_.length(shard_index_) : 0),
      words_(comm, serves() ? workers : 0),
      unreleased_(workers * servers_.size(), 0),
      seen_(serves() ? workers : 0) {}

template <class T>
bool Mailboxes<T>::is_free(std::size_t worker) {
  require_worker(worker);
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    char& unreleased = unreleased_[worker * servers_.size() + server];
    if (unreleased == 0) continue;
    if (words_.fetch_and_op(0, servers_[server], worker, core::RmaOperation::keep) != 0) return false;
    unreleased = 0;
  }
  return true;
}

template <class T>
void Mailboxes<T>::deposit(std::size_t worker, std::span<const T> gradient, std::int64_t version_read) {
  if (gradient.size() != map_.parameters())
    throw PsError(
        fmt::format("{} holds gradients of {} elements, not of {}", kWhat, map_.parameters(), gradient.size()));
  start_deposit(worker, 0, gradient);
  announce(worker, version_read);
}

template <class T>
void Mailboxes<T>::start_deposit(std::size_t worker, std::size_t first, std::span<const T> part) {
  require_worker(worker);
  detail::require_range(kWhat, first, part.size(), map_.parameters());
  require_free(worker);
  map_.for_each_piece(
      first, part.size(), [&](std::size_t server, std::size_t offset, std::size_t position, std::size_t length) {
        slots_.put(part.subspan(position, length), servers_[server], worker * map_.length(server) + offset);
      });
  traffic_.bytes_pushed += part.size_bytes();
}

template <class T>
void Mailboxes<T>::announce(std::size_t worker, std::int64_t version_read) {
  require_worker(worker);
  require_free(worker);
  if (version_read < 0) throw PsError(fmt::format("version {} of a gradient is negative", version_read));
  const std::int64_t word = version_read + 1;
  slots_.flush_all(); // before any word is written: see above
  for (const int server : servers_) words_.accumulate(one(word), server, worker, core::RmaOperation::replace);
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    words_.flush(servers_[server]);
    unreleased_[worker * servers_.size() + server] = 1;
  }
  traffic_.messages += servers_.size();
}

template <class T>
auto Mailboxes<T>::full() -> std::vector<Letter> {
  core::progress();
  std::vector<Letter> letters;
  if (!serves() || workers_ == 0) return letters;
  words_.atomic_get(seen_, rank_, 0);
  words_.flush(rank_);
  slots_.sync();
  const std::size_t length = map_.length(shard_index_);
  for (std::size_t worker = 0; worker < workers_; ++worker) {
    if (seen_[worker] == 0) continue;
    letters.push_back({worker, seen_[worker] - 1, slots_.local().subspan(worker * length, length)});
  }
  return letters;
}

template <class T>
void Mailboxes<T>::release(std::size_t worker) {
  require_worker(worker);
  if (!serves() || seen_[worker] == 0)
    throw PsError(
        fmt::format("the slot of worker {} cannot be released: this rank has found no gradient in it", worker));
  seen_[worker] = 0;
  slots_.sync();
  const std::int64_t free = 0;
  words_.accumulate(one(free), rank_, worker, core::RmaOperation::replace);
  words_.flush(rank_);
}

template <class T>
void Mailboxes<T>::require_worker(std::size_t worker) const {
  if (worker >= workers_)
    throw PsError(fmt::format("there are mailboxes for {} workers: worker {} does not exist", workers_, worker));
}

template <class T>
void Mailboxes<T>::require_free(std::size_t worker) {
  if (!is_free(worker))
    throw PsError(fmt::format("worker {} deposits a gradient before its last one has been released", worker));
}

template class Mailboxes<float>;
template class Mailboxes<double>;

} // namespace ps
