// The guard of a silent process, seen from outside: silent_probe is started, and what becomes of it is looked at.
#include "core/silence_guard.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <thread>

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

/// Runs the probe to its end, however that is.
Ended run_probe(const std::string& what) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0) throw std::runtime_error("no pipes");
  const auto begin = std::chrono::steady_clock::now();
  const pid_t probe = fork();
  if (probe == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], err[0], err[1]}) close(descriptor);
    const std::string limit = std::to_string(kLimit);
    execl(SUPERSTEP_SILENT_PROBE, SUPERSTEP_SILENT_PROBE, limit.c_str(), what.c_str(), nullptr);
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  Ended ended;
  for (char letter; read(out[0], &letter, 1) == 1 && letter != '\n';) ended.guard += letter;
  EXPECT_TRUE(runs(ended.guard)) << "no guard: '" << ended.guard << "'";
  waitpid(probe, &ended.status, 0);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // The end of the guard closes its side of the pipe.
  for (char letter; read(err[0], &letter, 1) == 1;) ended.said += letter;
  close(out[0]);
  close(err[0]);
  for (int i = 0; i < 200 && runs(ended.guard); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(runs(ended.guard)) << "the guard outlives its process";
  return ended;
}

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
}

TEST(SilenceGuard, AProcessThatStopsItself) {
  expect_killed(run_probe("stop"), "42", "stopped");
}

TEST(SilenceGuard, AProcessThatStopsWhileItWaits) {
  expect_killed(run_probe("stop-waiting"), "41", "stopped");
}

TEST(SilenceGuard, AProcessThatComputesForEver) {
  expect_killed(run_probe("spin"), "42", "computing");
}

TEST(SilenceGuard, AProcessThatWaits) {
  const Ended ended = run_probe("wait");
  expect_left_alone(ended);
  EXPECT_GE(ended.seconds, 3 * kLimit);
}

TEST(SilenceGuard, AProcessThatWorksInShortBursts) {
  const Ended ended = run_probe("bursts");
  expect_left_alone(ended);
  EXPECT_GE(ended.seconds, 3 * kLimit);
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
