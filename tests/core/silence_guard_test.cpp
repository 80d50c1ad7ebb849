// The guard of a silent process, seen from outside: silent_probe is started, and what becomes of it is looked at.
#include "core/silence_guard.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace core {
namespace {

constexpr double kLimit = 1.0;

struct Ended {
  int status = 0;
  double seconds = 0;
  std::string said;
  std::string guard; ///< its process id
};

bool runs(const std::string& process) {
  return !process.empty() && std::filesystem::exists("/proc/" + process);
}

/// Starts the probe when it is made; end() waits for its end, however that is.
class Probe {
 public:
  explicit Probe(const char* what) : begin_(std::chrono::steady_clock::now()) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
    process_ = fork();
    if (process_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      execl(SUPERSTEP_SILENT_PROBE, SUPERSTEP_SILENT_PROBE, std::to_string(kLimit).c_str(), what, nullptr);
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }

  [[nodiscard]] Ended end() {
    Ended ended;
    for (char letter; read(out_, &letter, 1) == 1 && letter != '\n';) ended.guard += letter;
    waitpid(process_, &ended.status, 0);
    ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    // The end of the guard closes its side of the pipe.
    for (char letter; read(err_, &letter, 1) == 1;) ended.said += letter;
    close(out_);
    close(err_);
    EXPECT_FALSE(ended.guard.empty()) << "there was no guard";
    for (int i = 0; i < 200 && runs(ended.guard); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(runs(ended.guard)) << "the guard outlives its process";
    return ended;
  }

 private:
  std::chrono::steady_clock::time_point begin_;
  pid_t process_ = -1;
  int out_ = -1, err_ = -1;
};

void expect_killed(const Ended& ended, const char* superstep, const char* how) {
  ASSERT_TRUE(WIFSIGNALED(ended.status)) << ended.said;
  EXPECT_EQ(WTERMSIG(ended.status), SIGKILL);
  EXPECT_GE(ended.seconds, kLimit);
  EXPECT_LT(ended.seconds, kLimit + 1 + 2); // a second, and two for a busy machine
  const std::regex wanted(std::string(R"(rank 7 \(process \d+\): silent for [\d.]+ s in superstep )") + superstep +
                          R"( \()" + how + R"(\); killed\n)");
  EXPECT_TRUE(std::regex_match(ended.said, wanted)) << ended.said;
}

void expect_left_alone(const Ended& ended) {
  EXPECT_TRUE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) << ended.said;
  EXPECT_EQ(ended.said, "");
  EXPECT_GE(ended.seconds, 3 * kLimit);
}

/// All at the same time: each takes some limits. Those that are killed come first, because their time counts.
TEST(SilenceGuard, KillsWhoIsSilentAndNobodyElse) {
  Probe stops("stop"), stops_while_it_waits("stop-waiting"), stops_on_its_way_out("stop-leaving"),
      computes_for_ever("spin"), waits("wait"), works_in_bursts("bursts");
  expect_killed(stops.end(), "42", "stopped");
  expect_killed(stops_while_it_waits.end(), "41", "stopped");
  expect_killed(stops_on_its_way_out.end(), "41", "stopped");
  expect_killed(computes_for_ever.end(), "42", "computing");
  expect_left_alone(waits.end());
  expect_left_alone(works_in_bursts.end());
}

TEST(SilenceGuard, OtherProgramsAreNoGuards) {
  char name[] = "pregel", word[] = "1";
  char* words[] = {name, word, word, word, nullptr};
  EXPECT_FALSE(run_as_guard(4, words));
  char guard[] = "superstep-guard";
  words[0] = guard;
  EXPECT_FALSE(run_as_guard(3, words));
}

} // namespace
} // namespace core
