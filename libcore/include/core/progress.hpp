// What a rank does for others that did not ask it first: let MPI move, and look for messages of unknown senders.
#pragma once

#include <cstddef>
#include <optional>

#include "core/communicator.hpp"
#include "core/datatype.hpp"

namespace core {

/// Gives MPI an opportunity to progress. Few MPIs have a thread of their own for that: where one-sided operations are
/// carried out by the target's processor, they wait until the target calls MPI. Costs well below a microsecond when
/// there is nothing to do. Local.
void progress();

/// A message that has arrived and can be received without waiting.
struct Arrival {
  int source;
  std::size_t count; ///< in elements of the type asked for
};
namespace detail {
[[nodiscard]] std::optional<Arrival> probe(const Communicator& comm, int tag, MPI_Datatype type);
}
/// The next message with this tag, from anybody, if there is one; receive it from its source before probing again.
/// Local.
template <Transferable T>
[[nodiscard]] std::optional<Arrival> probe(const Communicator& comm, int tag) {
  return detail::probe(comm, tag, datatype_of<T>());
}

} // namespace core
