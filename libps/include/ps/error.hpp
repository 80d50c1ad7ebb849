// Errors of the parameter-server library.
#pragma once

#include "core/error.hpp"

namespace ps {

/// A training run or a table operation that failed.
class PsError : public core::Error {
 public:
  using core::Error::Error;
};

} // namespace ps
