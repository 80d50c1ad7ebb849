#include "pregel/io/graph_size.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/hdf5.hpp"
#include "graph_format.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// A file of edges, looked at here and there.
struct Samples {
  std::uint64_t bytes = 0, lines = 0, words = 0, largest_id = 0;
  bool ids_are_numbers = true;
};

/// Counts the whole lines of `text`: words, and in the first two columns the largest number.
void count_lines(std::string_view text, Samples& samples) {
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view line = text.substr(begin, end - begin);
    samples.bytes += line.size() + 1;
    if (line.empty() || line[0] == '#' || line[0] == '%') continue;
    ++samples.lines;
    std::uint64_t column = 0;
    for (std::size_t at = line.find_first_not_of(" \t,;\r"); at != std::string_view::npos; ++column, ++samples.words) {
      const std::size_t stop = std::min(line.find_first_of(" \t,;\r", at), line.size());
      if (column < 2) {
        std::uint64_t id = 0;
        const auto [rest, error] = std::from_chars(line.data() + at, line.data() + stop, id);
        if (error != std::errc{} || rest != line.data() + stop)
          samples.ids_are_numbers = false;
        else
          samples.largest_id = std::max(samples.largest_id, id);
      }
      at = line.find_first_not_of(" \t,;\r", stop);
    }
  }
}

/// 64 pieces of a plain file, spread evenly; a piece begins at a line.
Samples sample_plain(const std::string& path, std::uint64_t size) {
  constexpr std::uint64_t kPieces = 64, kPiece = 16384;
  Samples samples;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  const std::uint64_t pieces = size <= kPieces * kPiece ? 1 : kPieces;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    in.clear();
    in.seekg(static_cast<std::streamoff>(size / pieces * i));
    text.resize(pieces == 1 ? size : kPiece);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const std::size_t first = i == 0 ? 0 : text.find('\n') + 1; // npos + 1 is 0: one long line
    count_lines(std::string_view(text).substr(first), samples);
  }
  return samples;
}

/// The numbers of the first line that is no comment, for formats that begin with sizes.
std::vector<std::uint64_t> header_numbers(const std::string& path, char comment) {
  TextHead head(path);
  while (const auto line = head.next()) {
    if (line->text.empty() || line->text[0] == comment) continue;
    std::istringstream words(line->text);
    std::vector<std::uint64_t> numbers;
    for (std::string word; words >> word;) {
      std::uint64_t n = 0;
      const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), n);
      if (error == std::errc{} && rest == word.data() + word.size()) numbers.push_back(n);
    }
    return numbers;
  }
  return {};
}

/// Nothing if the header is not what it should be: the reader will say so.
std::optional<GraphSize> size_in_header(const std::string& path, GraphFormat format) {
  GraphSize size;
  size.exact = true;
  size.source = "the file's header";
  if (format == GraphFormat::hdf5) {
    namespace hdf5 = core::hdf5;
    try {
      const hdf5::File file = hdf5::File::open(path);
      size.vertices = hdf5::read_attribute<std::uint64_t>(file, "/", "vertices");
      size.edges = hdf5::read_attribute<std::uint64_t>(file, "/", "edges");
      size.directed = hdf5::read_attribute<std::uint8_t>(file, "/", "directed") != 0;
    } catch (const hdf5::Hdf5Error&) {
      return std::nullopt;
    }
    return size;
  }
  const bool is_matrix = format == GraphFormat::matrix_market, is_dimacs = format == GraphFormat::dimacs;
  if (!is_matrix && !is_dimacs && format != GraphFormat::metis) return std::nullopt;
  const std::vector<std::uint64_t> numbers = header_numbers(path, is_dimacs ? 'c' : '%');
  if (numbers.size() < (is_matrix ? 3U : 2U)) return std::nullopt;
  size.vertices = numbers[0];
  size.edges = numbers[is_matrix ? 2 : 1];
  if (format == GraphFormat::metis) size.directed = false;
  if (is_matrix) size.directed = TextHead(path).first_bytes(200).find("symmetric") == std::string::npos;
  return size;
}

std::uint64_t lines_of_file(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) return kUnknown;
  const Samples samples = sample_plain(path, size);
  return samples.bytes == 0 ? 0 : samples.lines * std::max(size, samples.bytes) / samples.bytes;
}

GraphSize estimate(const ReadOptions& options, GraphFormat format) {
  const std::string& path = options.graph_file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) // reading a pipe would take from its reader
    throw core::InputError("cannot look at " + path + ": no regular file");
  if (auto known = size_in_header(path, format)) return *known;
  std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw core::InputError("cannot open " + path + ": " + error.message());
  GraphSize graph;
  Samples samples;
  if (without_compression(path).size() != path.size()) {
    TextHead head(path);
    std::string text = head.first_bytes(std::size_t{1} << 18);
    constexpr std::uint64_t kUsualRatio = 4; // of numbers by gzip
    if (text.size() == (std::size_t{1} << 18))
      size *= kUsualRatio;
    else
      size = text.size();
    count_lines(text, samples);
    graph.source = "the beginning of the file, taken to be packed 4 to 1";
  } else {
    samples = sample_plain(path, size);
    graph.source = "a look at some pieces of the file";
  }
  const double all = samples.bytes == 0 ? 0 : static_cast<double>(size) / static_cast<double>(samples.bytes);
  const auto scaled = [&](std::uint64_t count) {
    return static_cast<std::uint64_t>(all * static_cast<double>(count) + 0.5);
  };
  const bool is_adjacency = format == GraphFormat::adjacency_list;
  graph.edges = is_adjacency ? scaled(samples.words - samples.lines) : scaled(samples.lines);
  // Ids beyond what the edges could name are no count of vertices; then degree 16 is as good as any.
  graph.vertices = is_adjacency                                                          ? scaled(samples.lines)
                   : samples.ids_are_numbers && samples.largest_id < 2 * graph.edges + 1 ? samples.largest_id + 1
                                                                                         : graph.edges / 16 + 1;
  if (options.vertex_file) graph.vertices = std::min(lines_of_file(*options.vertex_file), kUnknown - 1);
  if (graph.edges == 0) graph.vertices = options.vertex_file ? graph.vertices : 0;
  return graph;
}

/// The first number of a file, if it is one: files of control groups say "max" for no limit.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// Cached pages of files that the kernel drops when memory is asked for.
std::uint64_t reclaimable_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  for (std::string key; in >> key >> value;)
    if (key == "inactive_file") return value;
  return 0;
}

/// What is left of the limit of a group and of those above it.
std::uint64_t left_to_group(const std::string& root, std::string group, const char* limit, const char* usage) {
  std::uint64_t left = kUnknown;
  while (true) {
    const std::string directory = root + group + (group.ends_with('/') ? "" : "/");
    const auto most = number_in(directory + limit), used = number_in(directory + usage);
    if (most && used) {
      const std::uint64_t kept = *used - std::min(*used, reclaimable_in(directory + "memory.stat"));
      left = std::min(left, *most - std::min(*most, kept));
    }
    if (group.empty() || group == "/") return left;
    group.resize(group.rfind('/'));
  }
}

} // namespace

GraphSize size_of(const GeneratorSpec& spec) {
  return {spec.vertices, spec.edges, spec.weights != WeightKind::none, true, spec.directed, "the generator's formula"};
}

GraphSize size_of(const core::Communicator& comm, const ReadOptions& options) {
  const GraphFormat format = recognise_format(comm, options);
  GraphSize size = core::agree(comm, [&] { return comm.rank() == 0 ? estimate(options, format) : GraphSize(); });
  size.vertices = core::broadcast_value(comm, size.vertices, 0);
  size.edges = core::broadcast_value(comm, size.edges, 0);
  size.exact = core::broadcast_value(comm, std::uint32_t{size.exact}, 0) != 0;
  const int direction = core::broadcast_value(comm, size.directed ? (*size.directed ? 1 : 0) : -1, 0);
  if (direction >= 0) size.directed = direction == 1;
  size.source = core::broadcast_string(comm, size.source, 0);
  size.weighted = options.weighted;
  return size;
}

std::uint64_t available_bytes() {
  std::uint64_t available = kUnknown;
  std::ifstream lines("/proc/meminfo");
  for (std::string key, rest; lines >> key; std::getline(lines, rest)) {
    std::uint64_t kilobytes = 0;
    if (key == "MemAvailable:" && lines >> kilobytes) available = kilobytes * 1024;
  }
  std::ifstream groups("/proc/self/cgroup"); // "0::/path" of version 2, "7:memory:/path" of version 1
  for (std::string line; std::getline(groups, line);) {
    const std::size_t last = line.rfind(':');
    if (last == std::string::npos) continue;
    const std::string group = line.substr(last + 1);
    if (line.starts_with("0::"))
      available = std::min(available, left_to_group("/sys/fs/cgroup", group, "memory.max", "memory.current"));
    else if (line.find(":memory:") != std::string::npos)
      available = std::min(
          available, left_to_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  }
  return available;
}

} // namespace pregel
