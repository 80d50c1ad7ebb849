#include "pregel/engine/boundary_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace pregel {
namespace {

/// In front of each non-empty block.
struct BlockHeader {
  BoundaryEncoding encoding;
  std::uint32_t count;
};

constexpr std::size_t round_up_to_word(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}
constexpr std::size_t bitmap_bytes(std::size_t boundary) {
  return (boundary + 63) / 64 * 8;
}

std::size_t payload_bytes(BoundaryEncoding encoding, std::size_t published, std::size_t boundary,
                          std::size_t message_bytes) {
  switch (encoding) {
    case BoundaryEncoding::nothing: return 0;
    case BoundaryEncoding::all: return boundary * message_bytes;
    case BoundaryEncoding::bitmap: return bitmap_bytes(boundary) + published * message_bytes;
    case BoundaryEncoding::indices: break;
  }
  return round_up_to_word(4 * published) + published * message_bytes;
}

template <std::size_t Bytes>
struct Blob {
  std::array<std::byte, Bytes> bytes;
};

/// Calls body with a type of the message's size where the size is common, so that copies become single instructions.
template <class Body>
void with_message_type(std::size_t message_bytes, Body&& body) {
  switch (message_bytes) {
    case 4: return body(std::type_identity<std::uint32_t>{});
    case 8: return body(std::type_identity<std::uint64_t>{});
    case 16: return body(std::type_identity<Blob<16>>{});
    default: return body(std::type_identity<void>{});
  }
}

/// target[i] = slots[slot_at(i)] for i < count.
template <class SlotAt>
void gather(std::byte* target, const std::byte* slots, std::size_t message_bytes, std::size_t count, SlotAt&& slot_at) {
  if (message_bytes == 0) return;
  with_message_type(message_bytes, [&]<class T>(std::type_identity<T>) {
    const std::size_t bytes =
        std::is_void_v<T> ? message_bytes : sizeof(std::conditional_t<std::is_void_v<T>, char, T>);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(target + i * bytes, slots + slot_at(i) * bytes, bytes);
  });
}

/// slots[slot_at(i)] = source[i] for i < count.
template <class SlotAt>
void scatter(std::byte* slots, const std::byte* source, std::size_t message_bytes, std::size_t count,
             SlotAt&& slot_at) {
  if (message_bytes == 0) return;
  with_message_type(message_bytes, [&]<class T>(std::type_identity<T>) {
    const std::size_t bytes =
        std::is_void_v<T> ? message_bytes : sizeof(std::conditional_t<std::is_void_v<T>, char, T>);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(slots + slot_at(i) * bytes, source + i * bytes, bytes);
  });
}

} // namespace

BoundaryEncoding choose_encoding(std::size_t published, std::size_t boundary, std::size_t message_bytes) noexcept {
  if (published == 0) return BoundaryEncoding::nothing;
  if (published == boundary) return BoundaryEncoding::all;
  const auto bytes = [&](BoundaryEncoding e) { return payload_bytes(e, published, boundary, message_bytes); };
  return bytes(BoundaryEncoding::bitmap) < bytes(BoundaryEncoding::indices) ? BoundaryEncoding::bitmap
                                                                            : BoundaryEncoding::indices;
}

BoundaryExchange::BoundaryExchange(const DistributedGraph& graph, std::size_t message_bytes)
    : graph_(graph), message_bytes_(message_bytes) {
  const ExchangePlan& plan = graph.plan;
  const auto ranks = static_cast<std::size_t>(graph.comm->size());
  positions_.resize(ranks);
  block_bytes_.resize(ranks);
  for (std::size_t p = 0; p < ranks; ++p) {
    all_counts_.send_counts.push_back(plan.send_offsets[p + 1] - plan.send_offsets[p]);
    all_counts_.receive_counts.push_back(plan.receive_offsets[p + 1] - plan.receive_offsets[p]);
  }
  all_counts_.send_offsets.assign(plan.send_offsets.begin(), plan.send_offsets.end() - 1);
  all_counts_.receive_offsets.assign(plan.receive_offsets.begin(), plan.receive_offsets.end() - 1);
  all_counts_.send_total = plan.send_offsets.back();
  all_counts_.receive_total = plan.receive_offsets.back();
  all_counts_.fits_int = plan.fits_int;
  all_counts_.grand_total = plan.mirrors_everywhere;
}

ExchangeVolume BoundaryExchange::exchange_all(std::byte* slots) {
  const std::size_t total = all_counts_.send_total;
  if (message_bytes_ != 0) {
    const std::vector<LocalId>& vertices = graph_.plan.send_vertices;
    if (send_.size() < total * message_bytes_) send_.resize(total * message_bytes_);
    gather(send_.data(), slots, message_bytes_, total, [&](std::size_t i) { return index(vertices[i]); });
    std::byte* mirrors = slots + std::size_t{graph_.local_count} * message_bytes_;
    with_message_type(message_bytes_, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_void_v<T>) {
        core::detail::all_to_all_varying(*graph_.comm, send_.data(), mirrors, all_counts_,
                                         core::bytes_datatype(message_bytes_), message_bytes_);
      } else {
        core::detail::all_to_all_varying(*graph_.comm, send_.data(), mirrors, all_counts_, core::datatype_of<T>(),
                                         sizeof(T));
      }
    });
  }
  return {total, total * message_bytes_};
}

void BoundaryExchange::find_published(const VertexSet& published) {
  const ExchangePlan& plan = graph_.plan;
  for (auto& list : positions_) list.clear();
  if (published.listed()) { // few: look up where each one is mirrored
    for (const std::uint32_t v : published.members()) {
      for (const MirrorReference& mirror : plan.mirrors_of.row(v))
        positions_[static_cast<std::size_t>(number(mirror.peer))].push_back(mirror.position);
    }
    for (auto& list : positions_) std::sort(list.begin(), list.end());
    return;
  }
  for (std::size_t p = 0; p < positions_.size(); ++p) { // many: look at every boundary vertex
    const std::size_t begin = plan.send_offsets[p], boundary = plan.send_offsets[p + 1] - begin;
    std::vector<std::uint32_t>& list = positions_[p];
    list.resize(boundary);
    std::size_t count = 0;
    for (std::size_t i = 0; i < boundary; ++i) { // branch-free: about half of the tests would be mispredicted
      list[count] = static_cast<std::uint32_t>(i);
      count += published.contains(index(plan.send_vertices[begin + i])) ? 1 : 0;
    }
    list.resize(count);
  }
}

void BoundaryExchange::encode(const std::byte* slots, std::size_t peer) {
  const std::vector<std::uint32_t>& positions = positions_[peer];
  if (positions.empty()) return;
  const std::size_t begin = graph_.plan.send_offsets[peer], boundary = graph_.plan.send_offsets[peer + 1] - begin;
  const BlockHeader header{choose_encoding(positions.size(), boundary, message_bytes_),
                           static_cast<std::uint32_t>(positions.size())};
  std::byte* out = send_.data() + counts_.send_offsets[peer];
  std::memcpy(out, &header, sizeof(header));
  out += sizeof(header);
  if (header.encoding == BoundaryEncoding::bitmap) {
    std::memset(out, 0, bitmap_bytes(boundary));
    for (const std::uint32_t i : positions) out[i / 8] |= std::byte{1} << (i % 8);
    out += bitmap_bytes(boundary);
  } else if (header.encoding == BoundaryEncoding::indices) {
    std::memcpy(out, positions.data(), 4 * positions.size());
    out += round_up_to_word(4 * positions.size());
  }
  const LocalId* vertices = graph_.plan.send_vertices.data() + begin;
  gather(out, slots, message_bytes_, positions.size(), [&](std::size_t i) { return index(vertices[positions[i]]); });
}

void BoundaryExchange::decode(std::byte* slots, VertexSet& published, std::size_t peer) {
  if (counts_.receive_counts[peer] == 0) return;
  const std::byte* in = receive_.data() + counts_.receive_offsets[peer];
  const std::size_t boundary = graph_.plan.receive_offsets[peer + 1] - graph_.plan.receive_offsets[peer];
  const auto first = static_cast<std::uint32_t>(graph_.local_count + graph_.plan.receive_offsets[peer]);
  BlockHeader header{};
  std::memcpy(&header, in, sizeof(header));
  in += sizeof(header);
  if (header.encoding == BoundaryEncoding::all) {
    if (message_bytes_ != 0) std::memcpy(slots + first * message_bytes_, in, boundary * message_bytes_);
    published.insert_range(first, static_cast<std::uint32_t>(boundary));
    return;
  }
  std::vector<std::uint32_t>& positions = positions_[peer]; // reused: encoding is over
  positions.resize(header.count);
  if (header.encoding == BoundaryEncoding::bitmap) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < bitmap_bytes(boundary) / 8; ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, in + 8 * w, 8);
      for (; word != 0; word &= word - 1)
        positions[count++] = static_cast<std::uint32_t>(64 * w + static_cast<unsigned>(std::countr_zero(word)));
    }
    in += bitmap_bytes(boundary);
  } else {
    std::memcpy(positions.data(), in, 4 * positions.size());
    in += round_up_to_word(4 * positions.size());
  }
  scatter(slots, in, message_bytes_, positions.size(), [&](std::size_t i) { return first + positions[i]; });
  for (const std::uint32_t i : positions) published.insert_new(first + i);
}

ExchangeVolume BoundaryExchange::exchange(std::byte* slots, VertexSet& published, bool all_published) {
  if (graph_.comm->size() == 1) return {};
  if (all_published) return exchange_all(slots);
  find_published(published);
  ExchangeVolume volume;
  for (std::size_t p = 0; p < positions_.size(); ++p) {
    const std::size_t boundary = graph_.plan.send_offsets[p + 1] - graph_.plan.send_offsets[p];
    const std::size_t count = positions_[p].size();
    const std::size_t payload =
        payload_bytes(choose_encoding(count, boundary, message_bytes_), count, boundary, message_bytes_);
    block_bytes_[p] = count == 0 ? 0 : round_up_to_word(sizeof(BlockHeader) + payload);
    volume.values += count;
    volume.bytes += block_bytes_[p];
  }
  counts_.set_blocks(block_bytes_);
  if (send_.size() < counts_.send_total) send_.resize(counts_.send_total);
  for (std::size_t p = 0; p < positions_.size(); ++p) encode(slots, p);
  core::exchange_blocks(*graph_.comm, send_.data(), block_bytes_, receive_, counts_);
  for (std::size_t p = 0; p < positions_.size(); ++p) decode(slots, published, p);
  return volume;
}

} // namespace pregel
