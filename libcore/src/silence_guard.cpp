// The guard is this program once more, started under another name: fork() alone would copy a process that MPI's
// transports have pinned memory of, and the copy would keep its threads' locks.
#include "core/silence_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "core/error.hpp"

extern char** environ;

namespace core {
namespace {

constexpr const char* kGuardName = "superstep-guard";
constexpr int kSharedDescriptor = 3; // in the guard

double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void sleep_seconds(double seconds) {
  timespec pause{};
  pause.tv_sec = static_cast<time_t>(seconds);
  pause.tv_nsec = static_cast<long>((seconds - static_cast<double>(pause.tv_sec)) * 1e9);
  nanosleep(&pause, nullptr);
}

/// The state letter of a process, 0 if there is none.
char process_state(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const std::size_t after_name = line.rfind(')'); // the name may hold anything
  return after_name == std::string::npos || after_name + 2 >= line.size() ? '\0' : line[after_name + 2];
}

template <class T>
T parse(const char* text) {
  T value{};
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

} // namespace

/// Written by the rank, read by its guard.
struct SilenceGuard::Shared {
  std::atomic<std::uint64_t> changes{0}; // odd: working
  std::atomic<std::uint64_t> superstep{0};
};

SilenceGuard::SilenceGuard(double limit_seconds, const std::string& who) {
  const int descriptor = memfd_create(kGuardName, MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  if (descriptor >= 0 && ftruncate(descriptor, sizeof(Shared)) == 0)
    memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    throw Error("cannot make the memory of the guard: " + std::generic_category().message(reason));
  }
  shared_ = new (memory) Shared;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, descriptor, kSharedDescriptor);
  std::string name = kGuardName, process = std::to_string(getpid()), limit = fmt::format("{}", limit_seconds),
              rank = who;
  const std::array<char*, 5> words{name.data(), process.data(), limit.data(), rank.data(), nullptr};
  pid_t guard = -1;
  const int failed = posix_spawn(&guard, "/proc/self/exe", &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(descriptor);
  if (failed != 0) {
    munmap(shared_, sizeof(Shared));
    throw Error("cannot start the guard of a silent rank: " + std::generic_category().message(failed));
  }
}

SilenceGuard::~SilenceGuard() {
  waiting();
  munmap(shared_, sizeof(Shared));
}

void SilenceGuard::working(std::uint64_t superstep) noexcept {
  shared_->superstep.store(superstep, std::memory_order_relaxed);
  const std::uint64_t changes = shared_->changes.load(std::memory_order_relaxed);
  shared_->changes.store((changes | 1) + 2, std::memory_order_relaxed);
}

void SilenceGuard::waiting() noexcept {
  const std::uint64_t changes = shared_->changes.load(std::memory_order_relaxed);
  shared_->changes.store((changes + 2) & ~std::uint64_t{1}, std::memory_order_relaxed);
}

std::optional<int> run_as_guard(int argc, char** argv) {
  if (argc != 4 || std::string_view(argv[0]) != kGuardName) return std::nullopt;
  const auto process = parse<pid_t>(argv[1]);
  const auto limit = parse<double>(argv[2]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) (void)std::signal(signal, SIG_IGN);
  void* const memory = mmap(nullptr, sizeof(SilenceGuard::Shared), PROT_READ, MAP_SHARED, kSharedDescriptor, 0);
  if (memory == MAP_FAILED) return 1;
  const auto* const shared = static_cast<const SilenceGuard::Shared*>(memory);

  const double pause = std::clamp(limit / 20, 0.01, 0.5);
  double silent = 0, last = now_seconds();
  std::uint64_t seen = 0;
  while (getppid() == process) {
    sleep_seconds(pause);
    const double now = now_seconds();
    // Where the whole machine or job was suspended, the guard was too: that time does not count.
    const double passed = std::min(now - last, 4 * pause);
    last = now;
    const bool stopped = process_state(process) == 'T';
    const std::uint64_t changes = shared->changes.load(std::memory_order_relaxed);
    const bool working = changes == seen && changes % 2 == 1;
    seen = changes;
    silent = stopped || working ? silent + passed : 0;
    if (silent < limit) continue;
    const std::string line =
        fmt::format("{} (process {}): silent for {:.1f} s in superstep {} ({}); killed\n", argv[3], process, silent,
                    shared->superstep.load(std::memory_order_relaxed), stopped ? "stopped" : "computing");
    (void)!write(STDERR_FILENO, line.data(), line.size());
    kill(process, SIGKILL);
    return 0;
  }
  return 0;
}

} // namespace core
