// supervise [OPTIONS] -- mpirun -n P PROGRAM ARGS…: starts a job again after a rank has died, from its last checkpoint.
//
//   supervise --max-restarts 10 -- mpirun -n 4 pregel pagerank --graph web.el --checkpoint-dir ck --checkpoint-every 5
//
// For MPIs that end the whole job when one rank dies. It knows nothing of MPI itself: it starts the launcher, reads
// what the launcher says of a failure, and starts it again on as many ranks as are left. The parts: launch_command (the
// command line), job (processes and signals), diagnosis (who failed), restart_delay, story (what the next launch
// hears).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "supervise/diagnosis.hpp"
#include "supervise/job.hpp"
#include "supervise/launch_command.hpp"
#include "supervise/restart_delay.hpp"
#include "supervise/signals.hpp"
#include "supervise/story.hpp"

namespace {

using supervise::Ending;
using supervise::LaunchCommand;

// What a job returns (core/error.hpp says the same; this program does without the libraries, and so without MPI).
constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kBadInput = 2;
constexpr int kRequeue = 75;

struct Options {
  int max_restarts = 5;
  int min_ranks = 1;
  double delay = 1;
  double grace = 10;
  bool replace = false;
  bool from_scratch = false;
  bool quiet = false;
};

constexpr const char* kDescription =
    "Runs an MPI job and starts it again when it fails, from its last checkpoint (--resume is appended) and on as "
    "many\n"
    "ranks as are left.\n\n"
    "  supervise [OPTIONS] -- mpirun -n P PROGRAM ARGS... --checkpoint-dir DIR\n\n"
    "The launcher is mpirun or mpiexec (-n, -np, --np or -c N) or srun (-n N, -nN, --ntasks N or --ntasks=N), with "
    "any\n"
    "other options, and may stand behind wrappers such as `timeout 60` or `env A=B`.\n\n"
    "Faults to inject (--inject SPEC) are for the first launch. The first restart keeps only those with "
    "where=recovery,\n"
    "later ones none: a drill must not repeat its own fault for ever.\n\n"
    "SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to the launcher. After the first three nothing is "
    "started\n"
    "again, and a job that does not end within --grace is killed. Nothing of a launch is left when the next one "
    "begins.\n\n"
    "A launcher that tolerates deaths (mpirun --with-ft) ends with 0 even if all ranks have died; the job has "
    "succeeded if\n"
    "it left DIR/completed, as pregel does.\n\n"
    "Exit code: 0 the job has succeeded; 1 it failed and the limit of restarts is reached; 2 (bad input) and 75 "
    "(stopped on\n"
    "request) are the job's own and end supervise; 128 + signal after SIGINT, SIGTERM or SIGHUP, unless the job's is 0 "
    "or\n"
    "75; 2 also when the command is not understood or cannot be started.";

void declare(CLI::App& app, Options& options) {
  app.add_option("--max-restarts", options.max_restarts, "give up after this many")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--min-ranks", options.min_ranks, "never start on fewer ranks")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_flag("--replace", options.replace, "start again on the same number of ranks");
  app.add_option("--delay", options.delay,
                 "seconds before the first restart; doubles up to 60, and starts anew after a run of 10 minutes")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--grace", options.grace, "seconds a job has to end after SIGINT, SIGTERM or SIGHUP")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_flag("--from-scratch", options.from_scratch,
               "start again from the beginning, without --resume; for programs without --checkpoint-dir");
  app.add_flag("--quiet", options.quiet, "print only why supervise gave up");
}

/// One line on standard error, in one write so that it does not mix with the job's.
void say(const std::string& line) {
  const std::string text = fmt::format("supervise: {}\n", line);
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return; // nobody listens
}

/// The command and what is asked of it fit together. CommandError if not.
LaunchCommand understand(supervise::Words words, const Options& options) {
  if (words.empty())
    throw supervise::CommandError("no command: supervise [OPTIONS] -- mpirun -n P PROGRAM (see --help)");
  LaunchCommand command = supervise::parse_launch_command(std::move(words));
  if (options.min_ranks > command.ranks)
    throw supervise::CommandError(
        fmt::format("--min-ranks {} is more than the {} ranks of the command", options.min_ranks, command.ranks));
  if (!options.from_scratch && !program_has_option(command, "--checkpoint-dir"))
    throw supervise::CommandError(
        "the program has no --checkpoint-dir to resume from; --from-scratch starts it again from the beginning");
  return command;
}

class Supervisor {
 public:
  Supervisor(LaunchCommand command, const Options& options)
      : command_(std::move(command)),
        options_(options),
        delay_(options.delay),
        runner_(signals_, options.grace, [this](const std::string& line) { report(line); }) {}

  /// Returns the exit code.
  int run() {
    supervise::Words words = command_.words;
    int ranks = command_.ranks;
    for (int restarts = 0;; ++restarts) {
      (void)unlink(completion_file().c_str()); // an earlier job's
      Ending ending = runner_.run(words);
      if (const std::optional<int> code = final_code(ending, restarts)) return *code;

      const int ranks_before = std::exchange(ranks, ranks_after(ending, ranks));
      story_.add_failure(ending.failure.who() + ": " + ending.failure.how, ranks_before, ranks);
      const double seconds = delay_.after_run(ending.seconds);
      report(fmt::format("restart {} of {} on {} rank{} in {:g} s", restarts + 1, options_.max_restarts, ranks,
                         ranks == 1 ? "" : "s", seconds));
      if (const std::optional<int> code = wait_before_restart(seconds)) return *code;
      story_.tell();
      words = relaunch_words(command_, {.ranks = ranks, .restart = restarts + 1, .resume = !options_.from_scratch});
    }
  }

 private:
  void report(const std::string& line) const {
    if (!options_.quiet) say(line);
  }

  /// The exit code if this was the last launch; says why. Reports a failure in any case.
  [[nodiscard]] std::optional<int> final_code(Ending& ending, int restarts) const {
    int code = ending.exit_code();
    if (ending.leftovers > 0)
      report(fmt::format("killed {} process{} that the job left behind", ending.leftovers,
                         ending.leftovers == 1 ? "" : "es"));
    if (code == kSuccess && nobody_completed()) {
      ending.failure = {.ranks = {}, .how = "all ranks died, though the launcher ended with exit code 0"};
      code = kFailure;
    }
    if (code == kSuccess) {
      if (restarts > 0) report(fmt::format("the job succeeded after {} restart{}", restarts, restarts == 1 ? "" : "s"));
      return code;
    }
    if (code == kRequeue) {
      report(fmt::format("the job stopped on request (exit code {})", kRequeue));
      return code;
    }
    if (ending.stop_signal) {
      report(fmt::format("the job ended after {}", supervise::signal_text(*ending.stop_signal)));
      return 128 + *ending.stop_signal;
    }
    if (code == kBadInput) {
      report(fmt::format("the job refused its input (exit code {}); not started again", kBadInput));
      return code;
    }

    const std::string failure =
        fmt::format("{} after {:.1f} s: {}", ending.failure.who(), ending.seconds, ending.failure.how);
    report(failure);
    if (restarts < options_.max_restarts) return std::nullopt;
    say(fmt::format("gave up after {} restart{}; last failure: {}", restarts, restarts == 1 ? "" : "s", failure));
    return kFailure;
  }

  /// A launcher that tolerates deaths says 0 whatever happened; the program leaves a file when it has completed.
  [[nodiscard]] bool nobody_completed() const {
    const std::string file = completion_file();
    return !file.empty() && access(file.c_str(), F_OK) != 0;
  }
  /// That file; empty where the launcher's word is enough.
  [[nodiscard]] std::string completion_file() const {
    const std::string directory = supervise::program_option(command_, "--checkpoint-dir");
    return tolerates_deaths(command_) && !directory.empty() ? directory + "/completed" : std::string();
  }

  [[nodiscard]] int ranks_after(const Ending& ending, int ranks) const {
    if (options_.replace) return ranks;
    return std::max(ranks - ending.failure.lost, options_.min_ranks);
  }

  /// The exit code if a signal says that there is no need to start again.
  std::optional<int> wait_before_restart(double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    while (true) {
      while (const std::optional<int> signal = signals_.next()) {
        if (supervise::is_stop_signal(*signal)) {
          report(fmt::format("{}: not started again", supervise::signal_text(*signal)));
          return 128 + *signal;
        }
        // To a job this means "write a checkpoint and stop"; there is none to stop, and the checkpoint is there.
        if (*signal == SIGUSR1) {
          report(fmt::format("{}: not started again", supervise::signal_text(*signal)));
          return kRequeue;
        }
        if (*signal == SIGUSR2) return std::nullopt; // no need to wait any longer
      }
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0) return std::nullopt;
      pollfd source{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0};
      poll(&source, 1, static_cast<int>(left));
    }
  }

  LaunchCommand command_;
  Options options_;
  supervise::SignalInbox signals_;
  supervise::RestartDelay delay_;
  supervise::Story story_;
  supervise::JobRunner runner_;
};

int run_program(int argc, char** argv) {
  // Everything behind the first "--" is the job's, whatever it looks like.
  char** const end = argv + argc;
  char** const separator = std::find(argv, end, std::string("--"));
  supervise::Words words(separator == end ? end : separator + 1, end);

  Options options;
  CLI::App app(kDescription, "supervise");
  declare(app, options);
  try {
    app.parse(static_cast<int>(separator - argv), argv);
    return Supervisor(understand(std::move(words), options), options).run();
  } catch (const CLI::Success&) {
    fmt::print("{}", app.help());
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    if (const std::vector<std::string> extras = app.remaining(); !extras.empty())
      message =
          fmt::format("not expected: {}{}", fmt::join(extras, " "),
                      separator == end ? "; the job stands behind --: supervise [OPTIONS] -- mpirun -n P PROGRAM" : "");
    say(fmt::format("error: {} (see --help)", message));
  } catch (const supervise::CommandError& error) {
    say(fmt::format("error: {}", error.what()));
  }
  return kBadInput;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {
    say(fmt::format("error: {}", error.what()));
    return kFailure;
  }
}
