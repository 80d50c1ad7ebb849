// read_graph(): the vertex file, the edge file, the names if ids are names, and the check that the one lists the
// other's endpoints. Every thread appends to its own blocks, which are then joined without copying an edge.
#include "pregel/io/readers.hpp"

#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "graphalytics.hpp"
#include "name_table.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/edge_list.hpp"

namespace pregel {
namespace {

/// What the collective functions below share.
struct Reading {
  const core::Communicator& comm;
  const ReadOptions& options;
  core::ThreadTeam& team;
  std::optional<std::string> vertex_file;
};

/// One thread's edges and listed vertices. With names the ids in them are indices into the name table. Aligned, so that
/// threads do not write into each other's cache lines.
struct alignas(64) ThreadShare {
  explicit ThreadShare(bool weighted) : edges(weighted) {}

  EdgeBlocks edges;
  std::vector<GlobalId> vertices;
  NameTable table;
};
using ThreadShares = std::deque<ThreadShare>;

[[nodiscard]] ThreadShare& of_thread(ThreadShares& shares, int thread) {
  return shares[static_cast<std::size_t>(thread)];
}

[[nodiscard]] GlobalId to_id(std::uint64_t id, NameTable&) {
  return GlobalId{id};
}
[[nodiscard]] GlobalId to_id(std::string_view name, NameTable& table) {
  return GlobalId{table.index_of(name)};
}

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
[[nodiscard]] ThreadShares read_files(const Reading& reading) {
  ThreadShares shares;
  while (shares.size() < static_cast<std::size_t>(reading.team.size())) shares.emplace_back(reading.options.weighted);
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

/// Replaces indices of name tables by ids that all ranks agree on. Collective.
[[nodiscard]] std::shared_ptr<const NameDirectory> number_names(const Reading& reading, ThreadShares& shares) {
  std::vector<std::string> names;
  std::vector<std::size_t> first; // of each thread's names
  for (ThreadShare& share : shares) {
    first.push_back(names.size());
    std::vector<std::string> taken = share.table.take_names();
    names.insert(names.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  }
  std::vector<GlobalId> ids;
  auto directory = std::make_shared<const NameDirectory>(NameDirectory::build(reading.comm, names, ids));
  reading.team.run([&](int thread) {
    const std::size_t offset = first[static_cast<std::size_t>(thread)];
    const auto translate = [&](GlobalId& id) { id = ids[offset + static_cast<std::size_t>(number(id))]; };
    ThreadShare& share = of_thread(shares, thread);
    for (GlobalId& vertex : share.vertices) translate(vertex);
    for (std::size_t block = 0; block < share.edges.block_count(); ++block) {
      for (Edge& edge : share.edges.edges(block)) {
        translate(edge.source);
        translate(edge.target);
      }
    }
  });
  return directory;
}

/// Reads the edge file once more, for the first line with an endpoint in `unlisted`. Always throws. Collective.
template <class Id, class Set>
[[noreturn]] void refuse_first_line_with(const Reading& reading, const Set& unlisted) {
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
void require_listed(const Reading& reading, const GraphInput& input) {
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

} // namespace

GraphInput read_graph(const core::Communicator& comm, const ReadOptions& options, core::ThreadTeam& team) {
  const Reading reading{comm, options, team, find_vertex_file(comm, options)};
  const bool names = options.ids == IdKind::text;
  ThreadShares shares = names ? read_files<std::string_view>(reading) : read_files<std::uint64_t>(reading);

  GraphInput input;
  input.description = options.graph_file;
  if (names) input.names = number_names(reading, shares);
  input.edges = EdgeBlocks(options.weighted);
  for (ThreadShare& share : shares) {
    input.edges.splice(std::move(share.edges));
    input.vertices.insert(input.vertices.end(), share.vertices.begin(), share.vertices.end());
  }
  if (reading.vertex_file) require_listed(reading, input);
  return input;
}

} // namespace pregel
