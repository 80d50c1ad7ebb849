// Signals as wishes: what they do while a StopRequest lives, and that they do afterwards what they did before.
#include "core/stop_request.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/temporary_name.hpp"

namespace core {
namespace {

volatile std::sig_atomic_t noticed = 0;
void notice(int) {
  noticed = noticed + 1;
}

/// The signal that ends a child which does `work`, 0 if it comes to its end. The child does nothing with MPI.
int signal_that_ends(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    (void)std::signal(SIGTERM, SIG_DFL); // whatever the launcher or MPI had
    (void)std::signal(SIGUSR1, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return -WEXITSTATUS(status);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(StopRequest, IsMadeByEitherSignal) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    EXPECT_EQ(signal_that_ends([&] {
                const StopRequest request;
                if (StopRequest::made()) _exit(1);
                (void)raise(signal);
                if (!StopRequest::made()) _exit(2);
              }),
              0);
  }
}

TEST(StopRequest, IsNotThereBeforeAndAfterwards) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    EXPECT_EQ(signal_that_ends([&] { (void)raise(signal); }), signal);
    EXPECT_EQ(signal_that_ends([&] {
                { const StopRequest request; }
                (void)raise(signal);
              }),
              signal);
    EXPECT_EQ(signal_that_ends([&] { // also after it was used
                {
                  const StopRequest request;
                  (void)raise(signal);
                }
                (void)raise(signal);
              }),
              signal);
  }
}

TEST(StopRequest, TheSecondSigtermEnds) {
  EXPECT_EQ(signal_that_ends([&] {
              const StopRequest request;
              (void)raise(SIGTERM);
              (void)raise(SIGTERM);
            }),
            SIGTERM);
}

TEST(StopRequest, SigusrMayComeOften) {
  EXPECT_EQ(signal_that_ends([&] {
              const StopRequest request;
              for (int i = 0; i < 5; ++i) (void)raise(SIGUSR1);
            }),
            0);
}

TEST(StopRequest, ANewOneBeginsAnew) {
  EXPECT_EQ(signal_that_ends([&] {
              {
                const StopRequest request;
                (void)raise(SIGUSR1);
              }
              const StopRequest request;
              if (StopRequest::made()) _exit(1);
            }),
            0);
}

/// Temporary files are removed by a handler of SIGTERM: it must be there again.
TEST(StopRequest, GivesHandlersBack) {
  EXPECT_EQ(signal_that_ends([&] {
              (void)std::signal(SIGTERM, notice);
              {
                const StopRequest request;
                (void)raise(SIGTERM);
                if (noticed != 0) _exit(1);
                (void)raise(SIGTERM); // the second one is the earlier handler's
                if (noticed != 1) _exit(2);
              }
              (void)std::signal(SIGTERM, notice);
              { const StopRequest request; }
              (void)raise(SIGTERM);
              if (noticed != 2) _exit(3);
            }),
            0);
}

/// Also when the first of them is named while a StopRequest lives.
TEST(StopRequest, TemporaryFilesAreRemovedAfterwards) {
  const std::string file = testing::TempDir() + "stop_request_" + std::to_string(getpid());
  for (const bool during : {true, false}) {
    EXPECT_EQ(signal_that_ends([&] {
                std::ofstream(file) << "half";
                TemporaryName name;
                {
                  const StopRequest request;
                  name = TemporaryName(file);
                  if (during) (void)raise(SIGTERM);
                  if (during) (void)raise(SIGTERM); // the second one ends
                }
                (void)raise(SIGTERM);
              }),
              SIGTERM);
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::remove(file);
  }
}

} // namespace
} // namespace core
