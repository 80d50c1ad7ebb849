// A part as one block: lengths as 64-bit numbers, each before what it measures.
#include <cstring>
#include <type_traits>

#include "core/checkpoint/redistribute.hpp"
#include "core/error.hpp"

namespace core::checkpoint {
namespace {

constexpr std::uint64_t kMagic = 0x31747261'70636b70; // a block of something else is refused

class Packer {
 public:
  explicit Packer(std::size_t expected_bytes) { block_.reserve(expected_bytes); }

  void number(std::uint64_t value) { bytes(&value, sizeof value); }
  template <class Range>
  void range(const Range& values) {
    number(values.size());
    bytes(values.data(), values.size() * sizeof(*values.data()));
  }
  std::vector<std::byte> take() { return std::move(block_); }

 private:
  void bytes(const void* data, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(data);
    block_.insert(block_.end(), first, first + count);
  }

  std::vector<std::byte> block_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> block) : rest_(block) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  template <class Range>
  Range range() {
    constexpr std::size_t kElement = sizeof(typename Range::value_type);
    const std::uint64_t length = number();
    if (length > rest_.size() / kElement) refuse();
    Range values;
    values.resize(length);
    bytes(values.data(), length * kElement);
    return values;
  }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[noreturn]] static void refuse() { throw Error("the copy of a checkpoint part is not whole"); }

 private:
  void bytes(void* data, std::size_t count) {
    if (count > rest_.size()) refuse();
    if (count > 0) std::memcpy(data, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }

  std::span<const std::byte> rest_;
};

} // namespace

std::vector<std::byte> pack(const Part& part) {
  constexpr std::size_t kRoomForNames = 256;
  std::size_t expected = kRoomForNames;
  for (const Table& table : part) expected += table.bytes() + kRoomForNames * (table.columns().size() + 1);
  Packer packer(expected);
  packer.number(kMagic);
  packer.number(part.size());
  for (const Table& table : part) {
    packer.range(table.name());
    packer.number(table.rows());
    packer.number(table.columns().size());
    for (const Column& column : table.columns()) {
      packer.range(column.name);
      packer.number(static_cast<std::uint64_t>(column.type.kind));
      packer.number(column.type.bytes);
      packer.number(column.is_list ? 1 : 0);
      packer.range(column.counts);
      packer.range(column.data);
    }
  }
  return packer.take();
}

Part unpack(std::span<const std::byte> block) {
  Unpacker unpacker(block);
  if (unpacker.number() != kMagic) Unpacker::refuse();
  Part part;
  for (std::uint64_t tables = unpacker.number(); tables > 0; --tables) {
    std::string name = unpacker.range<std::string>();
    const std::uint64_t rows = unpacker.number();
    Table table = name.empty() && rows == 0 ? Table() : Table(std::move(name), rows);
    for (std::uint64_t columns = unpacker.number(); columns > 0; --columns) {
      Column column;
      column.name = unpacker.range<std::string>();
      column.type.kind = static_cast<ElementKind>(unpacker.number());
      column.type.bytes = static_cast<std::uint32_t>(unpacker.number());
      column.is_list = unpacker.number() != 0;
      column.counts = unpacker.range<std::vector<std::uint64_t>>();
      column.data = unpacker.range<std::vector<std::byte>>();
      table.add_column(std::move(column));
    }
    part.push_back(std::move(table));
  }
  if (!unpacker.empty()) Unpacker::refuse();
  return part;
}

} // namespace core::checkpoint
