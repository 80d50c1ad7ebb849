// What tells one set of rows from another of the same shape, so that a run does not go on with other data than it began
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/communicator.hpp"
#include "ps/data/examples.hpp"

namespace ps {

/// A hash of all rows: their labels, keys and values, in the precision T, and their order. `shares` are those of this
/// rank's workers `my_workers`, out of `workers`, as load_dataset() deals them; the result does not depend on who
/// carries which. Not made against people who want two files to look alike. One pass over the rows. Collective.
template <class T>
[[nodiscard]] std::uint64_t fingerprint(const core::Communicator& comm, std::span<const Examples<T>> shares,
                                        std::span<const std::size_t> my_workers, std::size_t workers);

} // namespace ps
