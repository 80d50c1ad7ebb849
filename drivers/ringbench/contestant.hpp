// What takes part in a comparison: an algorithm of libcollectives, or MPI's own collective.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/all_reduce.hpp"
#include "core/communicator.hpp"
#include "options.hpp"

namespace ringbench {

/// One call. `count` is that of the whole vector; in place when input and output are the same.
struct Job {
  const std::byte* input;
  std::byte* output;
  std::size_t count;
};

/// What this rank has done so far.
struct Traffic {
  std::size_t bytes_sent = 0, steps = 0;
};

class Contestant {
 public:
  Contestant() = default;
  virtual ~Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  /// Collective.
  virtual void run(const Job& job) = 0;
  /// As in tables. Local, as all that follow.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// The algorithm that a vector of so many elements really gets.
  [[nodiscard]] virtual std::string runs_as(std::size_t count) const = 0;
  /// Nothing where that is not known.
  [[nodiscard]] virtual std::optional<Traffic> traffic() const { return std::nullopt; }
  /// Where its calls in place shall have their data; null: anywhere.
  [[nodiscard]] virtual std::byte* memory() const { return nullptr; }
  /// False where the vector is too long for it.
  [[nodiscard]] virtual bool can_take(std::size_t count) const = 0;
};

/// Those that the options ask for, or all that can run here; of these, what cannot is left out with a line in
/// `remarks`. Throws core::InputError for unknown names and impossible requests. Collective.
[[nodiscard]] std::vector<std::unique_ptr<Contestant>> contestants_of(const core::Communicator& world,
                                                                      const Options& options,
                                                                      std::vector<std::string>& remarks);

/// Who shares memory with whom. Collective.
[[nodiscard]] collectives::Topology topology_of(const core::Communicator& world, const Options& options);

} // namespace ringbench
