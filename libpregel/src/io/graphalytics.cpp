// Companion files of a Graphalytics graph, and the check that its vertex list is complete.
//
// The check sends every listed id to a rank that its value chooses, and asks that rank about every endpoint. Endpoints
// come in runs and hubs come often, so each rank keeps the ids that it asked about last in a small direct-mapped table
// and asks again only after another id took the place.
#include "graphalytics.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "collectives/routed_exchange.hpp"
#include "core/collectives.hpp"
#include "core/random.hpp"
#include "graph_format.hpp"
#include "pregel/error.hpp"
#include "pregel/graph/id_index.hpp"

namespace pregel {
namespace {

constexpr std::size_t kEdgesPerTurn = 2048; // of one call of the produce function
constexpr std::size_t kRecentIds = std::size_t{1} << 16;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

/// "NAME" of NAME.e, compressed or not; nothing for other names.
[[nodiscard]] std::optional<std::string> stem_of(std::string_view file) {
  file = without_compression(file);
  if (!file.ends_with(".e")) return std::nullopt;
  return std::string(file.substr(0, file.size() - 2));
}

[[nodiscard]] bool exists(const std::string& path) {
  std::error_code ignored; // what cannot be looked at cannot be opened either: the reader says why
  return std::filesystem::exists(path, ignored);
}

/// NAME.v or, if only that is there, NAME.v.gz or NAME.v.zst.
[[nodiscard]] std::optional<std::string> existing_vertex_file(const std::string& stem) {
  for (const char* ending : {".v", ".v.gz", ".v.zst"}) {
    if (exists(stem + ending)) return stem + ending;
  }
  return std::nullopt;
}

[[nodiscard]] std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Ids in stretches of 2^16 share a rank, so that its index of a dense graph stays a bitmap.
[[nodiscard]] int keeper_of(std::uint64_t id, int ranks) {
  return static_cast<int>(core::mix64(id >> 16) % static_cast<std::uint64_t>(ranks));
}

/// The listed ids that this rank keeps. Collective.
[[nodiscard]] IdIndex keep_listed(const core::Communicator& comm, std::span<const GlobalId> vertices) {
  std::vector<std::uint64_t> kept;
  auto produce = collectives::produce_each(
      vertices, [&](auto& push, GlobalId id) { push(keeper_of(number(id), comm.size()), number(id)); });
  const auto consume = [&](int, std::span<const std::uint64_t> ids) {
    kept.insert(kept.end(), ids.begin(), ids.end());
  };
  collectives::routed_exchange<std::uint64_t>(comm, produce, consume);

  std::uint64_t largest = 0;
  for (const std::uint64_t id : kept) largest = std::max(largest, id);
  return core::agree(comm, [&] {
    IdIndex index(largest, kept.size());
    for (const std::uint64_t id : kept) index.insert(id);
    std::ignore = index.finish();
    return index;
  });
}

/// Hands out the endpoints of edges, most repeats left out.
class EndpointStream {
 public:
  explicit EndpointStream(const EdgeBlocks& edges) : edges_(edges), recent_(kRecentIds, kNone) {}

  /// Calls visit(id) for the endpoints of the next few edges; false when there are no more.
  template <class Visit>
  bool next(Visit&& visit) {
    if (block_ == edges_.block_count()) return false;
    const auto edges = edges_.edges(block_);
    const std::size_t end = std::min(edges.size(), edge_ + kEdgesPerTurn);
    for (; edge_ < end; ++edge_) {
      for (const GlobalId id : {edges[edge_].source, edges[edge_].target}) {
        std::uint64_t& recent = recent_[core::mix64(number(id)) % kRecentIds];
        if (recent == number(id)) continue;
        recent = number(id);
        visit(number(id));
      }
    }
    if (edge_ == edges.size()) {
      ++block_;
      edge_ = 0;
    }
    return true;
  }

 private:
  const EdgeBlocks& edges_;
  std::vector<std::uint64_t> recent_;
  std::size_t block_ = 0;
  std::size_t edge_ = 0;
};

} // namespace

std::optional<std::string> find_vertex_file(const core::Communicator& comm, const ReadOptions& options) {
  if (options.vertex_file) return options.vertex_file;
  if (options.format == GraphFormat::edge_list) return std::nullopt;
  std::string path;
  if (comm.rank() == 0) {
    const auto stem = stem_of(options.graph_file);
    const auto found = stem ? existing_vertex_file(*stem) : std::nullopt;
    // Where the format is asked for, a vertex file that is not there shall be named by the error.
    const bool asked_for = options.format == GraphFormat::graphalytics;
    path = found ? *found : asked_for ? stem.value_or(options.graph_file) + ".v" : "";
  }
  path = core::broadcast_string(comm, path, 0);
  if (path.empty()) return std::nullopt;
  return path;
}

std::unordered_set<std::uint64_t> unlisted_endpoints(const core::Communicator& comm, std::span<const GlobalId> vertices,
                                                     const EdgeBlocks& edges) {
  struct Unlisted {
    int asker;
    std::uint64_t id;
  };
  const IdIndex listed = keep_listed(comm, vertices);
  std::vector<Unlisted> unlisted;
  EndpointStream endpoints(edges);
  const auto ask = [&](auto&& push) {
    return endpoints.next([&](std::uint64_t id) { push(keeper_of(id, comm.size()), id); });
  };
  const auto look_up = [&](int asker, std::span<const std::uint64_t> ids) {
    for (const std::uint64_t id : ids) {
      if (!listed.find(id)) unlisted.push_back({asker, id});
    }
  };
  collectives::routed_exchange<std::uint64_t>(comm, ask, look_up);

  std::unordered_set<std::uint64_t> mine;
  if (core::all_reduce_value<std::uint64_t>(comm, unlisted.size(), core::Reduce::sum) == 0) return mine;
  auto answer =
      collectives::produce_each(unlisted, [](auto& push, const Unlisted& found) { push(found.asker, found.id); });
  collectives::routed_exchange<std::uint64_t>(
      comm, answer, [&](int, std::span<const std::uint64_t> ids) { mine.insert(ids.begin(), ids.end()); });
  return mine;
}

std::optional<bool> directed_by_properties(const std::string& graph_file) {
  const auto stem = stem_of(graph_file);
  if (!stem) return std::nullopt;
  const std::string path = *stem + ".properties";
  std::ifstream file(path);
  std::string line;
  for (unsigned long long number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trim(line);
    const std::size_t separator = text.find_first_of("=:");
    if (text.starts_with('#') || text.starts_with('!') || separator == std::string_view::npos) continue;
    const std::string_view key = trim(text.substr(0, separator));
    if (!key.starts_with("graph.") || !key.ends_with(".directed")) continue;
    const std::string_view value = trim(text.substr(separator + 1));
    if (value == "true") return true;
    if (value == "false") return false;
    throw FileError(path, number, in_quotes(value) + " is neither true nor false");
  }
  return std::nullopt;
}

} // namespace pregel
