#include "string_exchange.hpp"

#include <utility>

#include "core/collectives.hpp"

namespace pregel {

std::vector<std::uint64_t> StringPack::lengths() const {
  std::vector<std::uint64_t> lengths(size());
  for (std::size_t i = 0; i < size(); ++i) lengths[i] = ends_[i] - begin_of(i);
  return lengths;
}

void StringPack::assign(std::span<const std::uint64_t> lengths, std::vector<char>&& bytes) {
  bytes_ = std::move(bytes);
  ends_.resize(lengths.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) ends_[i] = end += lengths[i];
}

StringDelivery exchange_strings(const core::Communicator& comm, const StringPack& send,
                                std::span<const std::size_t> counts) {
  std::vector<std::size_t> byte_counts(counts.size());
  for (std::size_t rank = 0, first = 0; rank < counts.size(); first += counts[rank++]) {
    byte_counts[rank] = send.begin_of(first + counts[rank]) - send.begin_of(first);
  }
  core::ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::vector<std::uint64_t> lengths(exchange.receive_total);
  core::all_to_all_varying(comm, send.lengths().data(), lengths.data(), exchange);
  StringDelivery delivery;
  delivery.counts = exchange.receive_counts;

  exchange.update(comm, byte_counts);
  std::vector<char> bytes(exchange.receive_total);
  core::all_to_all_varying(comm, send.bytes_.data(), bytes.data(), exchange);
  delivery.strings.assign(lengths, std::move(bytes));
  return delivery;
}

StringPack gather_strings(const core::Communicator& comm, const StringPack& mine) {
  const std::vector<std::uint64_t> my_lengths = mine.lengths();
  const auto lengths = core::all_gather_varying(comm, std::span<const std::uint64_t>(my_lengths));
  StringPack all;
  all.assign(lengths, core::all_gather_varying(comm, std::span<const char>(mine.bytes_)));
  return all;
}

} // namespace pregel
