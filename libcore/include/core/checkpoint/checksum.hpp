// CRC-32 as zlib, gzip and `cksum`'s relatives know it, so that a checkpoint's checksums can be checked by other tools
// (Python: zlib.crc32).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace core::checkpoint {

/// The CRC-32 of bytes that come piece by piece. Local.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }

 private:
  std::uint32_t value_ = 0;
};

} // namespace core::checkpoint
