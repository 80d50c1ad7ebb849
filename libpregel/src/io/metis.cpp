// The graph format of METIS (manual of version 5, section 4.1.1), also that of KaHIP, KaMinPar and DIMACS 10:
//
//   n m [fmt [ncon]]               fmt: up to three digits 0 or 1: vertex sizes, vertex weights, edge weights
//   [size] [weight ...] neighbour [weight] neighbour [weight] ...       a line a vertex, numbered from 1
//
// Lines that begin with % are comments; an empty line is a vertex without edges. The graph is undirected: each of its m
// edges stands in the lines of both its ends, with the same weight, and that is checked. Vertex sizes and weights are
// skipped. Loops, which METIS itself has not, stand in their line once.
//
// A line means the vertex of its number, and no rank knows how many lines come before its own. So the file is read
// twice: first the lines of each block are counted, then they are parsed.
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "collectives/routed_exchange.hpp"
#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "pregel/error.hpp"
#include "pregel/io/fields.hpp"
#include "reading.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

struct Header {
  HeaderLine line;
  std::uint64_t vertices = 0, edges = 0;
  std::uint64_t skipped = 0; ///< columns that begin a line: size and weights of the vertex
  bool weighted = false;
};

/// Empty, or why the words make no header.
[[nodiscard]] std::string parse_header(const std::vector<std::string_view>& words, Header& header) {
  constexpr const char* kExpected = "expected 'vertices edges [format [weights]]'";
  if (words.size() < 2 || words.size() > 4) return fmt::format("{}, found {} columns", kExpected, words.size());
  const auto vertices = parse_count(words[0]), edges = parse_count(words[1]);
  if (!vertices || !edges) return in_quotes(words[vertices ? 1 : 0]) + " is no size: " + kExpected;
  header.vertices = *vertices;
  header.edges = *edges;
  const std::string_view flags = words.size() > 2 ? words[2] : "0";
  if (flags.size() > 3 || flags.find_first_not_of("01") != std::string_view::npos)
    return in_quotes(flags) +
           " is no format: up to three digits 0 or 1, for vertex sizes, vertex weights, edge weights";
  const auto flag = [&](std::size_t from_right) {
    return flags.size() >= from_right && flags[flags.size() - from_right] == '1';
  };
  header.weighted = flag(1);
  const bool vertex_weights = flag(2);
  std::uint64_t weights = vertex_weights ? 1 : 0;
  if (words.size() > 3) {
    const auto count = parse_count(words[3]);
    if (!count || *count > 1000) return in_quotes(words[3]) + " is no number of vertex weights";
    if ((*count > 1 && !vertex_weights) || (*count == 0 && vertex_weights))
      return fmt::format("the format {} and {} vertex weights contradict each other", in_quotes(flags), *count);
    if (vertex_weights) weights = *count;
  }
  header.skipped = weights + (flag(3) ? 1 : 0);
  return {};
}

/// Local.
[[nodiscard]] Header read_header(const Reading& reading) {
  TextHead head(reading.options.graph_file);
  std::uint64_t last = 1;
  while (const std::optional<HeadLine> line = head.next()) {
    last = line->number;
    const std::vector<std::string_view> words = split_columns(line->text);
    if (words.empty() || words[0][0] == '%' || words[0][0] == '#') continue;
    Header header;
    header.line = {line->number, line->end};
    const std::string reason = parse_header(words, header);
    if (!reason.empty()) throw FileError(reading.options.graph_file, line->number, reason);
    require_vertex_room(reading, header.line, header.vertices);
    return header;
  }
  throw FileError(reading.options.graph_file, last, "the file ends before the line 'vertices edges'");
}

/// How many rows come before each block of lines.
class RowNumbers {
 public:
  /// Counts the rows of the whole file. Collective.
  RowNumbers(const Reading& reading, const Header& header) {
    std::vector<std::vector<Block>> of_threads(static_cast<std::size_t>(reading.team.size()));
    read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                      [&](int thread, std::uint64_t position, std::string_view lines) {
                        std::uint64_t rows = 0;
                        auto bad = for_each_line<true>(
                            lines,
                            [&](const char* p) {
                              ++rows;
                              return finish_line(p);
                            },
                            [](std::string_view) { return std::string(); });
                        of_threads[static_cast<std::size_t>(thread)].push_back({position, rows});
                        return bad;
                      });
    std::vector<Block> mine;
    for (const auto& blocks : of_threads) mine.insert(mine.end(), blocks.begin(), blocks.end());
    blocks_ = core::all_gather_varying(reading.comm, std::span<const Block>(mine));
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.position < b.position; });
    for (Block& block : blocks_) total_ += std::exchange(block.rows, total_);
  }

  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Rows before the block at `position`. Local.
  [[nodiscard]] std::uint64_t before(std::uint64_t position) const {
    const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), position,
                                     [](const Block& block, std::uint64_t p) { return block.position < p; });
    if (at == blocks_.end() || at->position != position) throw core::InputError("the file changed while it was read");
    return at->rows;
  }

 private:
  struct Block {
    std::uint64_t position, rows; // in it; then before it
  };
  std::vector<Block> blocks_;
  std::uint64_t total_ = 0;
};

/// What one thread finds, beside its edges. Both ends of each edge add the same hash with opposite signs.
struct alignas(64) EndCheck {
  std::uint64_t balance = 0, loops = 0;
};

[[nodiscard]] std::uint64_t hash_of(std::uint64_t low, std::uint64_t high, double weight) {
  return core::mix64(core::mix64(core::mix64(low) ^ high) ^ std::bit_cast<std::uint64_t>(weight));
}

/// Parses rows and calls sink(vertex, neighbour, weight) for each neighbour.
template <class Sink>
[[nodiscard]] std::optional<BadLine> parse_rows(std::string_view lines, const Header& header, std::uint64_t rows_before,
                                                const Sink& sink) {
  std::string reason;
  std::uint64_t vertex = rows_before;
  const auto refuse = [&](std::string text) {
    reason = std::move(text);
    return static_cast<const char*>(nullptr);
  };
  const auto field_at = [](const char* p) {
    return std::string_view(p, static_cast<std::size_t>(end_of_field(p) - p));
  };
  const auto parse_row = [&](const char* p) -> const char* {
    ++vertex;
    if (vertex > header.vertices) {
      const bool blank = ends_field(*p); // further empty lines at the end do no harm
      return blank ? finish_line(p)
                   : refuse(fmt::format("the header promises {} vertices: this line is one too many", header.vertices));
    }
    double number = 0;
    for (std::uint64_t i = 0; i < header.skipped; ++i, p = skip_blanks(p)) {
      if (ends_field(*p))
        return refuse(
            fmt::format("a vertex has {} size or weight column(s) by the header, found {}", header.skipped, i));
      const char* const next = parse_weight(p, number);
      if (next == nullptr) return refuse(why_not_a_weight(field_at(p), "weight of the vertex"));
      p = next;
    }
    while (!ends_field(*p)) {
      std::uint64_t neighbour = 0;
      double weight = 1;
      const char* next = parse_field(p, neighbour);
      if (next == nullptr) return refuse(why_not_an_id(field_at(p)));
      if (neighbour - 1 >= header.vertices)
        return refuse(
            fmt::format("{} is not a vertex of this graph: they go from 1 to {}", neighbour, header.vertices));
      p = skip_blanks(next);
      if (header.weighted) {
        if (ends_field(*p)) return refuse(fmt::format("neighbour {} has no weight, as the header promises", neighbour));
        next = parse_weight(p, weight);
        if (next == nullptr) return refuse(why_not_a_weight(field_at(p), "weight"));
        p = skip_blanks(next);
      }
      sink(vertex, neighbour, weight);
    }
    while (*p == '\r') ++p;
    return *p == '\n' ? p + 1 : refuse("a carriage return inside the line");
  };
  return for_each_line<true>(lines, parse_row, [&](std::string_view) { return reason; });
}

/// An edge as one of its ends lists it.
struct Listed {
  std::uint64_t low, high;
  double weight;
  std::uint64_t lister;
  [[nodiscard]] std::uint64_t other() const noexcept { return lister == low ? high : low; }
};

/// The first listing (by the listing vertex, then by the other end) that its other end does not match. Collective; the
/// file is read once more.
[[nodiscard]] Listed find_unmatched(const Reading& reading, const Header& header, const RowNumbers& rows) {
  std::vector<std::vector<Listed>> found(static_cast<std::size_t>(reading.team.size()));
  read_placed_lines(
      reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
      [&](int thread, std::uint64_t position, std::string_view lines) {
        auto& mine = found[static_cast<std::size_t>(thread)];
        return parse_rows(
            lines, header, rows.before(position), [&](std::uint64_t vertex, std::uint64_t neighbour, double weight) {
              if (vertex != neighbour)
                mine.push_back({std::min(vertex, neighbour), std::max(vertex, neighbour), weight, vertex});
            });
      });
  std::vector<Listed> all, kept;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  auto produce = collectives::produce_each(all, [&](auto& push, const Listed& edge) {
    push(static_cast<int>(core::mix64(edge.low) % static_cast<std::uint64_t>(reading.comm.size())), edge);
  });
  collectives::routed_exchange<Listed>(reading.comm, produce, [&](int, std::span<const Listed> some) {
    kept.insert(kept.end(), some.begin(), some.end());
  });
  // Listings of one edge side by side; each from below takes one from above.
  std::sort(kept.begin(), kept.end(), [](const Listed& a, const Listed& b) {
    return std::tie(a.low, a.high, a.weight, a.lister) < std::tie(b.low, b.high, b.weight, b.lister);
  });
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t lister = kNone, other = kNone;
  for (std::size_t begin = 0, end = 0; begin < kept.size(); begin = end) {
    std::size_t from_low = 0;
    for (end = begin; end < kept.size() && kept[end].low == kept[begin].low && kept[end].high == kept[begin].high &&
                      kept[end].weight == kept[begin].weight;
         ++end)
      from_low += kept[end].lister == kept[end].low;
    if (2 * from_low == end - begin) continue;
    const Listed& unmatched = 2 * from_low > end - begin ? kept[begin] : kept[end - 1];
    if (std::pair(unmatched.lister, unmatched.other()) < std::pair(lister, other)) {
      lister = unmatched.lister;
      other = unmatched.other();
    }
  }
  const std::uint64_t first = core::all_reduce_value(reading.comm, lister, core::Reduce::min);
  other = core::all_reduce_value(reading.comm, lister == first ? other : kNone, core::Reduce::min);
  return {std::min(first, other), std::max(first, other), 0, first};
}

/// Always throws. Collective.
void refuse_unmatched(const Reading& reading, const Header& header, const RowNumbers& rows) {
  const Listed edge = find_unmatched(reading, header, rows);
  const std::string reason =
      fmt::format("vertex {} lists {}, which does not list it{}: an edge stands in the lines of both its ends",
                  edge.lister, edge.other(), header.weighted ? " with the same weight" : "");
  read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                    [&](int, std::uint64_t position, std::string_view lines) {
                      std::uint64_t vertex = rows.before(position);
                      return for_each_line<true>(
                          lines, [&](const char* p) { return ++vertex == edge.lister ? nullptr : finish_line(p); },
                          [&](std::string_view) { return reason; });
                    });
  throw core::InputError("cannot read " + reading.options.graph_file + ": it changed while it was read");
}

/// What the rows add up to, over all ranks, is what the header promises. Collective.
void require_edges(const Reading& reading, const Header& header, const RowNumbers& rows, const ThreadShares& shares,
                   const std::vector<EndCheck>& checks) {
  std::array<std::uint64_t, 3> sums{};
  for (const ThreadShare& share : shares) sums[0] += share.entries;
  for (const EndCheck& check : checks) {
    sums[1] += check.balance;
    sums[2] += check.loops;
  }
  core::all_reduce(reading.comm, std::span<std::uint64_t>(sums), core::Reduce::sum);
  if (sums[1] != 0) refuse_unmatched(reading, header, rows);
  const std::uint64_t edges = (sums[0] - sums[2]) / 2 + sums[2];
  core::agree(reading.comm, [&] {
    if (edges == header.edges) return;
    throw FileError(
        reading.options.graph_file, header.line.number,
        fmt::format("the header promises {} edges, and the lines list {} (each at both ends)", header.edges, edges));
  });
}

} // namespace

GraphInput read_metis(const Reading& reading) {
  require_numbers(reading, "METIS");
  const Header header = core::agree(reading.comm, [&] { return read_header(reading); });
  const bool weighted = core::agree(reading.comm, [&] {
    return reads_weights(reading, header.line, header.weighted, "this file has no edge weights");
  });
  const RowNumbers rows(reading, header);
  core::agree(reading.comm, [&] {
    if (rows.total() >= header.vertices) return;
    throw FileError(reading.options.graph_file, header.line.number,
                    fmt::format("the header promises {} vertices, and {} lines follow (an empty line is a vertex "
                                "without edges)",
                                header.vertices, rows.total()));
  });
  const bool both = reading.options.directed.value_or(false);
  ThreadShares shares = make_shares(reading, weighted);
  std::vector<EndCheck> checks(static_cast<std::size_t>(reading.team.size()));
  read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                    [&](int thread, std::uint64_t position, std::string_view lines) {
                      ThreadShare& share = of_thread(shares, thread);
                      EndCheck& check = checks[static_cast<std::size_t>(thread)];
                      const auto sink = [&](std::uint64_t vertex, std::uint64_t neighbour, double weight) {
                        ++share.entries;
                        if (vertex < neighbour) check.balance += hash_of(vertex, neighbour, weight);
                        if (vertex > neighbour) check.balance -= hash_of(neighbour, vertex, weight);
                        check.loops += vertex == neighbour;
                        if (both || vertex <= neighbour)
                          share.edges.append({GlobalId{vertex}, GlobalId{neighbour}}, weight);
                      };
                      return parse_rows(lines, header, rows.before(position), sink);
                    });
  require_edges(reading, header, rows, shares, checks);
  GraphInput input = join(reading, std::move(shares));
  input.contiguous_first = 1;
  input.contiguous_vertices = header.vertices;
  input.directed = false;
  return input;
}

} // namespace pregel
