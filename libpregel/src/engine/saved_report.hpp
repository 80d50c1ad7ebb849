// A report's rows as a table of a checkpoint, and back.
#pragma once

#include <vector>

#include "core/checkpoint/table.hpp"
#include "pregel/engine/run_report.hpp"

namespace pregel {

/// The table "supersteps". Local.
[[nodiscard]] core::checkpoint::Table save_rows(const std::vector<SuperstepReport>& rows);
/// The reverse. Local.
[[nodiscard]] std::vector<SuperstepReport> load_rows(const core::checkpoint::Table& table);

} // namespace pregel
