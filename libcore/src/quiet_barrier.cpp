#include "core/quiet_barrier.hpp"

#include "core/collectives.hpp"
#include "core/patience.hpp"

namespace core {

void quiet_barrier(const Communicator& comm) {
  Request everybody = start_barrier(comm);
  Patience patience;
  while (!everybody.test()) patience.pause();
}

} // namespace core
