// One algorithm of pregel's list: the options that the command line has for the first, and a --then for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace drivers {

/// An algorithm, how it is run and what is written of it: what each --then chooses anew.
struct AlgorithmChoice {
  std::string then; ///< the text of --then; empty for the algorithm that the command line begins with
  std::string algorithm;
  std::string source, sources_file, values_file, variant = "standard", combiner = "on";
  std::optional<std::uint64_t> iterations, layers, width, sample;
  std::optional<double> damping, tolerance, walk_p, walk_q;
  std::uint64_t max_supersteps = ~std::uint64_t{0}, seed = 1;
  int repeat = 1;
  std::size_t top = 0;
  bool parents = false, summary = false;
  std::string output, trace, trace_vertices;
};

/// Adds the algorithm's name and its options.
void add_algorithm_options(CLI::App& app, AlgorithmChoice& choice);

/// A --then: its own words over what the command line says of `first`. `job` is the parser of the command line.
/// InputError, with the words, for what is unknown, malformed or of the whole job. Local.
[[nodiscard]] AlgorithmChoice parse_then(const std::string& text, const AlgorithmChoice& first, const CLI::App& job);

/// InputError for options that do not go together or not with the algorithm. Local.
void check_choice(const AlgorithmChoice& choice);

} // namespace drivers
