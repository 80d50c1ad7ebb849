// The command line of ringbench.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/element.hpp"
#include "collectives/operation.hpp"

namespace ringbench {

/// The name of MPI's own collective, to which the others are compared.
inline constexpr const char* kMpi = "mpi";

enum class Collective { all_reduce, reduce_scatter, all_gather };

struct Options {
  Collective collective = Collective::all_reduce;
  std::vector<std::string> algorithms; ///< as the user named them; empty: all that can run here
  std::size_t min_bytes = 8, max_bytes = std::size_t{64} << 20;
  double factor = 2;
  collectives::ElementType type = collectives::ElementType::f32;
  collectives::Operation operation = collectives::Operation::sum;

  std::optional<int> iterations; ///< rounds of a size; else as many as fit into `seconds`
  double seconds = 0.5;
  int warmup = 2;
  bool check = false; ///< verify every round, not only one call
  bool in_place = false, in_window = false;
  bool compare_mpi = false;

  std::size_t segment_bytes = 0;
  int channels = 0;
  int node_size = 0;
  bool messages_only = false;
  bool reproducible = false, exact = false;
  double timeout_seconds = 600;

  std::optional<std::string> json, csv, tune, tuning;
  bool quiet = false;
};

/// Parses and verifies the command line. Nothing when --help or --version was asked for (and answered, if `printing`).
/// Throws core::InputError, one line. Local.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv, bool printing);

/// "64", "8K", "64M", "1G": powers of 1024. Throws core::InputError that names `option`. Local.
[[nodiscard]] std::size_t bytes_from(const std::string& text, const char* option);

[[nodiscard]] const char* name_of(Collective collective) noexcept;

/// The sizes to measure, in elements, ascending. Local.
[[nodiscard]] std::vector<std::size_t> counts_of(const Options& options);

} // namespace ringbench
