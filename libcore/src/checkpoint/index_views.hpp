// Whole arrays over the parts, for people and their tools: our own reader does not use them.
#pragma once

#include <span>

#include "core/hdf5.hpp"
#include "record.hpp"

namespace core::checkpoint {

/// Creates in `index` a virtual dataset /TABLE/COLUMN for each column (and /TABLE/COLUMN_count for lists) over the
/// parts, which lie beside it. Throws core::Error when parts disagree on a column. Local.
void create_views(const hdf5::File& index, std::span<const PartRecord> parts);

} // namespace core::checkpoint
