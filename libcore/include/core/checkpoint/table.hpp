// What a checkpoint is made of, as one rank sees it: tables with a row for each thing it owns (a vertex, a shard, a
// message) and typed columns. A column has one element a row, or a list of any length for each row; lists are stored as
// all entries one after the other and the number of entries of each row.
//
// The store knows nothing of what a table means. Types are therefore kept as kind and size, which is also what goes
// into the file: whoever reads a column says which type he expects and is refused when it is another one.
//
// All functions are local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace core::checkpoint {

enum class ElementKind : std::uint8_t { unsigned_integer, signed_integer, real, opaque };

/// What one element is: how its bytes are to be read, and how many they are.
struct ElementType {
  ElementKind kind = ElementKind::opaque;
  std::uint32_t bytes = 0;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "unsigned integer of 4 bytes": for messages.
[[nodiscard]] std::string describe(const ElementType& type);

/// The element type of T: numbers by their kind, enumerations as their underlying integer, any other trivially copyable
/// type as opaque bytes.
template <class T>
[[nodiscard]] constexpr ElementType element_type() noexcept {
  static_assert(std::is_trivially_copyable_v<T>, "columns hold plain bytes: serialise T first");
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "a column's bytes are not aligned for T");
  constexpr auto kBytes = static_cast<std::uint32_t>(sizeof(T));
  if constexpr (std::is_enum_v<T>)
    return element_type<std::underlying_type_t<T>>();
  else if constexpr (std::is_floating_point_v<T>)
    return {ElementKind::real, kBytes};
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return {std::is_signed_v<T> ? ElementKind::signed_integer : ElementKind::unsigned_integer, kBytes};
  else
    return {ElementKind::opaque, kBytes};
}

/// One column of the rows of one rank.
struct Column {
  std::string name;
  ElementType type;
  bool is_list = false;
  std::vector<std::byte> data;       ///< all elements, one after the other
  std::vector<std::uint64_t> counts; ///< entries of each row; lists only

  [[nodiscard]] std::size_t elements() const noexcept { return type.bytes == 0 ? 0 : data.size() / type.bytes; }
};

/// True when both hold the same: name, type, list or not. The content may differ.
[[nodiscard]] bool same_description(const Column& a, const Column& b);

/// The rows of one rank. Names of tables and columns are names in an HDF5 file: not empty, without '/', not "." or
/// "..". The column `x` of lists also takes the name `x_count`.
class Table {
 public:
  /// No name, no rows, no columns: what a rank passes that has nothing to say about a table.
  Table() = default;
  Table(std::string name, std::size_t rows);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

  /// Adds a column of one element a row, copied. Throws core::Error when the number of elements is not that of rows, or
  /// the name is taken or none.
  template <class T>
  void add(std::string name, std::span<const T> elements) {
    add_column({std::move(name), element_type<T>(), false, bytes_of(elements), {}});
  }
  /// Adds a column of lists: `counts` has the number of entries of each row, `entries` the lists one after the other.
  template <class T>
  void add_list(std::string name, std::vector<std::uint64_t> counts, std::span<const T> entries) {
    add_column({std::move(name), element_type<T>(), true, bytes_of(entries), std::move(counts)});
  }
  /// Adds a column whose bytes the caller has already; the same errors.
  void add_column(Column column);

  [[nodiscard]] bool has(std::string_view name) const noexcept;
  /// The elements of a column; of a column of lists all entries. Throws core::Error naming table, column and types when
  /// there is none of this name or it has another type.
  template <class T>
  [[nodiscard]] std::span<const T> column(std::string_view name) const {
    const Column& found = find_typed(name, element_type<T>());
    return {reinterpret_cast<const T*>(found.data.data()), found.elements()};
  }
  /// The number of entries of each row of a column of lists; throws core::Error for any other.
  [[nodiscard]] std::span<const std::uint64_t> counts(std::string_view name) const;
  /// The column itself, of any type; throws core::Error when there is none of this name.
  [[nodiscard]] const Column& find(std::string_view name) const;

  /// Bytes of all columns, counts of lists included.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  template <class T>
  static std::vector<std::byte> bytes_of(std::span<const T> elements) {
    const auto* const first = reinterpret_cast<const std::byte*>(elements.data());
    return {first, first + elements.size_bytes()};
  }
  const Column& find_typed(std::string_view name, const ElementType& wanted) const;

  std::string name_;
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

/// What one rank saves.
using Part = std::vector<Table>;

/// The table of this name, or null when the part has none.
[[nodiscard]] const Table* find_table(const Part& part, std::string_view name) noexcept;
/// The table of this name; throws core::Error when the part has none.
[[nodiscard]] const Table& require_table(const Part& part, std::string_view name);

} // namespace core::checkpoint
