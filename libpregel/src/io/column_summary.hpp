// One column of numbers in a few: extremes, mean, quantiles, and a histogram.
#pragma once

#include <nlohmann/json.hpp>

#include "core/communicator.hpp"
#include "pregel/io/results.hpp"

namespace pregel {

/// {count, unreachable, not_numbers, minimum, mean, maximum, total, quantiles: {"0.5": …}, distribution: [{from, to,
/// count}]}; but for the first three only if count is not 0. Unreachable are infinite reals and the largest signed
/// integer; neither they nor NaN count. A quantile q is the smallest value that at least q * count values do not
/// exceed. A bin of the distribution holds from <= x < to, or, where both are equal, that value alone. `values` is no
/// column of vertices. Collective.
[[nodiscard]] nlohmann::json summarise_column(const core::Communicator& comm, const ResultColumn& values);

} // namespace pregel
