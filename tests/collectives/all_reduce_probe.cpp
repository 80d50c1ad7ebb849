// A program whose last rank but one stops being a good member of the job in the middle of its work:
//   all_reduce_probe HOW ALGORITHM TIMEOUT MARK
// HOW is stop (SIGSTOP: alive but frozen) or kill. MARK is not used: whoever looks for left-over processes finds it in
// their command lines.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectives/all_reduce.hpp"
#include "core/runtime.hpp"

namespace {

core::ExitCode work(const core::Communicator& world, int, char** argv) {
  const std::string how = argv[1];
  collectives::AllReduceOptions options;
  options.algorithm = collectives::algorithm_named(argv[2]);
  options.timeout_seconds = std::atof(argv[3]);
  if (options.algorithm == collectives::Algorithm::hierarchical) options.pretended_node_size = 2;
  collectives::AllReducer reducer(world, options);
  std::vector<float> data(100'000, 1);
  for (int round = 0; round < 50; ++round) {
    if (round == 20 && world.rank() == world.size() - 2) std::raise(how == "kill" ? SIGKILL : SIGSTOP);
    try {
      reducer.all_reduce(std::span(data));
    } catch (const core::Error& error) {
      // At once: when the first rank ends the job, the others may not come to print their line.
      std::fprintf(stderr, "probe says: %s\n", error.what());
      throw;
    }
  }
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("probe", argc, argv, work);
}
