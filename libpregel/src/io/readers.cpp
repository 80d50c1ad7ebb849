// read_graph(): which reader a file gets; and the first of them, edge lists: the vertex file, the edge file, and the
// check that the one lists the other's endpoints.
#include "pregel/io/readers.hpp"

#include <utility>
#include <vector>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "graph_format.hpp"
#include "graph_hdf5.hpp"
#include "graphalytics.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/edge_list.hpp"
#include "reading.hpp"

namespace pregel {
namespace {

/// An edge list, and the vertex file that may go with it.
struct ListReading : Reading {
  std::optional<std::string> vertex_file;
};

template <class Id, bool kWeighted>
[[nodiscard]] std::optional<BadLine> load_edges(std::string_view lines, ThreadShare& share) {
  return parse_edge_lines<Id, kWeighted>(lines, [&](Id source, Id target, double weight) {
    share.edges.append({to_id(source, share.table), to_id(target, share.table)}, weight);
    return true;
  });
}

template <class Id>
[[nodiscard]] std::optional<BadLine> load_vertices(std::string_view lines, ThreadShare& share) {
  return parse_vertex_lines<Id>(lines, [&](Id vertex) {
    share.vertices.push_back(to_id(vertex, share.table));
    return true;
  });
}

/// Collective.
template <class Id>
[[nodiscard]] ThreadShares read_files(const ListReading& reading) {
  ThreadShares shares = make_shares(reading, reading.options.weighted);
  const TextLimits& limits = reading.options.limits;
  if (reading.vertex_file) {
    read_lines(reading.comm, *reading.vertex_file, reading.team, limits,
               [&](int thread, std::string_view lines) { return load_vertices<Id>(lines, of_thread(shares, thread)); });
  }
  read_lines(reading.comm, reading.options.graph_file, reading.team, limits, [&](int thread, std::string_view lines) {
    ThreadShare& share = of_thread(shares, thread);
    return reading.options.weighted ? load_edges<Id, true>(lines, share) : load_edges<Id, false>(lines, share);
  });
  return shares;
}

/// Reads the edge file once more, for the first line with an endpoint in `unlisted`. Always throws. Collective.
template <class Id, class Set>
[[noreturn]] void refuse_first_line_with(const ListReading& reading, const Set& unlisted) {
  const auto reason_of = [&](std::string_view text) {
    return in_quotes(text) + " is not listed in the vertex file " + *reading.vertex_file;
  };
  read_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits,
             [&](int, std::string_view lines) {
               std::string reason;
               auto bad = parse_edge_lines<Id, false>(lines, [&](Id source, Id target, double) {
                 for (const Id id : {source, target}) {
                   if (!unlisted.contains(id)) continue;
                   if constexpr (std::is_same_v<Id, std::string_view>) {
                     reason = reason_of(id);
                   } else {
                     reason = reason_of(std::to_string(id));
                   }
                   return false;
                 }
                 return true;
               });
               if (bad) bad->reason = reason;
               return bad;
             });
  throw core::InputError("cannot read " + reading.options.graph_file + ": it changed while it was read");
}

/// Collective.
void require_listed(const ListReading& reading, const GraphInput& input) {
  const auto unlisted = unlisted_endpoints(reading.comm, input.vertices, input.edges);
  const auto total = core::all_reduce_value<std::uint64_t>(reading.comm, unlisted.size(), core::Reduce::sum);
  if (total == 0) return;
  if (!input.names) refuse_first_line_with<std::uint64_t>(reading, unlisted);
  std::vector<GlobalId> ids;
  ids.reserve(unlisted.size());
  for (const std::uint64_t id : unlisted) ids.push_back(GlobalId{id});
  const std::vector<std::string> names = input.names->names_of(reading.comm, ids);
  refuse_first_line_with<std::string_view>(reading, std::unordered_set<std::string_view>(names.begin(), names.end()));
}

/// Collective.
[[nodiscard]] GraphInput read_edge_list(const Reading& base) {
  const ListReading reading{base, find_vertex_file(base.comm, base.options)};
  const bool names = base.options.ids == IdKind::text;
  GraphInput input = join(reading, names ? read_files<std::string_view>(reading) : read_files<std::uint64_t>(reading));
  if (reading.vertex_file) require_listed(reading, input);
  return input;
}

} // namespace

GraphInput read_graph(const core::Communicator& comm, const ReadOptions& options, core::ThreadTeam& team) {
  const Reading reading{comm, options, team};
  switch (recognise_format(comm, options)) {
    case GraphFormat::matrix_market: return read_matrix_market(reading);
    case GraphFormat::metis: return read_metis(reading);
    case GraphFormat::dimacs: return read_dimacs(reading);
    case GraphFormat::adjacency_list: return read_adjacency_list(reading);
    case GraphFormat::csv: return read_csv(reading);
    case GraphFormat::hdf5: return read_hdf5_graph(reading);
    default: return read_edge_list(reading);
  }
}

} // namespace pregel
