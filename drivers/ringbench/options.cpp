#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../command_line.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/metrics.hpp"

namespace ringbench {
namespace {

constexpr const char* kDescription =
    "Measures all-reduce algorithms beside MPI's, in the manner of nccl-tests: all of them take turns in the same\n"
    "minutes, a call takes as long as its slowest rank, and results are verified exactly.\n"
    "  algbw  bytes / seconds                        busbw  algbw * 2(m-1)/m on m ranks: what a link has to carry\n"
    "  x MPI  how many times faster than MPI's own collective (median over rounds; a round's runs are neighbours)\n"
    "Algorithms: automatic, naive_ring, reduce_broadcast, all_to_all, recursive_doubling, halving_doubling,\n"
    "chunked_ring, shared_memory, hierarchical, and mpi; short names: auto, naive, ring. Sizes are bytes of the whole\n"
    "vector, with K, M, G for powers of 1024.";

/// Words before they are understood.
struct Words {
  std::string collective = "allreduce", type = "f32", operation = "sum";
  std::string min = "8", max = "64M", segment = "0";
};

void declare(CLI::App& app, Options& o, Words& words) {
  app.add_option("--op", words.collective, "allreduce, reducescatter or allgather")->capture_default_str();
  app.add_option("--algorithms", o.algorithms, "what to measure (default: all that can run here)")->delimiter(',');
  app.add_option("--min", words.min, "smallest vector, bytes")->capture_default_str();
  app.add_option("--max", words.max, "largest vector, bytes")->capture_default_str();
  app.add_option("--factor", o.factor, "each size is this many times the one before")->capture_default_str();
  app.add_option("--type", words.type, "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16")->capture_default_str();
  app.add_option("--operation", words.operation, "sum product min max average bit_and bit_or")->capture_default_str();
  auto* iterations = app.add_option("--iterations", o.iterations, "rounds of each size")->check(CLI::Range(1, 1000000));
  app.add_option("--seconds", o.seconds, "instead: time for each size, all algorithms together, at least 5 rounds")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->excludes(iterations);
  app.add_option("--warmup", o.warmup, "calls of each algorithm before a size is measured")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_flag("--check", o.check, "verify the result of every round (default: of one call for each size)");
  app.add_flag("--in-place", o.in_place, "the result replaces the input");
  app.add_flag("--in-window", o.in_window, "in place, in memory that the all-reducer has allocated");
  app.add_flag("--compare-mpi", o.compare_mpi, "also Open MPI's algorithms 3 to 6, forced one by one");
  app.add_option("--segment", words.segment, "bytes of a message in algorithms that cut vectors; 0: default")
      ->capture_default_str();
  app.add_option("--channels", o.channels, "messages at a time to a neighbour; 0: default")
      ->check(CLI::Range(0, 16))
      ->capture_default_str();
  app.add_option("--node-size", o.node_size, "take so many consecutive ranks as a node; 0: ask MPI")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  app.add_flag("--messages", o.messages_only, "use no shared memory, as if each rank had a node of its own");
  app.add_flag("--reproducible", o.reproducible, "fold in the order of ranks");
  app.add_flag("--exact", o.exact, "sum floating-point numbers exactly");
  app.add_option("--timeout", o.timeout_seconds, "seconds until a silent rank is given up; 0: never")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  // The second name because mpirun of Open MPI 4 searches its program's words, too, for its own --tune.
  app.add_option("--tune,--write-tuning", o.tune,
                 "write what was fastest into this table, which `automatic` can read; under mpirun of Open MPI 4\n"
                 "say --tune=FILE or --write-tuning FILE, as it takes the word --tune for its own");
  app.add_option("--tuning", o.tuning, "table for `automatic`, written by --tune");
  app.add_option("--json", o.json, "write all results to this file");
  app.add_option("--csv", o.csv, "write all results to this file");
  app.add_flag("--quiet", o.quiet, "print no table");
  app.set_version_flag("--version", "ringbench " + core::build_stamp().at("version").get<std::string>());
}

Collective collective_named(const std::string& name) {
  for (const Collective collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    if (name == name_of(collective)) return collective;
  }
  throw core::InputError(fmt::format("--op {}: one of allreduce, reducescatter, allgather", name));
}

void require_writable(const std::optional<std::string>& path, const char* option) {
  if (!path) return;
  if (path->empty()) throw core::InputError(fmt::format("{}: the value is empty", option));
  core::require_writable_target(*path);
}

/// One result must not replace another.
void require_different(std::initializer_list<std::pair<const char*, std::optional<std::string>>> files) {
  for (auto a = files.begin(); a != files.end(); ++a) {
    for (auto b = files.begin(); b != a; ++b) {
      if (a->second && a->second == b->second)
        throw core::InputError(fmt::format("{} and {} name the same file {}", b->first, a->first, *a->second));
    }
  }
}

void require_sense(const Options& o) {
  if (o.min_bytes == 0) throw core::InputError("--min 0: at least one byte");
  if (o.min_bytes > o.max_bytes)
    throw core::InputError(fmt::format("--min {} is more than --max {}", o.min_bytes, o.max_bytes));
  // A range that the command line is checked for lets "nan" through.
  if (std::isnan(o.seconds)) throw core::InputError("--seconds nan: not a number");
  if (std::isnan(o.timeout_seconds)) throw core::InputError("--timeout nan: not a number");
  if (!(o.factor > 1 && o.factor <= 1e9)) throw core::InputError(fmt::format("--factor {}: more than 1", o.factor));
  for (const std::string& name : o.algorithms) {
    if (name.empty()) throw core::InputError("--algorithms: a name is empty");
  }
  if (!is_defined(o.operation, o.type))
    throw core::InputError(
        fmt::format("--operation {}: not defined for {}", collectives::name_of(o.operation), name_of(o.type)));
  if (o.collective != Collective::all_reduce) {
    if (o.in_place || o.in_window) throw core::InputError("--in-place and --in-window go with --op allreduce only");
    if (o.compare_mpi) throw core::InputError("--compare-mpi goes with --op allreduce only");
    if (o.tune) throw core::InputError("--tune goes with --op allreduce only");
  }
  const auto is_ours = [](const std::string& name) { return name != kMpi; };
  if (o.tune && !o.algorithms.empty() && std::ranges::none_of(o.algorithms, is_ours))
    throw core::InputError("--tune: none of --algorithms is ours to choose");
  require_different({{"--json", o.json}, {"--csv", o.csv}, {"--tune", o.tune}});
  require_writable(o.json, "--json");
  require_writable(o.csv, "--csv");
  require_writable(o.tune, "--tune");
}

} // namespace

std::optional<Options> parse_options(int argc, char** argv, bool printing) {
  Options options;
  Words words;
  CLI::App app(kDescription, "ringbench");
  declare(app, options, words);
  if (drivers::answers_itself(app, argc, argv, printing)) return std::nullopt;
  options.collective = collective_named(words.collective);
  options.type = collectives::element_type_named(words.type);
  options.operation = collectives::operation_named(words.operation);
  options.min_bytes = bytes_from(words.min, "--min");
  options.max_bytes = bytes_from(words.max, "--max");
  options.segment_bytes = bytes_from(words.segment, "--segment");
  options.in_place = options.in_place || options.in_window;
  require_sense(options);
  return options;
}

std::size_t bytes_from(const std::string& text, const char* option) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  unsigned shift = 0;
  if (unit == "K" || unit == "k")
    shift = 10;
  else if (unit == "M" || unit == "m")
    shift = 20;
  else if (unit == "G" || unit == "g")
    shift = 30;
  else if (!unit.empty() || error == std::errc::invalid_argument)
    throw core::InputError(fmt::format("{} {}: not a number of bytes such as 8, 64K, 8M or 1G", option, text));
  // Half of what a size can be: buffers of twice that are asked for.
  if (error != std::errc() || number > (std::numeric_limits<std::size_t>::max() >> 1 >> shift))
    throw core::InputError(fmt::format("{} {}: too large", option, text));
  return number << shift;
}

const char* name_of(Collective collective) noexcept {
  switch (collective) {
    case Collective::reduce_scatter: return "reducescatter";
    case Collective::all_gather: return "allgather";
    case Collective::all_reduce: break;
  }
  return "allreduce";
}

std::vector<std::size_t> counts_of(const Options& options) {
  const std::size_t element = collectives::element_bytes(options.type);
  std::vector<std::size_t> counts;
  for (auto bytes = static_cast<double>(options.min_bytes); bytes <= static_cast<double>(options.max_bytes);
       bytes *= options.factor) {
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(bytes) / element);
    if (counts.empty() || count != counts.back()) counts.push_back(count);
  }
  return counts;
}

} // namespace ringbench
