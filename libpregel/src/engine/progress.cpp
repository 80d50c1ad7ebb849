#include "pregel/engine/progress.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace pregel {

void ProgressLine::show(const SuperstepReport& row) {
  last_ = row;
  messages_ += row.sent;
  fresh_ = true;
  if (!shown_ || since_shown_.seconds() > 0.1) print();
}

void ProgressLine::print() {
  const double seconds = since_start_.seconds();
  fmt::print(stderr, "\rsuperstep {}  active {}  messages {}  {:.2f} s  {:.1f} M edges/s\x1b[K", last_.superstep,
             last_.active, last_.sent, seconds, seconds > 0 ? static_cast<double>(messages_) / seconds / 1e6 : 0.0);
  std::fflush(stderr);
  since_shown_.lap();
  shown_ = true;
  fresh_ = false;
}

void ProgressLine::finish() {
  if (fresh_) print();
}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\n");
}

} // namespace pregel
