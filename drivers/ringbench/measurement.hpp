// Timing: contestants take turns, round by round, so that what disturbs the machine meets them all alike and a ratio
// can be formed within a round. A call takes as long as its slowest rank, each rank counting from its own start after a
// barrier. Calls that are too short for a clock are timed several in a row.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "core/communicator.hpp"
#include "options.hpp"
#include "test_vectors.hpp"

namespace ringbench {

/// One contestant at one size; the same on all ranks.
struct Measurement {
  std::string algorithm, runs_as;
  std::size_t count = 0, bytes = 0;
  double median = 0, min = 0, p99 = 0; ///< seconds of a call
  std::optional<double> times_mpi;     ///< median over rounds of MPI's seconds / these
  std::size_t errors = 0;              ///< wrong elements, all ranks and verified calls together
  std::vector<std::size_t> bytes_sent; ///< of one call, by rank; empty where not known
  std::size_t steps = 0;               ///< most of any rank
  int rounds = 0, calls_in_a_round = 1;

  [[nodiscard]] double algorithm_bandwidth() const { return static_cast<double>(bytes) / median; }
};

/// Bytes that cross a link for one byte of the vector: 2(m-1)/m, or half of that.
[[nodiscard]] double traffic_factor(Collective collective, int ranks) noexcept;

/// The buffers that all contestants share, and one size after the other.
class Measuring {
 public:
  Measuring(const core::Communicator& world, const Options& options,
            std::span<const std::unique_ptr<Contestant>> contestants);

  /// Collective.
  [[nodiscard]] std::vector<Measurement> measure(std::size_t count);

 private:
  struct Entrant; ///< a contestant and what has been seen of it at the present size

  [[nodiscard]] Job job_for(const Contestant& contestant, std::size_t count);
  void prepare(const Job& job) const;
  [[nodiscard]] double time(Contestant& contestant, const Job& job, int calls) const;
  void verify_once(Entrant& entrant);
  void calibrate(Entrant& entrant) const;
  [[nodiscard]] int rounds_for(std::span<const Entrant> entrants) const;
  void compete(std::span<Entrant> entrants, int rounds) const;
  [[nodiscard]] std::vector<Measurement> conclude(std::span<Entrant> entrants) const;

  const core::Communicator& world_;
  const Options& options_;
  std::span<const std::unique_ptr<Contestant>> contestants_;
  TestVectors vectors_;
  std::vector<std::byte> input_, output_;
};

} // namespace ringbench
