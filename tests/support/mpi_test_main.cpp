// The main() of every test executable: GoogleTest on all ranks of an MPI job, with one verdict.
//
// A test passes when it passes on every rank. At the end of each test the ranks agree on that; where one has failed,
// rank 0 fails too and names it, so that the report of rank 0 is the report of the job. The other ranks print nothing
// but their failures, at once and with their rank in front.
//
// A rank that leaves a test early (ASSERT, an exception) can leave the others inside a collective call for ever. So a
// rank that has failed waits for the others only for a grace period at the end of the test; then it ends the job. A
// rank that is well waits without limit: CTest's time limit is behind it.
//
// This file calls MPI directly, unlike the code it tests: the verdict must not depend on the wrappers under test.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <mpi.h>

#include "core/runtime.hpp"

namespace {

constexpr std::chrono::seconds kGrace{10};

/// Prints the failures of a rank other than 0.
class RankPrinter : public testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestEnd(const testing::TestInfo&) override { test_ = kOutside; }

  // GoogleTest holds its lock here, so the test cannot be asked for its name.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    std::fprintf(stderr, "[rank %d] %s:%d: failure in %s\n", rank_, file, result.line_number(), test_.c_str());
    print_lines(result.message());
    std::fflush(stderr);
  }

 private:
  void print_lines(const std::string& text) const {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::fprintf(stderr, "[rank %d]   %s\n", rank_, text.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
  }

  static constexpr const char* kOutside = "the set-up of a suite";
  int rank_;
  std::string test_ = kOutside;
};

/// Makes the ranks agree on each test's verdict.
class Verdict : public testing::EmptyTestEventListener {
 public:
  explicit Verdict(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const bool failed = test.result()->Failed();
    const int failed_rank = lowest_failed_rank(failed, test.name());
    if (failed_rank < size_) any_failed_ = true;
    if (failed_rank < size_ && !failed && rank_ == 0) {
      ADD_FAILURE() << "rank " << failed_rank << " failed " << test.test_suite_name() << "." << test.name();
    }
  }

  /// Did any rank fail anything, the set-up of suites included? Collective.
  [[nodiscard]] bool job_failed(bool failed_here) {
    return lowest_failed_rank(failed_here || any_failed_, "the end of the run") < size_;
  }

 private:
  /// The lowest rank that failed, or the number of ranks. Collective.
  [[nodiscard]] int lowest_failed_rank(bool failed, const char* where) const {
    const int mine = failed ? rank_ : size_;
    int lowest = size_;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm_, &request);
    wait_for_others(request, failed, where);
    return lowest;
  }

  void wait_for_others(MPI_Request request, bool impatient, const char* where) const {
    const auto begin = std::chrono::steady_clock::now();
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    for (int polls = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      if (++polls < 100) {
        std::this_thread::yield();
        continue;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the others may need this core
      if (impatient && std::chrono::steady_clock::now() - begin > kGrace) {
        std::fprintf(stderr, "[rank %d] failed %s and other ranks did not reach its end: ending the job\n", rank_,
                     where);
        std::fflush(stderr);
        MPI_Abort(comm_, EXIT_FAILURE);
      }
    }
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  bool any_failed_ = false;
};

core::ExitCode run_tests(const core::Communicator& world, int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  testing::TestEventListeners& listeners = tests.listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
    listeners.Append(new RankPrinter(world.rank()));
  }
  // --gtest_shuffle must give all ranks the same order.
  int seed = testing::GTEST_FLAG(random_seed);
  if (seed == 0) seed = static_cast<int>(std::chrono::system_clock::now().time_since_epoch().count() % 99999) + 1;
  MPI_Bcast(&seed, 1, MPI_INT, 0, world.native());
  testing::GTEST_FLAG(random_seed) = seed;

  auto* verdict = new Verdict(world.native()); // GoogleTest owns listeners
  listeners.Append(verdict);
  int result = RUN_ALL_TESTS();
  if (tests.test_to_run_count() == 0) {
    if (world.rank() == 0) std::fprintf(stderr, "no test matches the filter\n");
    result = EXIT_FAILURE;
  }
  return verdict->job_failed(result != 0) ? core::ExitCode::failure : core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("test", argc, argv, run_tests);
}
