// Dense tables: a call is cut at the borders of shards, and the pieces for different servers are under way together.
#include "ps/table/dense_table.hpp"

#include <iterator>
#include <utility>

#include "servers.hpp"

namespace ps {
namespace {

constexpr const char* kWhat = "a dense table";

void append(std::vector<core::Request>& all, std::vector<core::Request> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::size_t length_here(const ShardMap& map, std::size_t shard) noexcept {
  return shard < map.servers() ? map.length(shard) : 0;
}

} // namespace

void PendingOperation::wait() {
  core::wait_all(requests_);
  requests_.clear();
}

bool PendingOperation::test() {
  while (!requests_.empty()) {
    if (!requests_.back().test()) return false;
    requests_.pop_back();
  }
  return true;
}

template <class T>
DenseTable<T>::DenseTable(const core::Communicator& comm, std::size_t size, std::vector<int> servers)
    : servers_(detail::checked_servers(comm, kWhat, size, std::move(servers))),
      map_(size, servers_.size()),
      shard_index_(detail::shard_index_of(servers_, comm.rank())),
      window_(comm, length_here(map_, shard_index_)) {}

template <class T>
template <class F>
void DenseTable<T>::for_each_piece(std::size_t first, std::size_t count, F&& piece) {
  detail::require_range(kWhat, first, count, size());
  map_.for_each_piece(first, count,
                      [&](std::size_t server, std::size_t offset, std::size_t position, std::size_t length) {
                        piece(servers_[server], offset, position, length);
                        ++traffic_.messages;
                      });
}

template <class T>
void DenseTable<T>::flush(std::size_t first, std::size_t count) {
  map_.for_each_piece(first, count, [&](std::size_t server, std::size_t, std::size_t, std::size_t) {
    window_.flush(servers_[server]);
  });
}

template <class T>
void DenseTable<T>::pull(std::size_t first, std::span<T> values) {
  for_each_piece(first, values.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    window_.atomic_get(values.subspan(position, length), server, offset);
  });
  flush(first, values.size());
  traffic_.bytes_pulled += values.size_bytes();
}

template <class T>
PendingOperation DenseTable<T>::start_pull(std::size_t first, std::span<T> values) {
  std::vector<core::Request> requests;
  for_each_piece(first, values.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    append(requests, window_.start_atomic_get(values.subspan(position, length), server, offset));
  });
  traffic_.bytes_pulled += values.size_bytes();
  return PendingOperation(std::move(requests));
}

template <class T>
void DenseTable<T>::pull_racy(std::size_t first, std::span<T> values) {
  for_each_piece(first, values.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    window_.get(values.subspan(position, length), server, offset);
  });
  flush(first, values.size());
  traffic_.bytes_pulled += values.size_bytes();
}

template <class T>
void DenseTable<T>::push(std::size_t first, std::span<const T> addend) {
  for_each_piece(first, addend.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    window_.accumulate(addend.subspan(position, length), server, offset, core::RmaOperation::sum);
  });
  flush(first, addend.size());
  traffic_.bytes_pushed += addend.size_bytes();
}

template <class T>
PendingOperation DenseTable<T>::start_push(std::size_t first, std::span<const T> addend) {
  std::vector<core::Request> requests;
  for_each_piece(first, addend.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    append(requests,
           window_.start_accumulate(addend.subspan(position, length), server, offset, core::RmaOperation::sum));
  });
  traffic_.bytes_pushed += addend.size_bytes();
  return PendingOperation(std::move(requests));
}

template <class T>
void DenseTable<T>::flush() {
  window_.flush_all();
}

template <class T>
void DenseTable<T>::write(std::size_t first, std::span<const T> values) {
  for_each_piece(first, values.size(), [&](int server, std::size_t offset, std::size_t position, std::size_t length) {
    window_.accumulate(values.subspan(position, length), server, offset, core::RmaOperation::replace);
  });
  flush(first, values.size());
  traffic_.bytes_pushed += values.size_bytes();
}

template class DenseTable<float>;
template class DenseTable<double>;

} // namespace ps
