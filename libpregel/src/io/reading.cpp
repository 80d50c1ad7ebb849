#include "reading.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "machine_memory.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/name_directory.hpp"
#include "pregel/io/fields.hpp"

namespace pregel {
namespace {

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

} // namespace

ThreadShares make_shares(const Reading& reading, bool weighted) {
  ThreadShares shares;
  while (shares.size() < static_cast<std::size_t>(reading.team.size())) shares.emplace_back(weighted);
  return shares;
}

GraphInput join(const Reading& reading, ThreadShares&& shares) {
  GraphInput input;
  input.description = reading.options.graph_file;
  if (reading.options.ids == IdKind::text) input.names = number_names(reading, shares);
  input.edges = EdgeBlocks(shares.front().edges.weighted());
  for (ThreadShare& share : shares) {
    input.edges.splice(std::move(share.edges));
    input.vertices.insert(input.vertices.end(), share.vertices.begin(), share.vertices.end());
  }
  return input;
}

std::optional<std::uint64_t> parse_count(std::string_view field) {
  std::uint64_t value = 0;
  const char* const last = field.data() + field.size();
  const auto [end, error] = std::from_chars(field.data(), last, value);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

bool read_id(std::string_view field, std::uint64_t& id) {
  const auto count = parse_count(field);
  id = count.value_or(0);
  return count && id <= kLargestId;
}

bool read_id(std::string_view field, std::string_view& name) {
  name = field;
  return !field.empty() && std::none_of(field.begin(), field.end(), [](char c) { return ends_field(c) || c == '\0'; });
}

bool read_weight(std::string_view field, double& weight, std::string& scratch) {
  scratch.assign(field);
  scratch += '\n';
  scratch.append(kFieldPadding, '\0');
  const char* const end = parse_weight(scratch.data(), weight);
  return !field.empty() && end == scratch.data() + field.size();
}

void require_entries(const Reading& reading, const ThreadShares& shares, const HeaderLine& header,
                     std::uint64_t promised, const char* what) {
  std::uint64_t found = 0;
  for (const ThreadShare& share : shares) found += share.entries;
  found = core::all_reduce_value(reading.comm, found, core::Reduce::sum);
  core::agree(reading.comm, [&] {
    if (found == promised) return;
    throw FileError(reading.options.graph_file, header.number,
                    fmt::format("the header promises {} {}, and {} follow", promised, what, found));
  });
}

void require_vertex_room(const Reading& reading, const HeaderLine& header, std::uint64_t vertices) {
  const auto ranks = static_cast<std::uint64_t>(reading.comm.size());
  const auto refuse = [&](const std::string& reason) {
    throw FileError(reading.options.graph_file, header.number,
                    fmt::format("the header promises {} vertices: {}", vertices, reason));
  };
  if (vertices / ranks > kMostVerticesOfRank) refuse("a rank holds 2^32-2");
  // A lower bound of what the loaded graph takes: id, degree, offset, order and index.
  constexpr std::uint64_t kBytesPerVertex = 28;
  if (vertices / ranks > machine_bytes() / kBytesPerVertex) refuse("this machine has no room for them");
}

bool reads_weights(const Reading& reading, const HeaderLine& header, bool has_weights, const char* why) {
  if (reading.options.weighted && !has_weights) {
    throw FileError(reading.options.graph_file, header.number,
                    fmt::format("{}: leave --weighted out, and every weight is 1", why));
  }
  return reading.options.weighted || (reading.options.weights_if_declared && has_weights);
}

void require_numbers(const Reading& reading, const char* format) {
  if (reading.options.ids == IdKind::number) return;
  throw core::InputError(
      fmt::format("{}: {} numbers its vertices: leave --ids string out", reading.options.graph_file, format));
}

} // namespace pregel
