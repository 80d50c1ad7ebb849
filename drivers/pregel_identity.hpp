// What a pregel job is, as its libraries want to know it: the options of an algorithm, and what must be equal for a job
// to go on from the checkpoints of another one.
#pragma once

#include <nlohmann/json.hpp>

#include "pregel/algorithms/algorithm.hpp"
#include "pregel_options.hpp"

namespace drivers {

/// All functions are local.
[[nodiscard]] pregel::AlgorithmOptions algorithm_options_of(const AlgorithmChoice& choice);

/// What must be equal for a run to go on from another one's state.
[[nodiscard]] nlohmann::json identity_of(const PregelOptions& options);

/// The same for the stored graph; nothing when --resume leaves it to what is stored.
[[nodiscard]] nlohmann::json graph_source_of(const PregelOptions& options);

} // namespace drivers
