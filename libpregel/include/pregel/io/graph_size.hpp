// How large a graph is going to be, before it is read: from a generator's specification, a header, or a look at some
// pieces of the file. For telling what a run will take, and whether it can fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/communicator.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/readers.hpp"

namespace pregel {

struct GraphSize {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0; ///< as listed, before clean-up
  bool weighted = false;
  bool exact = false;           ///< else an estimate
  std::optional<bool> directed; ///< what a header says of it
  std::string source;           ///< where the numbers come from, in words
};

/// Local.
[[nodiscard]] GraphSize size_of(const GeneratorSpec& spec);
/// Headers are believed, as they are checked when the file is read; a list of edges is looked at in 64 places: the
/// number of edges from the length of lines, that of vertices from the largest id. InputError for a file that cannot be
/// opened. Collective.
[[nodiscard]] GraphSize size_of(const core::Communicator& comm, const ReadOptions& options);

/// What may still be taken of this machine: what the kernel calls available, or what is left to the control group that
/// the process is in, if that is less. The largest number where nobody tells. Local.
[[nodiscard]] std::uint64_t available_bytes();

} // namespace pregel
