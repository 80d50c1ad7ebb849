// What the reader tests share: files that all ranks see, a graph gathered after reading, and a naive reader to compare
// with, which knows nothing of ranks, blocks or hand-written digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/clock.hpp"
#include "core/communicator.hpp"
#include "core/random.hpp"
#include "pregel/io/readers.hpp"

namespace pregel::testing_support {

/// A directory for one test, the same on all ranks, removed with its files at the end. Collective.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const core::Communicator& comm);
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  /// Writes a file and returns its path. Collective.
  std::string write(const std::string& name, std::string_view bytes) const;
  [[nodiscard]] std::string path(const std::string& name) const;

 private:
  const core::Communicator& comm_;
  std::string path_;
};

/// How long a fuzzer goes on: `usual` rounds, and then until SUPERSTEP_FUZZ_SECONDS are over.
class FuzzBudget {
 public:
  FuzzBudget(const core::Communicator& comm, std::uint64_t usual);
  /// The same on all ranks. Collective.
  [[nodiscard]] bool allows(std::uint64_t round) const;

 private:
  const core::Communicator& comm_;
  std::uint64_t usual_;
  double seconds_;
  core::Stopwatch watch_;
};

/// Everything that was read, from all ranks, on every rank; or why nothing was.
template <class Id>
struct Outcome {
  std::vector<std::tuple<Id, Id, double>> edges;  ///< ascending
  std::vector<Id> vertices;                       ///< listed ones, ascending, with repeats
  std::string error{};                            ///< what() of an InputError; empty when all is well
  std::uint64_t contiguous_first{}, contiguous{}; ///< ids that exist whatever the edges say
  std::optional<bool> directed{};                 ///< what the file says

  friend bool operator==(const Outcome&, const Outcome&) = default;
};
using NumberOutcome = Outcome<std::uint64_t>;
using NameOutcome = Outcome<std::string>;

/// Reads and gathers. Also checks, with EXPECT, that an error has exit code 2. Collective.
[[nodiscard]] NumberOutcome read_numbers(const core::Communicator& comm, const ReadOptions& options, int threads = 1);
[[nodiscard]] NameOutcome read_names(const core::Communicator& comm, ReadOptions options, int threads = 1);

/// Reads with every combination of small and large blocks and of 1 to 3 threads, on all ranks and on each rank alone,
/// EXPECTs the same outcome each time, and returns it. Collective.
[[nodiscard]] NumberOutcome read_every_way(const core::Communicator& comm, const ReadOptions& options);

/// What the naive reader makes of the bytes of an edge list: the outcome, with "line N" as the error.
template <class Id>
[[nodiscard]] Outcome<Id> read_naively(std::string_view bytes, bool weighted);

/// Mostly a byte that means something to a reader.
[[nodiscard]] char odd_byte(core::CounterRandom& random);
/// `bytes` with one to three of them changed, inserted, left out, or all from one on.
[[nodiscard]] std::string mutated(std::string bytes, core::CounterRandom& random);

/// `text` as one zstd frame.
[[nodiscard]] std::string zstd(std::string_view text);
/// `text` as one gzip member.
[[nodiscard]] std::string gzip(std::string_view text, int level = 6);

} // namespace pregel::testing_support
