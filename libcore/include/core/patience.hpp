// Waiting without burning a processor: other ranks may need it (ranks may outnumber cores).
#pragma once

#include <chrono>

namespace core {

/// For loops that poll. The first pauses only yield; then each sleeps a little longer, up to `longest`. Local.
class Patience {
 public:
  explicit Patience(std::chrono::microseconds longest = std::chrono::microseconds{1000}) noexcept : longest_(longest) {}
  void pause();
  /// Something has happened: begin anew.
  void reset() noexcept { pauses_ = 0; }

 private:
  std::chrono::microseconds longest_;
  int pauses_ = 0;
};

} // namespace core
