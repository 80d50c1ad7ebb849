// What an error says.
#pragma once

#include <string>

#include "core/error.hpp"

namespace test {

/// The message of the core::Error that `work` throws. Local.
template <class F>
[[nodiscard]] std::string message_of(F&& work) {
  try {
    work();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

} // namespace test
