// From main() to the exit code. The hard part is the end: an exception may have left the body on all ranks, or on one
// while the others wait for it in a collective call. So every rank that leaves the body, well or badly, joins a
// non-blocking "closing" exchange on a communicator of its own and says how it left. If all come, the outcome is known
// everywhere and one line is printed; a rank that failed and sees nobody come aborts the job.
#include "core/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/fault_tolerance.hpp"
#include "core/log.hpp"
#include "core/patience.hpp"
#include "core/silence_guard.hpp"

namespace core {
namespace {

/// How long a rank that failed alone waits for the others before it aborts the job. Ranks that fail for the same
/// reason (options) come within milliseconds.
constexpr double kLonelyGraceSeconds = 3;
/// The same when ranks had agreed on the error: the others are on their way, perhaps freeing much memory.
constexpr double kAgreedGraceSeconds = 60;
/// MPI_Finalize has been seen to hang after a process failure. Results are in place by then.
constexpr std::chrono::seconds kFinalizeDeadline{30};
constexpr std::chrono::seconds kFinalizeDeadlineAfterLoss{1};

/// Keeps every library that is loaded now, MPI's plug-ins among them, in memory until the process ends. MPI_Finalize of
/// Open MPI unloads its plug-ins, while a progress thread of its own may still be inside one: on a busy machine the
/// process then dies of SIGSEGV, after its work is done and with exit code 139.
void keep_libraries_loaded() {
  std::vector<std::string> names;
  // dlopen() must not be called from within: the list is locked.
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        if (library->dlpi_name != nullptr && library->dlpi_name[0] == '/')
          static_cast<std::vector<std::string>*>(found)->emplace_back(library->dlpi_name);
        return 0;
      },
      &names);
  for (const std::string& name : names) (void)dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// A crash becomes a death at once. Open MPI and UCX install handlers that print a backtrace, for which they allocate
/// memory: after a crash inside malloc they hang, and the others wait for a rank that is neither dead nor alive.
void crash_at_once() {
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) (void)std::signal(signal, SIG_DFL);
}

/// How one rank left the body, as it travels.
struct Outcome {
  std::uint64_t line_hash = 0;
  std::int32_t exit_code = 0;
  std::int32_t failed = 0;
  std::int32_t agreed = 0;
  std::int32_t padding = 0; // written, so that no byte that travels is undefined
};

/// One write(2), so that lines of several ranks do not mix, and one line, whatever is in the words that the user gave.
void print_line(std::string text) {
  std::fflush(stdout);
  std::ranges::replace(text, '\n', ' ');
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// The closing exchange. Returns nothing when it did not complete within `deadline_seconds` (0: wait for ever) or MPI
/// reported a failure.
std::optional<std::vector<Outcome>> exchange_outcomes(const Communicator& closing, const Outcome& mine,
                                                      double deadline_seconds) {
  std::vector<Outcome> all(static_cast<std::size_t>(closing.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Iallgather(&mine, sizeof(Outcome), MPI_BYTE, all.data(), sizeof(Outcome), MPI_BYTE, closing.native(),
                     &request) != MPI_SUCCESS)
    return std::nullopt;
  const Stopwatch watch;
  Patience patience; // ranks that are done must not take the processor from those that still work
  while (true) {
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return std::nullopt;
    if (done != 0) return all;
    if (deadline_seconds > 0 && watch.seconds() > deadline_seconds) {
      // The buffer belongs to MPI until the exchange completes, which it never will: leave it, the job is aborted.
      new std::vector<Outcome>(std::move(all));
      return std::nullopt;
    }
    patience.pause();
  }
}

/// Ends the process when MPI_Finalize does not return.
class FinalizeDeadline {
 public:
  FinalizeDeadline(int exit_code, std::chrono::seconds deadline)
      : watcher_([this, exit_code, deadline] {
          std::unique_lock lock(mutex_);
          if (!finished_changed_.wait_for(lock, deadline, [this] { return finished_; })) _exit(exit_code);
        }) {}
  ~FinalizeDeadline() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    finished_changed_.notify_one();
    watcher_.join();
  }
  FinalizeDeadline(const FinalizeDeadline&) = delete;
  FinalizeDeadline& operator=(const FinalizeDeadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable finished_changed_;
  bool finished_ = false;
  std::thread watcher_;
};

/// The same on this rank, with the failure's words.
struct Leaving {
  ExitCode code = ExitCode::success;
  std::optional<LocalFailure> failure;
};

Leaving run_body(Session& session, int argc, char** argv, const SessionBody& body) {
  try {
    return {body(session, argc, argv), std::nullopt};
  } catch (...) {
    LocalFailure failure = describe_current_exception();
    const ExitCode code = failure.code;
    return {code, std::move(failure)};
  }
}

[[noreturn]] void abort_job(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  _exit(exit_code);
}

std::string line_of(const char* program, const LocalFailure& failure) {
  return fmt::format("{}: {}{}", program, failure.code == ExitCode::requeue ? "" : "error: ", failure.message);
}

/// The exit code, after all ranks have said how they left the body.
int conclude(const Session& session, const char* program, const Leaving& leaving) {
  const Communicator& closing = session.closing();
  const bool failed = leaving.failure.has_value();
  const bool agreed = failed && leaving.failure->rank.has_value();
  const int rank = closing.rank();
  const std::string line = failed ? line_of(program, *leaving.failure) : std::string();
  const std::string prefixed = closing.size() > 1 ? fmt::format("[rank {}] {}", rank, line) : line;

  // What ranks have agreed on is said at once, whatever happens in the closing exchange.
  if (agreed && rank == 0) print_line(line);
  // All are known to have completed: a death from now on changes nothing, and must not spoil the exit code.
  if (!failed && session.completed()) return static_cast<int>(leaving.code);
  const Outcome mine{std::hash<std::string>{}(line), static_cast<std::int32_t>(leaving.code), failed ? 1 : 0,
                     agreed ? 1 : 0};
  const double grace = !failed ? 0 : agreed ? kAgreedGraceSeconds : kLonelyGraceSeconds;
  const std::optional<std::vector<Outcome>> outcomes = exchange_outcomes(closing, mine, grace);
  if (!outcomes) {
    if (failed && !(agreed && rank == 0)) print_line(prefixed);
    abort_job(failed ? static_cast<int>(leaving.code) : static_cast<int>(ExitCode::failure));
  }

  const auto is_failed = [](const Outcome& outcome) { return outcome.failed != 0; };
  const auto same_line = [&mine](const Outcome& outcome) { return outcome.line_hash == mine.line_hash; };
  if (failed && !agreed) {
    // Several ranks with one line: the first of them prints it.
    const auto first = std::find_if(outcomes->begin(), outcomes->end(), same_line);
    if (first - outcomes->begin() == rank)
      print_line(std::all_of(outcomes->begin(), outcomes->end(), same_line) ? line : prefixed);
  }
  if (failed) return static_cast<int>(leaving.code);
  const auto first_failed = std::find_if(outcomes->begin(), outcomes->end(), is_failed);
  return first_failed != outcomes->end() ? first_failed->exit_code : static_cast<int>(leaving.code);
}

} // namespace

int run_driver(const char* program, int argc, char** argv, const DriverBody& body) {
  return run_session(program, argc, argv, [&body](Session& session, int count, char** words) {
    return body(session.world(), count, words);
  });
}

int run_session(const char* program, int argc, char** argv, const SessionBody& body) {
  if (const std::optional<int> guarded = run_as_guard(argc, argv)) return *guarded;
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    print_line(fmt::format("{}: error: cannot initialise MPI", program));
    return static_cast<int>(ExitCode::failure);
  }
  if (survives_failures()) crash_at_once();
  int exit_code = static_cast<int>(ExitCode::failure);
  std::chrono::seconds finalize_deadline = kFinalizeDeadline;
  try {
    Session session;
    configure_logging(session.first_rank(), LogLevel::normal);
    Leaving leaving;
    if (provided < MPI_THREAD_FUNNELED) {
      leaving = {ExitCode::failure, LocalFailure{"this MPI does not support threads (MPI_THREAD_FUNNELED)"}};
    } else {
      leaving = run_body(session, argc, argv, body);
    }
    exit_code = conclude(session, program, leaving);
    if (session.has_lost_ranks()) finalize_deadline = kFinalizeDeadlineAfterLoss;
  } catch (const std::exception& error) { // from the duplicates: MPI itself does not work
    print_line(fmt::format("{}: error: {}", program, error.what()));
    abort_job(exit_code);
  }
  std::fflush(nullptr);
  keep_libraries_loaded();
  const FinalizeDeadline deadline(exit_code, finalize_deadline);
  MPI_Finalize();
  return exit_code;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  if (!(statm >> pages >> resident)) return 0;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t peak_resident_bytes() {
  // getrusage() would count what this process was before exec; the kernel's high-water mark does not.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

} // namespace core
