// The all-reduce algorithms by name, and what `automatic` chooses among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collectives {

/// One header below src/algorithms describes each, with its cost.
enum class Algorithm : std::uint8_t {
  automatic,
  naive_ring,
  reduce_broadcast,
  all_to_all,
  recursive_doubling,
  halving_doubling,
  chunked_ring,
  shared_memory,
  hierarchical
};

[[nodiscard]] std::string_view name_of(Algorithm algorithm) noexcept;
/// The algorithm of that name; throws core::InputError that lists the names.
[[nodiscard]] Algorithm algorithm_named(std::string_view name);
/// All but `automatic`.
[[nodiscard]] std::span<const Algorithm> all_algorithms() noexcept;

/// Who takes part and how they can reach each other.
struct Topology {
  int ranks = 1;
  int nodes = 1;
  bool shared_memory = false; ///< the ranks of a node have memory in common

  friend bool operator==(const Topology&, const Topology&) = default;
};

/// Messages to a neighbour at a time, at most.
inline constexpr int kMostChannels = 16;

/// One line of a tuning table: up to `bytes` (inclusive) use this.
struct TuningRow {
  std::size_t bytes;
  Algorithm algorithm;
  std::size_t segment_bytes = 0; ///< 0: the default
  int channels = 0;              ///< 0: the default
};

/// What `automatic` looks at. A table measured on one machine (ringbench --tune) lists rows for a few topologies;
/// others take the rows of the nearest one with the same kind of nodes, and without any the built-in rules.
class TuningTable {
 public:
  /// Rows in ascending order of bytes; the last one is for everything larger, whatever its bytes. Replaces the rows
  /// of the same topology. Local.
  void set(const Topology& topology, std::vector<TuningRow> rows);
  [[nodiscard]] TuningRow choose(const Topology& topology, std::size_t bytes) const;

  /// From a file of JSON, and the text of such a file. Throws core::InputError with the file's name. Local.
  [[nodiscard]] static TuningTable from_file(const std::string& path);
  [[nodiscard]] static TuningTable from_json(const std::string& text, const std::string& name);
  [[nodiscard]] std::string to_json() const;

 private:
  struct Entry {
    Topology topology;
    std::vector<TuningRow> rows;
  };
  std::vector<Entry> entries_;
};

} // namespace collectives
