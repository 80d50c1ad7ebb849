// The text reader maps the file, cuts it at line ends into one piece a thread and parses digits by hand: the yardstick
// for how fast a text graph can be read at all when nothing has to travel.
#include "edge_input.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace reference {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path + ": " + reason);
}

/// A whole file, mapped for reading.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    if (descriptor < 0) fail(path, "cannot be opened");
    struct stat status {};
    const bool known = ::fstat(descriptor, &status) == 0;
    size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    ::close(descriptor);
    if (!known || data_ == MAP_FAILED) fail(path, "cannot be mapped");
  }
  ~MappedFile() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// One thread's piece of a text file.
struct Piece {
  std::vector<Edge> edges;
  std::vector<Weight> weights;
  const char* error = nullptr; ///< where the first bad line was met
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/// The number at `at`, which moves behind it; false when there is none or it exceeds `limit`.
bool parse_number(const char*& at, const char* end, std::uint64_t limit, std::uint64_t& value) {
  while (at != end && is_blank(*at)) ++at;
  const char* const start = at;
  value = 0;
  while (at != end && *at >= '0' && *at <= '9' && value <= limit) {
    value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  return at != start && value <= limit;
}

Piece parse_piece(const char* at, const char* end, bool weighted) {
  constexpr std::uint64_t kLargestId = std::numeric_limits<std::int32_t>::max() - 1;
  constexpr std::uint64_t kLargestWeight = 1U << 24U;
  Piece piece;
  piece.edges.reserve(static_cast<std::size_t>(end - at) / 14); // two ids of scale 20 and their separators
  while (at != end) {
    const char* const line = at;
    while (at != end && is_blank(*at)) ++at;
    if (at != end && *at != '\n' && *at != '#' && *at != '%') {
      std::uint64_t u = 0;
      std::uint64_t v = 0;
      std::uint64_t weight = 1;
      if (!parse_number(at, end, kLargestId, u) || !parse_number(at, end, kLargestId, v) ||
          (weighted && !parse_number(at, end, kLargestWeight, weight))) {
        piece.error = line;
        return piece;
      }
      piece.edges.push_back({static_cast<Vertex>(u), static_cast<Vertex>(v)});
      if (weighted) piece.weights.push_back(static_cast<Weight>(weight));
    }
    while (at != end && *at != '\n') ++at;
    if (at != end) ++at;
  }
  return piece;
}

/// Start of the first line at or after byte `position`.
std::size_t line_start(std::string_view text, std::size_t position) {
  if (position == 0 || position >= text.size()) return std::min(position, text.size());
  const std::size_t end = text.find('\n', position - 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::vector<Piece> parse_in_parallel(std::string_view text, bool weighted) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<Piece> pieces(threads);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t first = line_start(text, text.size() / threads * t);
    const std::size_t last = t + 1 == threads ? text.size() : line_start(text, text.size() / threads * (t + 1));
    pieces[t] = parse_piece(text.data() + first, text.data() + last, weighted);
  }
  return pieces;
}

EdgeList read_text(const std::string& path, bool weighted) {
  const MappedFile file(path);
  std::vector<Piece> pieces = parse_in_parallel(file.text(), weighted);
  EdgeList list;
  std::size_t total = 0;
  for (const Piece& piece : pieces) {
    if (piece.error != nullptr) {
      fail(path, "no edge in the line at byte " + std::to_string(piece.error - file.text().data()));
    }
    total += piece.edges.size();
  }
  list.edges.reserve(total);
  for (Piece& piece : pieces) {
    list.edges.insert(list.edges.end(), piece.edges.begin(), piece.edges.end());
    list.weights.insert(list.weights.end(), piece.weights.begin(), piece.weights.end());
    piece = {};
  }
  return list;
}

EdgeList read_binary(const std::string& path, std::size_t words_per_edge) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(path, "cannot be opened");
  const auto bytes = static_cast<std::size_t>(file.tellg());
  const std::size_t edge_bytes = words_per_edge * sizeof(std::uint32_t);
  if (bytes % edge_bytes != 0) fail(path, "size is no multiple of " + std::to_string(edge_bytes));
  std::vector<std::uint32_t> words(bytes / sizeof(std::uint32_t));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes));
  if (!file) fail(path, "cannot be read");
  EdgeList list;
  list.edges.reserve(bytes / edge_bytes);
  for (std::size_t i = 0; i < words.size(); i += words_per_edge) {
    list.edges.push_back({words[i], words[i + 1]});
    if (words_per_edge == 3) list.weights.push_back(static_cast<Weight>(words[i + 2]));
  }
  return list;
}

Vertex count_vertices(const std::vector<Edge>& edges) {
  Vertex count = 0;
#pragma omp parallel for schedule(static) reduction(max : count)
  for (std::size_t i = 0; i < edges.size(); ++i) count = std::max({count, edges[i].u + 1, edges[i].v + 1});
  return count;
}

/// A well mixed 64-bit number of a 64-bit one (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// Numbers of one stream, a function of (seed, stream) alone.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream)) {}
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  /// Uniform below `bound` (which is far below 2^32, so the bias does not matter).
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }

 private:
  std::uint64_t state_;
};

Edge kronecker_edge(unsigned scale, Stream& random) {
  Vertex u = 0;
  Vertex v = 0;
  for (unsigned bit = 0; bit < scale; ++bit) {
    const std::uint64_t percent = random.below(100);
    const unsigned row = percent >= 76 ? 1 : 0; // A + B = 0.76
    const unsigned column = (percent >= 57 && percent < 76) || percent >= 95 ? 1 : 0;
    u = (u << 1U) | row;
    v = (v << 1U) | column;
  }
  return {u, v};
}

/// Drops loops and all but the lightest of repeated edges; sorted, smaller endpoint first.
EdgeList without_loops_and_repeats(EdgeList list) {
  struct Item {
    Vertex u, v;
    Weight weight;
    auto operator<=>(const Item&) const = default;
  };
  std::vector<Item> items;
  items.reserve(list.edges.size());
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    const auto [u, v] = std::minmax(list.edges[i].u, list.edges[i].v);
    if (u != v) items.push_back({u, v, list.weights.empty() ? 1 : list.weights[i]});
  }
  std::sort(items.begin(), items.end());
  const auto same_pair = [](const Item& a, const Item& b) { return a.u == b.u && a.v == b.v; };
  items.erase(std::unique(items.begin(), items.end(), same_pair), items.end());
  const bool weighted = !list.weights.empty();
  list.edges.clear();
  list.weights.clear();
  for (const Item& item : items) {
    list.edges.push_back({item.u, item.v});
    if (weighted) list.weights.push_back(item.weight);
  }
  return list;
}

} // namespace

EdgeList read_edges(const std::string& path, bool weighted) {
  EdgeList list;
  if (path.ends_with(".wel32")) {
    list = read_binary(path, 3);
    if (!weighted) list.weights = {};
  } else if (path.ends_with(".el32")) {
    if (weighted) fail(path, "has no weights; use a .wel32 or text file");
    list = read_binary(path, 2);
  } else {
    list = read_text(path, weighted);
  }
  list.vertex_count = count_vertices(list.edges);
  return list;
}

void write_edges(const std::string& path, const EdgeList& list) {
  std::ofstream file(path, std::ios::binary);
  std::vector<std::uint32_t> words;
  words.reserve(list.edges.size() * 2 + list.weights.size());
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    words.push_back(list.edges[i].u);
    words.push_back(list.edges[i].v);
    if (!list.weights.empty()) words.push_back(static_cast<std::uint32_t>(list.weights[i]));
  }
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
  file.close();
  if (!file) fail(path, "cannot be written");
}

EdgeList kronecker_edges(unsigned scale, unsigned degree, std::uint64_t seed, bool weighted) {
  EdgeList list;
  list.vertex_count = Vertex{1} << scale;
  std::vector<Vertex> names(list.vertex_count);
  std::iota(names.begin(), names.end(), Vertex{0});
  Stream shuffle(seed, ~std::uint64_t{0});
  for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[shuffle.below(i)]);
  list.edges.resize(std::size_t{degree} << scale);
  if (weighted) list.weights.resize(list.edges.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    Stream random(seed, i);
    const auto [u, v] = kronecker_edge(scale, random);
    list.edges[i] = {names[u], names[v]};
    if (weighted) list.weights[i] = static_cast<Weight>(1 + random.below(255));
  }
  return without_loops_and_repeats(std::move(list));
}

} // namespace reference
