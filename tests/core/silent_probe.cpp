// A process that is watched by a SilenceGuard and is silent, or not, as it is told:
//
//   silent_probe LIMIT stop|spin|wait|bursts|stop-waiting|stop-leaving
//
// It prints the process id of its guard first. stop and spin do not end by themselves; the others do, after three
// limits.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include "core/silence_guard.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// The only child of this process.
std::string child() {
  const std::string self = std::to_string(getpid());
  std::ifstream file("/proc/" + self + "/task/" + self + "/children");
  std::string pid;
  file >> pid;
  return pid;
}

void spin(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
  }
}

} // namespace

int main(int argc, char** argv) {
  if (const auto guarded = core::run_as_guard(argc, argv)) return *guarded;
  const double limit = std::atof(argv[1]);
  const std::string_view what = argv[2];
  std::optional<core::SilenceGuard> of_the_run(std::in_place, limit, "rank 7");
  core::SilenceGuard& guard = *of_the_run;
  std::printf("%s\n", child().c_str());
  std::fflush(stdout);
  guard.working(41);
  guard.waiting();
  if (what == "stop-waiting") {
    (void)raise(SIGSTOP); // frozen while it waits: silent all the same
  } else if (what == "stop-leaving") {
    of_the_run.reset(); // the run is over, the process is not
    (void)raise(SIGSTOP);
  } else if (what == "stop") {
    guard.working(42);
    (void)raise(SIGSTOP);
  } else if (what == "spin") {
    guard.working(42);
    spin(1e6);
  } else if (what == "wait") {
    std::this_thread::sleep_for(std::chrono::duration<double>(3 * limit));
  } else if (what == "bursts") {
    for (int i = 0; i < 10; ++i) {
      guard.working(static_cast<std::uint64_t>(i));
      spin(0.3 * limit);
      if (i % 2 == 0) guard.waiting(); // and now and then from one superstep to the next without
    }
  }
  return 0;
}
