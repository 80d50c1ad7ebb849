// An MPI program in which a rank dies, unless it was told to --resume: mortal RANK HOW [--checkpoint-dir DIR]
// [--resume] with HOW one of kill, exit, stuck. Prints how many ranks came through.
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

#include <unistd.h>

#include "core/collectives.hpp"
#include "core/runtime.hpp"

namespace {

core::ExitCode run(const core::Communicator& world, int argc, char** argv) {
  const int victim = std::stoi(argv[1]);
  const std::string how = argv[2];
  const bool resumed = std::string(argv[argc - 1]) == "--resume";
  core::barrier(world);
  if (!resumed && world.rank() == victim) {
    if (how == "kill") std::raise(SIGKILL);
    if (how == "exit") _exit(3);
    if (how == "stuck") std::raise(SIGSTOP);
  }
  core::barrier(world);
  if (world.rank() == 0) {
    std::printf("%s on %d ranks\n", resumed ? "resumed" : "began", world.size());
    for (int i = 3; i + 1 < argc; ++i) { // what supervise looks for where the launcher tolerates deaths
      if (std::string(argv[i]) == "--checkpoint-dir") std::ofstream(std::string(argv[i + 1]) + "/completed");
    }
  }
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("mortal", argc, argv, run);
}
