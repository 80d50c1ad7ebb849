#include "test_vectors.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"

namespace ringbench {
namespace {

using collectives::Chunk;
using collectives::ElementType;
using collectives::Operation;

constexpr std::size_t kPeriod = 1021;
constexpr std::size_t kLargestAddend = 3;

/// Well mixed bits of an element's position and its rank (the finaliser of MurmurHash3).
std::uint64_t mixed(std::size_t position, int rank) noexcept {
  std::uint64_t x = position * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(rank + 1) * 0xc2b2ae3d27d4eb4fU;
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33);
}

/// The whole number that becomes an element. Of an average, the sum is a multiple of the number of ranks, and so is
/// each addend, because some types divide before they add.
std::uint64_t number_at(std::size_t position, int rank, int ranks, Operation operation) noexcept {
  const std::uint64_t bits = mixed(position, rank);
  switch (operation) {
    case Operation::average: return static_cast<std::uint64_t>(ranks) * (bits % (kLargestAddend + 1));
    case Operation::product: return bits % 8 == 0 ? 2 : 1;
    case Operation::min:
    case Operation::max: return bits % 101;
    case Operation::bit_and: return bits | mixed(position, -1); // some bits survive
    case Operation::bit_or: return bits & mixed(position, -1);
    case Operation::sum:
    case Operation::user: break;
  }
  return bits % (kLargestAddend + 1);
}

template <class T>
T element_of(std::uint64_t number) {
  if constexpr (std::integral<T>)
    return static_cast<T>(number);
  else
    return T(static_cast<double>(number));
}

/// Integers wrap around: in 64 bits as in fewer.
std::uint64_t combined(std::uint64_t a, std::uint64_t b, Operation operation) noexcept {
  switch (operation) {
    case Operation::product: return a * b;
    case Operation::min: return std::min(a, b);
    case Operation::max: return std::max(a, b);
    case Operation::bit_and: return a & b;
    case Operation::bit_or: return a | b;
    case Operation::sum:
    case Operation::average:
    case Operation::user: break;
  }
  return a + b;
}

template <class T>
T reduced_at(std::size_t position, int ranks, Operation operation) {
  std::uint64_t number = number_at(position, 0, ranks, operation);
  for (int rank = 1; rank < ranks; ++rank)
    number = combined(number, number_at(position, rank, ranks, operation), operation);
  if (operation != Operation::average) return element_of<T>(number);
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<T>(number) / static_cast<std::int64_t>(ranks)); // what wrapped stays wrapped
  else
    return element_of<T>(number / static_cast<std::uint64_t>(ranks));
}

/// A small type holds the whole numbers up to this exactly.
void require_exact(ElementType type, int ranks) {
  const std::size_t limit = type == ElementType::bf16 ? 256 : type == ElementType::f16 ? 2048 : std::size_t{1} << 24;
  if (collectives::is_floating(type) && static_cast<std::size_t>(ranks) * kLargestAddend > limit)
    throw core::InputError(
        fmt::format("--type {}: sums over {} ranks cannot be verified exactly", name_of(type), ranks));
}

} // namespace

TestVectors::TestVectors(const Options& options, int rank, int ranks)
    : collective_(options.collective),
      element_bytes_(collectives::element_bytes(options.type)),
      rank_(rank),
      ranks_(ranks),
      inputs_(static_cast<std::size_t>(ranks), Table(kPeriod * element_bytes_)),
      reduced_(kPeriod * element_bytes_) {
  require_exact(options.type, ranks);
  collectives::with_element_type(options.type, [&]<class T>() {
    const auto put = [](Table& table, std::size_t i, T value) {
      std::memcpy(table.data() + i * sizeof(T), &value, sizeof(T));
    };
    for (std::size_t i = 0; i < kPeriod; ++i) {
      for (int r = 0; r < ranks; ++r)
        put(inputs_[static_cast<std::size_t>(r)], i, element_of<T>(number_at(i, r, ranks, options.operation)));
      put(reduced_, i, reduced_at<T>(i, ranks, options.operation));
    }
  });
}

namespace {

/// Calls f(where in the data, where in the table, length), in bytes, for pieces that lie within one period.
template <class F>
void for_each_period(const Chunk& chunk, std::size_t element_bytes, F&& f) {
  std::size_t done = 0;
  while (done < chunk.count) {
    const std::size_t at = (chunk.first + done) % kPeriod;
    const std::size_t length = std::min(kPeriod - at, chunk.count - done);
    f(done * element_bytes, at * element_bytes, length * element_bytes);
    done += length;
  }
}

} // namespace

std::size_t TestVectors::input_count(std::size_t count) const noexcept {
  return collective_ == Collective::all_gather ? collectives::chunk_of(count, ranks_, rank_).count : count;
}
std::size_t TestVectors::output_count(std::size_t count) const noexcept {
  return collective_ == Collective::reduce_scatter ? collectives::chunk_of(count, ranks_, rank_).count : count;
}

void TestVectors::fill_input(std::byte* input, std::size_t count) const {
  const bool part = collective_ == Collective::all_gather;
  const Chunk chunk = part ? collectives::chunk_of(count, ranks_, rank_) : Chunk{0, count};
  const Table& table = inputs_[static_cast<std::size_t>(rank_)];
  for_each_period(chunk, element_bytes_, [&](std::size_t at, std::size_t from, std::size_t length) {
    std::memcpy(input + at, table.data() + from, length);
  });
}

void TestVectors::spoil_output(std::byte* output, std::size_t count) const {
  constexpr int kNoResult = 0x5a;
  std::memset(output, kNoResult, output_count(count) * element_bytes_);
}

std::size_t TestVectors::errors(const std::byte* output, std::size_t count) const {
  if (collective_ == Collective::all_reduce) return errors_in(output, {0, count}, reduced_);
  if (collective_ == Collective::reduce_scatter)
    return errors_in(output, collectives::chunk_of(count, ranks_, rank_), reduced_);
  std::size_t wrong = 0;
  for (int owner = 0; owner < ranks_; ++owner) {
    const Chunk chunk = collectives::chunk_of(count, ranks_, owner);
    wrong += errors_in(output + chunk.first * element_bytes_, chunk, inputs_[static_cast<std::size_t>(owner)]);
  }
  return wrong;
}

std::size_t TestVectors::errors_in(const std::byte* data, const Chunk& chunk, const Table& table) const {
  std::size_t wrong = 0;
  for_each_period(chunk, element_bytes_, [&](std::size_t at, std::size_t from, std::size_t length) {
    if (std::memcmp(data + at, table.data() + from, length) == 0) return;
    for (std::size_t i = 0; i < length; i += element_bytes_)
      wrong += std::memcmp(data + at + i, table.data() + from + i, element_bytes_) != 0 ? 1U : 0U;
  });
  return wrong;
}

} // namespace ringbench
