// The command line of a job, taken apart: which word starts it, where its number of ranks is written, where the
// program's own arguments begin. Pure functions of words, so that tests need no job.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supervise {

using Words = std::vector<std::string>;

/// A command that is not understood; `what()` is one line.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LaunchCommand {
  Words words;
  std::size_t launcher = 0;   ///< the word that names mpirun, mpiexec or srun; wrappers come before it
  std::size_t rank_word = 0;  ///< the word that holds the number of ranks
  std::size_t rank_begin = 0; ///< where in that word the number begins: 0, or behind "-n" or "--ntasks="
  std::size_t program = 0;    ///< the program's word; its arguments follow
  int ranks = 0;
};

/// What changes when the job is started again.
struct Relaunch {
  int ranks = 1;
  int restart = 1;    ///< 1 for the first restart
  bool resume = true; ///< append --resume, unless it is there
};

/// Finds the parts of `words`. CommandError for what has no launcher, no number of ranks or no program.
[[nodiscard]] LaunchCommand parse_launch_command(Words words);

/// The words of a restart. Faults that the program was told to inject belong to the first launch: the first restart
/// keeps only those with where=recovery, later ones none.
[[nodiscard]] Words relaunch_words(const LaunchCommand& command, const Relaunch& relaunch);

/// The value of "NAME VALUE" or "NAME=VALUE" among the program's arguments, the last one's; empty if there is none.
[[nodiscard]] std::string program_option(const LaunchCommand& command, std::string_view name);

/// Does the launcher let a job go on without ranks that have died (`mpirun --with-ft`)? It then returns 0 even if all
/// have.
[[nodiscard]] bool tolerates_deaths(const LaunchCommand& command);

/// Is "NAME", or "NAME=…", among the program's arguments?
[[nodiscard]] bool program_has_option(const LaunchCommand& command, std::string_view name);

/// Does the word name a launcher, with or without its directory?
[[nodiscard]] bool is_launcher(std::string_view word);

} // namespace supervise
