// The launcher gets its own process group, so that a terminal's Ctrl-C reaches only us, and then it through us: once,
// not twice. If we die, the kernel sends it SIGTERM (PR_SET_PDEATHSIG), on which mpirun and srun end their ranks.
#include "job.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_tree.hpp"

namespace supervise {
namespace {

using Clock = std::chrono::steady_clock;

/// Processes that do not go away after SIGKILL hang in the kernel, on a dead file server as a rule. Say so after this.
constexpr std::chrono::seconds kPatience{10};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (value_ >= 0) close(value_);
    value_ = -1;
  }
  [[nodiscard]] int get() const noexcept { return value_; }

 private:
  int value_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) { // somebody has made our standard error non-blocking
      pollfd wait{.fd = descriptor, .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
      continue;
    }
    if (written <= 0) return; // nobody listens any more; the job goes on
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// In the new process. Only async-signal-safe calls; does not return.
[[noreturn]] void become(char* const* words, pid_t supervisor, const SignalInbox& signals, int errors, int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != supervisor) _exit(127); // it died before the line above
  // Not being the terminal's foreground group, a launcher that reads from it shall see an error, not be stopped.
  if (isatty(STDIN_FILENO) != 0) signal(SIGTTIN, SIG_IGN);
  dup2(errors, STDERR_FILENO);
  signals.restore();
  execvp(words[0], words);
  const int reason = errno;
  if (write(failure, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

} // namespace

/// A job under way.
struct JobRunner::Running {
  pid_t process = -1; // the first word's; the launcher or a wrapper around it
  bool ended = false;
  Descriptor errors; // what it writes to standard error
  Diagnosis diagnosis;
  Clock::time_point start = Clock::now();
  std::optional<Clock::time_point> kill_at;
  Ending ending;

  /// Passes on what there is to read, and forgets the pipe at its end.
  void pass_errors_on() {
    std::array<char, 16384> buffer{};
    while (errors.get() >= 0) {
      const ssize_t count = read(errors.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return errors.reset();
      const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
      write_all(STDERR_FILENO, text);
      diagnosis.read(text);
      if (count < static_cast<ssize_t>(buffer.size())) return;
    }
  }
};

int Ending::exit_code() const {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

JobRunner::JobRunner(SignalInbox& signals, double grace_seconds, std::function<void(const std::string&)> report)
    : signals_(signals), grace_seconds_(grace_seconds), report_(std::move(report)) {
  adopt_orphans();
  for (const Process& process : descendants(getpid())) bystanders_.insert(process.id);
}

Ending JobRunner::run(const Words& words) {
  Running job;
  start(words, job);
  wait(job);
  if (job.ending.exit_code() == 0) wait_for_helpers();
  kill_leftovers(job);
  job.pass_errors_on();
  job.ending.failure = job.diagnosis.conclude(job.ending.wait_status);
  return job.ending;
}

void JobRunner::start(const Words& words, Running& job) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe errors = make_pipe();
  Pipe failure = make_pipe();

  const pid_t self = getpid();
  job.start = Clock::now();
  job.process = fork();
  if (job.process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (job.process == 0) become(arguments.data(), self, signals_, errors.write_end.get(), failure.write_end.get());
  setpgid(job.process, job.process); // here too, whoever comes first

  failure.write_end.reset();
  int reason = 0;
  if (read(failure.read_end.get(), &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
    waitpid(job.process, nullptr, 0);
    throw CommandError(fmt::format("cannot start {}: {}", words[0], std::strerror(reason)));
  }
  job.errors = std::move(errors.read_end);
  fcntl(job.errors.get(), F_SETFL, O_NONBLOCK);
}

/// Until the launcher has ended. At the deadline after a stop signal everything is killed.
void JobRunner::wait(Running& job) {
  while (!job.ended) {
    int timeout = -1;
    if (job.kill_at) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*job.kill_at - Clock::now()).count();
      timeout = static_cast<int>(std::max<std::int64_t>(left, 0));
    }
    std::array<pollfd, 2> sources{{{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = job.errors.get(), .events = POLLIN, .revents = 0}}};
    poll(sources.data(), sources.size(), timeout);
    if (sources[1].revents != 0) job.pass_errors_on();
    handle_signals(job);
    if (job.kill_at && !job.ended && Clock::now() >= *job.kill_at) {
      report_(fmt::format("the job did not end within {:g} s after {}; killing it", grace_seconds_,
                          signal_text(*job.ending.stop_signal)));
      for (const pid_t process : living()) kill(process, SIGKILL);
      job.kill_at.reset();
    }
  }
}

void JobRunner::handle_signals(Running& job) {
  while (const std::optional<int> signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      reap(job);
      continue;
    }
    if (!job.ended) kill(find_launcher_process(job.process), *signal);
    if (!is_stop_signal(*signal) || job.ending.stop_signal) continue;
    job.ending.stop_signal = *signal;
    job.kill_at =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace_seconds_));
  }
}

/// Asks how children have ended: the launcher, and orphans that were adopted.
void JobRunner::reap(Running& job) {
  int status = 0;
  for (pid_t process = waitpid(-1, &status, WNOHANG); process > 0; process = waitpid(-1, &status, WNOHANG)) {
    bystanders_.erase(process);
    if (process != job.process) continue;
    job.ended = true;
    job.ending.wait_status = status;
    job.ending.seconds = seconds_since(job.start);
  }
}

/// Our processes that have not ended, bystanders and what is below them left out.
std::set<pid_t> JobRunner::living() const {
  std::set<pid_t> foreign = bystanders_;
  std::set<pid_t> ours;
  for (const Process& process : descendants(getpid())) {
    if (foreign.contains(process.parent)) foreign.insert(process.id);
    if (!process.ended && !foreign.contains(process.id)) ours.insert(process.id);
  }
  return ours;
}

/// A launcher that has ended well may have helpers that end just after it: mpirun under Slurm has an srun.
void JobRunner::wait_for_helpers() const {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(500);
  while (!living().empty() && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void JobRunner::kill_leftovers(Running& job) {
  std::set<pid_t> killed, unreachable;
  bool warned = false;
  const Clock::time_point start = Clock::now();
  while (true) {
    std::set<pid_t> left = living();
    std::erase_if(left, [&unreachable](pid_t process) { return unreachable.contains(process); });
    if (left.empty()) break;
    for (const pid_t process : left) {
      if (kill(process, SIGKILL) == 0)
        killed.insert(process);
      else if (errno == EPERM)
        unreachable.insert(process);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    handle_signals(job); // reaps what has ended
    reap(job);
    if (!warned && Clock::now() - start > kPatience) {
      report_(fmt::format("waiting for process {}, killed but not gone", fmt::join(left, ", ")));
      warned = true;
    }
    if (warned && job.ending.stop_signal) break; // asked to end: wait no longer
  }
  if (!unreachable.empty())
    report_(fmt::format("cannot end process {}, which is another user's", fmt::join(unreachable, ", ")));
  job.ending.leftovers = static_cast<int>(killed.size());
}

} // namespace supervise
