#include "ps/training/worker.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace ps {

Pace::Pace(const PaceOptions& options, std::size_t worker) {
  double factor = 1;
  for (const auto& [straggler, slowness] : options.stragglers) {
    if (!(slowness >= 1 && slowness < 1e6))
      throw core::InputError(fmt::format("--straggler {}:{}: the factor is at least 1", straggler, slowness));
    if (options.by_computing && slowness != std::floor(slowness))
      throw core::InputError(
          fmt::format("--straggler {}:{}: a gradient is computed a whole number of times", straggler, slowness));
    if (straggler == worker) factor = slowness;
  }
  if (options.by_computing)
    repetitions_ = static_cast<std::size_t>(factor);
  else
    padding_ =
        std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(options.gradient_seconds * factor));
}

} // namespace ps
