#include "reader_testing.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "pregel/graph/name_directory.hpp"

namespace pregel::testing_support {

ScratchDirectory::ScratchDirectory(const core::Communicator& comm) : comm_(comm) {
  if (comm.rank() == 0) {
    path_ = (std::filesystem::temp_directory_path() / "superstep-readers-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  path_ = core::broadcast_string(comm, path_, 0);
}

ScratchDirectory::~ScratchDirectory() {
  core::barrier(comm_);
  if (comm_.rank() == 0) std::filesystem::remove_all(path_);
}

std::string ScratchDirectory::path(const std::string& name) const {
  return path_ + "/" + name;
}

std::string ScratchDirectory::write(const std::string& name, std::string_view bytes) const {
  core::barrier(comm_); // others may still read an older file of this name
  if (comm_.rank() == 0) std::ofstream(path(name), std::ios::binary) << bytes;
  core::barrier(comm_);
  return path(name);
}

FuzzBudget::FuzzBudget(const core::Communicator& comm, std::uint64_t usual) : comm_(comm), usual_(usual) {
  const char* const seconds = std::getenv("SUPERSTEP_FUZZ_SECONDS");
  seconds_ = seconds == nullptr ? 0 : std::atof(seconds);
}

bool FuzzBudget::allows(std::uint64_t round) const {
  if (round < usual_) return true;
  return seconds_ > 0 && core::broadcast_value(comm_, watch_.seconds() < seconds_ ? 1 : 0, 0) != 0;
}

namespace {

struct Triple {
  std::uint64_t source, target;
  double weight;
};

[[nodiscard]] GraphInput read_input(const core::Communicator& comm, const ReadOptions& options, int threads) {
  core::ThreadTeam team(threads);
  return read_graph(comm, options, team);
}

/// Runs `read`; an InputError becomes the outcome's error.
template <class Id, class Read>
[[nodiscard]] Outcome<Id> outcome_of(Read&& read) {
  Outcome<Id> outcome;
  try {
    read(outcome);
    std::sort(outcome.edges.begin(), outcome.edges.end());
    std::sort(outcome.vertices.begin(), outcome.vertices.end());
  } catch (const core::InputError& error) {
    EXPECT_EQ(error.exit_code(), core::ExitCode::bad_input);
    outcome = {};
    outcome.error = error.what();
  }
  return outcome;
}

[[nodiscard]] std::vector<Triple> gather_edges(const core::Communicator& comm, const EdgeBlocks& edges) {
  std::vector<Triple> mine;
  for (std::size_t block = 0; block < edges.block_count(); ++block) {
    const auto weights = edges.weights(block);
    for (std::size_t i = 0; i < edges.edges(block).size(); ++i) {
      const Edge& edge = edges.edges(block)[i];
      mine.push_back({number(edge.source), number(edge.target), weights.empty() ? 1.0 : weights[i]});
    }
  }
  EXPECT_EQ(mine.size(), edges.size());
  return core::all_gather_varying(comm, std::span<const Triple>(mine));
}

} // namespace

NumberOutcome read_numbers(const core::Communicator& comm, const ReadOptions& options, int threads) {
  return outcome_of<std::uint64_t>([&](NumberOutcome& outcome) {
    const GraphInput input = read_input(comm, options, threads);
    EXPECT_EQ(input.edges.weighted(), options.weighted);
    EXPECT_EQ(input.description, options.graph_file);
    EXPECT_EQ(input.names, nullptr);
    outcome.contiguous_first = input.contiguous_first;
    outcome.contiguous = input.contiguous_vertices;
    outcome.directed = input.directed;
    for (const Triple& edge : gather_edges(comm, input.edges)) {
      outcome.edges.emplace_back(edge.source, edge.target, edge.weight);
    }
    for (const GlobalId id : core::all_gather_varying(comm, std::span<const GlobalId>(input.vertices))) {
      outcome.vertices.push_back(number(id));
    }
  });
}

NameOutcome read_names(const core::Communicator& comm, ReadOptions options, int threads) {
  options.ids = IdKind::text;
  return outcome_of<std::string>([&](NameOutcome& outcome) {
    const GraphInput input = read_input(comm, options, threads);
    const auto edges = gather_edges(comm, input.edges);
    const auto vertices = core::all_gather_varying(comm, std::span<const GlobalId>(input.vertices));
    std::vector<GlobalId> all_ids;
    for (std::uint64_t id = 0; id < input.names->size(); ++id) all_ids.push_back(GlobalId{id});
    const std::vector<std::string> names = input.names->names_of(comm, all_ids);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    for (const Triple& edge : edges) outcome.edges.emplace_back(names[edge.source], names[edge.target], edge.weight);
    for (const GlobalId id : vertices) outcome.vertices.push_back(names[number(id)]);
  });
}

NumberOutcome read_every_way(const core::Communicator& comm, const ReadOptions& options) {
  const NumberOutcome expected = read_numbers(comm, options);
  const core::Communicator alone = comm.split(comm.rank(), 0);
  EXPECT_EQ(read_numbers(alone, options), expected) << "one rank";
  for (const std::size_t block_bytes : {1, 2, 3, 5, 8, 13, 64, 1000}) {
    for (const int threads : {1, 2, 3}) {
      ReadOptions small = options;
      small.limits.block_bytes = block_bytes;
      EXPECT_EQ(read_numbers(comm, small, threads), expected) << block_bytes << " bytes, " << threads << " threads";
    }
  }
  return expected;
}

namespace {

/// The fields of a line; false for bytes that no text has.
[[nodiscard]] bool split_naively(std::string line, std::vector<std::string>& fields) {
  while (!line.empty() && line.back() == '\r') line.pop_back();
  const std::size_t first = line.find_first_not_of(" \t");
  const bool comment = first != std::string::npos && (line[first] == '#' || line[first] == '%');
  fields.clear();
  if (line.find('\r') != std::string::npos) return false;
  if (comment) return true;
  if (line.find('\0') != std::string::npos) return false;
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ' ');) {
    if (!field.empty()) fields.push_back(field);
  }
  return true;
}

[[nodiscard]] bool read_id_naively(const std::string& field, std::uint64_t& id) {
  if (field.find_first_not_of("0123456789") != std::string::npos) return false;
  errno = 0;
  id = std::strtoull(field.c_str(), nullptr, 10);
  return errno == 0 && id != ~std::uint64_t{0};
}
[[nodiscard]] bool read_id_naively(const std::string& field, std::string& id) {
  id = field;
  return true;
}

[[nodiscard]] bool read_weight_naively(const std::string& field, double& weight) {
  if (std::isspace(static_cast<unsigned char>(field[0])) != 0) return false; // strtod would skip \v
  char* end = nullptr;
  weight = std::strtod(field.c_str(), &end);
  return *end == '\0' && std::isfinite(weight);
}

} // namespace

template <class Id>
Outcome<Id> read_naively(std::string_view bytes, bool weighted) {
  Outcome<Id> outcome;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  std::istringstream file{std::string(bytes)};
  std::vector<std::string> fields;
  std::uint64_t number = 1;
  for (std::string line; std::getline(file, line); ++number) {
    bool good = split_naively(line, fields);
    Id source{}, target{};
    double weight = 1;
    if (good && fields.empty()) continue;
    good = good && fields.size() >= (weighted ? 3U : 2U) && read_id_naively(fields[0], source) &&
           read_id_naively(fields[1], target) && (!weighted || read_weight_naively(fields[2], weight));
    if (!good) {
      outcome = {};
      outcome.error = "line " + std::to_string(number);
      return outcome;
    }
    outcome.edges.emplace_back(source, target, weight);
  }
  std::sort(outcome.edges.begin(), outcome.edges.end());
  return outcome;
}

template Outcome<std::uint64_t> read_naively(std::string_view, bool);
template Outcome<std::string> read_naively(std::string_view, bool);

char odd_byte(core::CounterRandom& random) {
  static constexpr std::string_view kMeaningful = "0123456789 \t\n\r\n#%.,-+exXpPinf\0\xff";
  return random.below(10) == 0 ? static_cast<char>(random.below(256)) : kMeaningful[random.below(kMeaningful.size())];
}

std::string mutated(std::string bytes, core::CounterRandom& random) {
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
    const std::size_t at = random.below(bytes.size() + 1);
    switch (random.below(4)) {
      case 0: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), odd_byte(random)); break;
      case 1: bytes.erase(at, random.below(5)); break;
      case 2: bytes.resize(at); break;
      default:
        if (at < bytes.size()) bytes[at] = odd_byte(random);
    }
  }
  return bytes;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1); // as the zstd program does
  const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

std::string gzip(std::string_view text, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

} // namespace pregel::testing_support
