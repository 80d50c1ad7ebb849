// Errors of the graph library.
#pragma once

#include <string>

#include "core/agreement.hpp"
#include "core/error.hpp"

namespace pregel {

/// A run that failed inside the engine or the loader.
class GraphError : public core::Error {
 public:
  using core::Error::Error;
};

/// "FILE:LINE: reason" in an input file. Ranks agree on the smallest line (core/agreement.hpp).
class FileError : public core::OrderedInputError {
 public:
  FileError(const std::string& file, unsigned long long line, const std::string& reason)
      : core::OrderedInputError(file + ":" + std::to_string(line) + ": " + reason, line) {}
};

} // namespace pregel
