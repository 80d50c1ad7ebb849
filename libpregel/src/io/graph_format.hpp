// Which format a graph file is in.
#pragma once

#include <string_view>

#include "core/communicator.hpp"
#include "pregel/io/readers.hpp"

namespace pregel {

/// The format that the options ask for, or that the file's name and first bytes tell. Collective: rank 0 looks.
[[nodiscard]] GraphFormat recognise_format(const core::Communicator& comm, const ReadOptions& options);

/// The name without .gz or .zst. Local.
[[nodiscard]] std::string_view without_compression(std::string_view file);

/// A format that the name alone tells; `automatic` for others. Local.
[[nodiscard]] GraphFormat format_of_name(std::string_view file);

} // namespace pregel
