// What the readers of all formats share: each thread appends to a share of its own, and the shares are joined without
// copying an edge. A reader is a function from a Reading to a GraphInput, listed at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "name_table.hpp"
#include "pregel/graph/graph_input.hpp"
#include "pregel/io/readers.hpp"

namespace pregel {

struct Reading {
  const core::Communicator& comm;
  const ReadOptions& options;
  core::ThreadTeam& team;
};

/// One thread's edges and listed vertices. With names the ids in them are indices into the name table. Aligned, so that
/// threads do not write into each other's cache lines.
struct alignas(64) ThreadShare {
  explicit ThreadShare(bool weighted) : edges(weighted) {}

  EdgeBlocks edges;
  std::vector<GlobalId> vertices;
  NameTable table;
  std::uint64_t entries = 0; ///< lines of data, where a header says how many there are
};
using ThreadShares = std::deque<ThreadShare>;

[[nodiscard]] ThreadShares make_shares(const Reading& reading, bool weighted);
[[nodiscard]] inline ThreadShare& of_thread(ThreadShares& shares, int thread) {
  return shares[static_cast<std::size_t>(thread)];
}
[[nodiscard]] inline GlobalId to_id(std::uint64_t id, NameTable&) {
  return GlobalId{id};
}
[[nodiscard]] inline GlobalId to_id(std::string_view name, NameTable& table) {
  return GlobalId{table.index_of(name)};
}

/// The input that the shares make; numbers the names if ids are names. Collective.
[[nodiscard]] GraphInput join(const Reading& reading, ThreadShares&& shares);

/// A number in a header. Nothing for anything but digits, and for what does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view field);

// What parse_field() and parse_weight() read in place, of a field that has been cut out of its line.

[[nodiscard]] bool read_id(std::string_view field, std::uint64_t& id);
/// A name: not empty, without blanks and zero bytes.
[[nodiscard]] bool read_id(std::string_view field, std::string_view& name);
/// `scratch` is where the field is copied to.
[[nodiscard]] bool read_weight(std::string_view field, double& weight, std::string& scratch);

/// Where a header says something.
struct HeaderLine {
  std::uint64_t number = 0; ///< of the line
  std::uint64_t end = 0;    ///< the byte at which the data begin
};

/// FileError at the header, unless `promised` entries are what all ranks have found. Collective.
void require_entries(const Reading& reading, const ThreadShares& shares, const HeaderLine& header,
                     std::uint64_t promised, const char* what);
/// FileError at the header if so many vertices cannot be held. Local.
void require_vertex_room(const Reading& reading, const HeaderLine& header, std::uint64_t vertices);
/// Whether weights are read, for a file whose header says whether it has them. FileError at the header if they are
/// required and missing; `why` says what is missing. Local.
[[nodiscard]] bool reads_weights(const Reading& reading, const HeaderLine& header, bool has_weights, const char* why);
/// InputError if ids are to be names in a format that numbers its vertices. Local.
void require_numbers(const Reading& reading, const char* format);

[[nodiscard]] GraphInput read_adjacency_list(const Reading& reading); ///< adjacency_list.cpp
[[nodiscard]] GraphInput read_csv(const Reading& reading);            ///< csv.cpp
[[nodiscard]] GraphInput read_dimacs(const Reading& reading);         ///< dimacs.cpp
[[nodiscard]] GraphInput read_matrix_market(const Reading& reading);  ///< matrix_market.cpp
[[nodiscard]] GraphInput read_metis(const Reading& reading);          ///< metis.cpp

} // namespace pregel
