// What a run measures of itself while it trains: how stale gradients were, who waited, what was sent.
//
// Staleness is taken twice. The clock lead c_i - min c of a worker when it pulls is what stale synchronous parallel
// bounds. The version staleness of a gradient is the number of updates between the pull of the parameters that it was
// computed from and its own application; it is what a convergence proof sees, and is larger.
//
// A message is a pull, a push, or what goes to one neighbour, however many servers it touches: synchronous training
// sends two for each gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"

namespace ps {

/// How often each small number was seen. What is beyond the last slot is counted in it. All functions are local.
class Histogram {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::uint64_t max() const noexcept { return slots_.empty() ? 0 : slots_.size() - 1; }
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] const std::vector<std::uint64_t>& slots() const noexcept { return slots_; }
  void merge(const Histogram& other);
  /// {mean, max, histogram: [times of 0, of 1, …]}.
  [[nodiscard]] nlohmann::json to_json() const;
  [[nodiscard]] static Histogram from_json(const nlohmann::json& json);

 private:
  std::vector<std::uint64_t> slots_; // the last one is not zero
};

struct Measurements {
  explicit Measurements(std::size_t workers) : wait_seconds(workers) {}

  Histogram clock_lead, version_staleness;
  std::vector<double> wait_seconds; ///< of each worker: for others, a server, or a neighbour
  std::uint64_t gradients = 0, messages = 0, bytes_pushed = 0, bytes_pulled = 0;

  void add(const Measurements& other);
  [[nodiscard]] nlohmann::json to_json() const;
  [[nodiscard]] static Measurements from_json(const nlohmann::json& json);
};

/// The measurements of all ranks together, on every rank. Collective.
[[nodiscard]] Measurements gather(const core::Communicator& comm, const Measurements& mine);

} // namespace ps
