// The checksum is CRC-32, whatever the lengths, the alignment and the pieces.
#include "core/checkpoint/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace core::checkpoint {
namespace {

/// By the definition, a bit at a time.
std::uint32_t slow_crc(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const std::byte byte : bytes) {
    state ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~state;
}

std::uint32_t crc(std::span<const std::byte> bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

std::vector<std::byte> noise(std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = 1;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((state = state * 6'364'136'223'846'793'005U + 1) >> 56);
  return bytes;
}

TEST(CheckpointChecksum, IsTheWellKnownOne) {
  const char* const text = "123456789";
  EXPECT_EQ(crc(std::as_bytes(std::span(text, std::strlen(text)))), 0xCBF43926U);
  EXPECT_EQ(crc({}), 0U);
}

TEST(CheckpointChecksum, OfAnyLengthAndAlignment) {
  const std::vector<std::byte> bytes = noise(1000);
  for (std::size_t length = 0; length <= 300; ++length)
    for (const std::size_t first : {0, 1, 7, 16}) {
      const auto part = std::span(bytes).subspan(first, length);
      ASSERT_EQ(crc(part), slow_crc(part)) << length << " bytes from " << first;
    }
}

TEST(CheckpointChecksum, InPieces) {
  const std::vector<std::byte> bytes = noise(100'000);
  const std::uint32_t expected = slow_crc(bytes);
  for (const std::size_t piece : {1, 63, 64, 65, 4096, 99'999}) {
    Checksum checksum;
    for (std::size_t first = 0; first < bytes.size(); first += piece)
      checksum.add(std::span(bytes).subspan(first, std::min(piece, bytes.size() - first)));
    EXPECT_EQ(checksum.value(), expected) << "pieces of " << piece;
  }
}

} // namespace
} // namespace core::checkpoint
