#include "ps/training/worker.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"

namespace ps {
namespace {

constexpr double kSlowest = 1e6;
constexpr double kLongestSeconds = 1e6; // of a gradient, which a clock that counts nanoseconds can hold

} // namespace

void check_pace(const PaceOptions& options, std::size_t workers) {
  if (!(options.gradient_seconds >= 0 && options.gradient_seconds <= kLongestSeconds))
    throw core::InputError(
        fmt::format("--gradient-seconds {}: from 0 to {:g}", options.gradient_seconds, kLongestSeconds));
  std::set<std::size_t> seen;
  for (const auto& [straggler, factor] : options.stragglers) {
    const auto refuse = [straggler = straggler, factor = factor](const std::string& reason) {
      throw core::InputError(fmt::format("--straggler {}:{}: {}", straggler, factor, reason));
    };
    if (straggler >= workers)
      refuse(workers == 1 ? fmt::format("there is no worker {}: the only one is 0", straggler)
                          : fmt::format("there is no worker {}: they are 0 to {}", straggler, workers - 1));
    if (!seen.insert(straggler).second) refuse(fmt::format("worker {} has a factor already", straggler));
    if (!(factor >= 1 && factor <= kSlowest)) refuse(fmt::format("the factor is a number from 1 to {:g}", kSlowest));
    if (options.by_computing && factor != std::floor(factor)) refuse("a gradient is computed a whole number of times");
    if (!options.by_computing && options.gradient_seconds * factor > kLongestSeconds)
      refuse(fmt::format("a gradient would take {:g} s, more than {:g}", options.gradient_seconds * factor,
                         kLongestSeconds));
  }
}

Pace::Pace(const PaceOptions& options, std::size_t worker) {
  double factor = 1;
  for (const auto& [straggler, slowness] : options.stragglers)
    if (straggler == worker) factor = slowness;
  if (options.by_computing)
    repetitions_ = static_cast<std::size_t>(factor);
  else
    padding_ =
        std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(options.gradient_seconds * factor));
}

} // namespace ps
