// Edges are dealt out evenly, whichever rows they are in; a rank finds the row of its first edge by bisecting the
// offsets. Nothing that a file says is believed: sizes, order of offsets and ids, and that every target is a vertex are
// checked on the way.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/hdf5.hpp"
#include "graph_hdf5.hpp"
#include "graphalytics.hpp"
#include "machine_memory.hpp"
#include "pregel/io/fields.hpp"

namespace pregel {
namespace {

namespace hdf5 = core::hdf5;

struct Header {
  std::uint64_t vertices = 0, edges = 0;
  bool directed = true, weighted = false, named = false, wide = false;
};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw core::InputError(path + ": " + reason);
}

/// What HDF5 refuses to read is the user's file, not our run. Local.
template <class Read>
auto reading_hdf5(const Read& read) {
  try {
    return read();
  } catch (const hdf5::Hdf5Error& error) {
    throw core::InputError(error.what());
  }
}

/// A file that begins like HDF5. Local.
[[nodiscard]] hdf5::File open_graph(const std::string& path) {
  try {
    return hdf5::File::open(path);
  } catch (const hdf5::Hdf5Error& error) {
    refuse(path, "a damaged HDF5 file: " + error.reason());
  }
}

[[nodiscard]] Header read_header(const hdf5::File& file) {
  const std::string& path = file.path();
  if (!hdf5::has_attribute(file, "/", "format") ||
      hdf5::read_string_attribute(file, "/", "format") != "superstep-graph")
    refuse(path, "this HDF5 file holds no graph: its attribute 'format' should be 'superstep-graph'");
  if (hdf5::read_attribute<std::uint32_t>(file, "/", "layout") != 1)
    refuse(path, "the graph has a layout of a later version");
  Header header;
  header.vertices = hdf5::read_attribute<std::uint64_t>(file, "/", "vertices");
  header.edges = hdf5::read_attribute<std::uint64_t>(file, "/", "edges");
  header.directed = hdf5::read_attribute<std::uint8_t>(file, "/", "directed") != 0;
  header.weighted = hdf5::read_attribute<std::uint8_t>(file, "/", "weighted") != 0;
  header.named = hdf5::read_attribute<std::uint8_t>(file, "/", "named") != 0;
  const auto require_length = [&](const char* name, std::uint64_t promised) {
    const std::size_t length = hdf5::dataset_length(file, name);
    if (length != promised)
      refuse(path, fmt::format("dataset '{}' has {} elements, and the attributes promise {}", name, length, promised));
  };
  require_length("ids", header.vertices);
  require_length("offsets", header.vertices + 1);
  require_length("targets", header.edges);
  if (header.weighted) require_length("weights", header.edges);
  if (header.named) require_length("name_offsets", header.vertices + 1);
  const auto targets = hdf5::own<hdf5::Dataset>(H5Dopen2(file.id(), "targets", H5P_DEFAULT), "open targets of " + path);
  const auto type = hdf5::own<hdf5::Datatype>(H5Dget_type(targets.id()), "read the type of targets of " + path);
  header.wide = H5Tget_size(type.id()) > sizeof(std::uint32_t);
  return header;
}

/// Part `index` of `count` equal ones of 0 .. total.
[[nodiscard]] std::uint64_t cut(std::uint64_t total, int index, int count) {
  const auto i = static_cast<std::uint64_t>(index), n = static_cast<std::uint64_t>(count);
  return total / n * i + std::min(total % n, i);
}

/// One rank's reading of the file.
class ShareReader {
 public:
  ShareReader(const Reading& reading, const hdf5::File& file, const Header& header, bool weighted)
      : file_(file), header_(header), weighted_(weighted), rank_(reading.comm.rank()), ranks_(reading.comm.size()) {
    first_edge_ = cut(header.edges, rank_, ranks_);
    end_edge_ = cut(header.edges, rank_ + 1, ranks_);
  }

  /// This rank's share of the vertices. They must ascend, from `before` on, which is the id before the share.
  [[nodiscard]] std::vector<GlobalId> vertices() const {
    const std::uint64_t first = cut(header_.vertices, rank_, ranks_), end = cut(header_.vertices, rank_ + 1, ranks_);
    const std::uint64_t from = first == 0 ? 0 : first - 1; // one more, to compare with
    const auto ids = hdf5::read_dataset<std::uint64_t>(file_, "ids", from, end - from);
    for (std::size_t i = 1; i < ids.size(); ++i) {
      if (ids[i - 1] >= ids[i]) refuse(file_.path(), fmt::format("ids do not ascend at position {}", from + i));
    }
    std::vector<GlobalId> vertices;
    for (std::size_t i = first - from; i < ids.size(); ++i) vertices.push_back(GlobalId{ids[i]});
    if (!vertices.empty() && vertices.back() == kNoVertex)
      refuse(file_.path(), fmt::format("{} is too large for a vertex id", number(kNoVertex)));
    return vertices;
  }

  [[nodiscard]] EdgeBlocks edges() const {
    EdgeBlocks edges(weighted_);
    check_ends();
    if (first_edge_ == end_edge_) return edges;
    std::uint64_t row = row_of(first_edge_);
    for (std::uint64_t edge = first_edge_; edge < end_edge_;) {
      const std::uint64_t count = std::min(kRowsAtATime, header_.vertices - row);
      const auto offsets = hdf5::read_dataset<std::uint64_t>(file_, "offsets", row, count + 1);
      const auto ids = hdf5::read_dataset<std::uint64_t>(file_, "ids", row, count);
      check_ascending(offsets, row);
      const std::uint64_t end = std::min(end_edge_, offsets.back());
      while (edge < end) {
        const std::uint64_t some = std::min(end, edge + kEdgesAtATime);
        append(edges, offsets, ids, edge, some);
        edge = some;
      }
      row += count;
      if (row == header_.vertices && edge < end_edge_) refuse(file_.path(), "offsets end before the edges do");
    }
    return edges;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    const std::uint64_t first = cut(header_.vertices, rank_, ranks_), end = cut(header_.vertices, rank_ + 1, ranks_);
    const auto offsets = hdf5::read_dataset<std::uint64_t>(file_, "name_offsets", first, end - first + 1);
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i - 1] >= offsets[i]) refuse(file_.path(), fmt::format("name {} is empty", first + i - 1));
    }
    if (offsets.back() > hdf5::dataset_length(file_, "names"))
      refuse(file_.path(), "name_offsets point beyond the names");
    const auto bytes =
        hdf5::read_dataset<std::uint8_t>(file_, "names", offsets.front(), offsets.back() - offsets.front());
    std::vector<std::string> names;
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      names.emplace_back(reinterpret_cast<const char*>(bytes.data()) + (offsets[i - 1] - offsets[0]),
                         offsets[i] - offsets[i - 1]);
      const auto bad = [](char c) { return ends_field(c) || c == '\0'; };
      if (std::any_of(names.back().begin(), names.back().end(), bad))
        refuse(file_.path(), in_quotes(names.back()) + ": no blanks can be in a name");
    }
    return names;
  }

 private:
  // Buffers that stay in the second-level cache: half a megabyte. Reading the file by millions took twice the time.
  static constexpr std::uint64_t kRowsAtATime = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kEdgesAtATime = std::uint64_t{1} << 17;

  [[nodiscard]] std::uint64_t offset(std::uint64_t row) const {
    return hdf5::read_dataset<std::uint64_t>(file_, "offsets", row, 1)[0];
  }
  void check_ends() const {
    if (offset(0) != 0 || offset(header_.vertices) != header_.edges)
      refuse(file_.path(), "offsets must begin with 0 and end with the number of edges");
  }
  void check_ascending(const std::vector<std::uint64_t>& offsets, std::uint64_t row) const {
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i - 1] > offsets[i] || offsets[i] > header_.edges)
        refuse(file_.path(), fmt::format("offsets do not ascend at position {}", row + i));
    }
  }
  /// The last row that begins at or before `edge` and is not empty there.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t edge) const {
    std::uint64_t low = 0, high = header_.vertices; // offset(low) <= edge < offset(high)
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (offset(middle) <= edge ? low : high) = middle;
    }
    return low;
  }

  /// Edges `first` .. `end`-1, whose rows are among those of `offsets`.
  void append(EdgeBlocks& edges, const std::vector<std::uint64_t>& offsets, const std::vector<std::uint64_t>& ids,
              std::uint64_t first, std::uint64_t end) const {
    std::vector<double> weights;
    if (weighted_) {
      weights = hdf5::read_dataset<double>(file_, "weights", first, end - first);
      if (!std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
        refuse(file_.path(), "a weight is not finite");
    }
    const auto append_targets = [&](const auto& targets) {
      auto row =
          static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), first) - offsets.begin() - 1);
      for (std::uint64_t edge = first; edge < end; ++row) {
        const GlobalId source{ids[row]};
        for (const std::uint64_t row_end = std::min(end, offsets[row + 1]); edge < row_end; ++edge)
          edges.append({source, GlobalId{targets[edge - first]}}, weighted_ ? weights[edge - first] : 1.0);
      }
    };
    if (header_.wide)
      append_targets(hdf5::read_dataset<std::uint64_t>(file_, "targets", first, end - first));
    else
      append_targets(hdf5::read_dataset<std::uint32_t>(file_, "targets", first, end - first));
  }

  const hdf5::File& file_;
  const Header& header_;
  bool weighted_;
  int rank_, ranks_;
  std::uint64_t first_edge_ = 0, end_edge_ = 0;
};

/// The first target of this rank's edges for which `known(id)` is false. Local.
template <class Known>
[[nodiscard]] std::optional<std::uint64_t> first_stranger(const EdgeBlocks& edges, const Known& known) {
  for (std::size_t block = 0; block < edges.block_count(); ++block) {
    for (const Edge& edge : edges.edges(block)) {
      if (!known(number(edge.target))) return number(edge.target);
    }
  }
  return std::nullopt;
}

/// A bit for each id of first .. last, set on every rank for the vertices: no rank holds the same id as another, so
/// that sums are unions. Collective.
[[nodiscard]] std::vector<std::uint64_t> all_vertices(const core::Communicator& comm,
                                                      const std::vector<GlobalId>& vertices, std::uint64_t first,
                                                      std::uint64_t last) {
  std::vector<std::uint64_t> bits((last - first) / 64 + 1);
  for (const GlobalId id : vertices) bits[(number(id) - first) / 64] |= std::uint64_t{1} << ((number(id) - first) % 64);
  core::all_reduce(comm, std::span<std::uint64_t>(bits), core::Reduce::sum);
  return bits;
}

/// Every target is a vertex. Ids without a gap, which most graphs have, are vertices by their size; ids with few gaps
/// are looked up in a bitmap that all ranks share; others are sent to their owners. Collective.
void require_vertices(const Reading& reading, const Header& header, GraphInput& input) {
  constexpr std::uint64_t kRangePerVertex = 32; // the bitmap costs at most 4 bytes a vertex
  std::uint64_t first = input.vertices.empty() ? ~std::uint64_t{0} : number(input.vertices.front());
  std::uint64_t last = input.vertices.empty() ? 0 : number(input.vertices.back());
  first = core::all_reduce_value(reading.comm, first, core::Reduce::min);
  last = core::all_reduce_value(reading.comm, last, core::Reduce::max);
  const bool gapless = header.vertices == 0 || last - first == header.vertices - 1;
  std::optional<std::uint64_t> stranger;
  if (gapless) {
    stranger = first_stranger(input.edges, [&](std::uint64_t id) { return id - first < header.vertices; });
    input.contiguous_first = first;
    input.contiguous_vertices = header.vertices;
    input.vertices.clear();
    if (header.vertices == 0) input.contiguous_first = 0;
  } else if ((last - first) / kRangePerVertex < header.vertices) {
    const std::vector<std::uint64_t> bits = all_vertices(reading.comm, input.vertices, first, last);
    stranger = first_stranger(input.edges, [&](std::uint64_t id) {
      return id - first <= last - first && (bits[(id - first) / 64] >> ((id - first) % 64) & 1) != 0;
    });
  } else {
    const auto unlisted = unlisted_endpoints(reading.comm, input.vertices, input.edges);
    if (!unlisted.empty()) stranger = *unlisted.begin();
  }
  core::agree(reading.comm, [&] {
    if (stranger) refuse(reading.options.graph_file, fmt::format("target {} is not among the ids", *stranger));
  });
}

/// The names, whose numbers must be the ids. Collective.
void take_names(const Reading& reading, const std::vector<std::string>& names, const std::vector<GlobalId>& vertices,
                GraphInput& input) {
  std::vector<GlobalId> ids;
  input.names = std::make_shared<const NameDirectory>(NameDirectory::build(reading.comm, names, ids));
  core::agree(reading.comm, [&] {
    if (ids != vertices)
      refuse(reading.options.graph_file, "names must ascend bytewise, and their ids be 0, 1, 2, ...");
  });
}

} // namespace

GraphInput read_hdf5_graph(const Reading& reading) {
  const std::string& path = reading.options.graph_file;
  GraphInput input;
  Header header;
  std::vector<std::string> names;
  core::agree(reading.comm, [&] {
    return reading_hdf5([&] {
      const hdf5::File file = open_graph(path);
      header = read_header(file);
      if (reading.options.weighted && !header.weighted)
        refuse(path, "this graph has no weights: leave --weighted out, and every weight is 1");
      if (header.named != (reading.options.ids == IdKind::text))
        refuse(path, header.named ? "the vertices have names: give --ids string"
                                  : "the vertices have numbers: leave --ids string out");
      const auto ranks = static_cast<std::uint64_t>(reading.comm.size());
      if (header.vertices / ranks > std::min(kMostVerticesOfRank, machine_bytes() / sizeof(std::uint64_t)) ||
          header.edges / ranks > machine_bytes() / sizeof(Edge))
        refuse(path,
               fmt::format("{} vertices and {} edges are too many for this machine", header.vertices, header.edges));
      const bool weighted = header.weighted && (reading.options.weighted || reading.options.weights_if_declared);
      const ShareReader share(reading, file, header, weighted);
      input.vertices = share.vertices();
      input.edges = share.edges();
      if (header.named) names = share.names();
    });
  });
  if (header.named) take_names(reading, names, input.vertices, input);
  require_vertices(reading, header, input);
  input.description = path;
  input.directed = header.directed;
  return input;
}

} // namespace pregel
