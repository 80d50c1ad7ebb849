// A barrier for ranks that may wait long and should not burn a processor that others need.
#pragma once

#include "core/communicator.hpp"

namespace core {

/// Waits until every rank has entered, sleeping more than polling. Collective.
void quiet_barrier(const Communicator& comm);

} // namespace core
