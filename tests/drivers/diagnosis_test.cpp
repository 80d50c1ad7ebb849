// What launchers print when a rank dies, as it was seen, and what is made of it.
#include "supervise/diagnosis.hpp"

#include <csignal>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using supervise::Diagnosis;
using supervise::Failure;
using Ranks = std::set<int>;

constexpr int exited(int code) {
  return code << 8;
} // as waitpid() says it

Failure diagnose(std::string_view text, int wait_status = exited(1)) {
  Diagnosis whole;
  whole.read(text);
  Failure failure = whole.conclude(wait_status);
  Diagnosis pieces; // however the text is cut
  for (std::size_t at = 0; at < text.size(); at += 7) pieces.read(text.substr(at, 7));
  EXPECT_EQ(pieces.conclude(wait_status).how, failure.how);
  return failure;
}

void expect(const Failure& failure, const Ranks& ranks, const std::string& how, int lost = 1) {
  EXPECT_EQ(failure.ranks, ranks);
  EXPECT_EQ(failure.how, how);
  EXPECT_EQ(failure.lost, lost);
}

TEST(Diagnosis, OpenMpi4) {
  expect(
      diagnose("--------\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code.\n--------\n"
               "mpirun noticed that process rank 2 with PID 0 on node n exited on signal 9 (Killed).\n--------\n"),
      {2}, "killed by signal 9 (Killed)");
  expect(diagnose("mpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be "
                  "terminated. The first process to do so was:\n\n  Process name: [[17312,1],11]\n  Exit code:    3\n"),
         {11}, "exit code 3");
  expect(diagnose("MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 7.\n"), {1},
         "called MPI_Abort(7)");
  expect(
      diagnose("mpirun has exited due to process rank 1 with PID 0 on\nnode n exiting improperly. There are three\n"),
      {1}, "ended without MPI_Finalize");
}

TEST(Diagnosis, OpenMpi5BreaksItsLines) {
  expect(diagnose("prterun noticed that process rank 2 with PID 12232 on node n exited on\nsignal 9 (Killed).\n"), {2},
         "killed by signal 9 (Killed)");
  expect(diagnose("The first process to do so was:\n\n   Process name: [prterun-n-12246@1,2]\n   Exit code:    3\n"),
         {2}, "exit code 3");
  expect(diagnose(
             "MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD\n  Proc: [[42374,1],2]\n  Errorcode: 7\n"),
         {2}, "called MPI_Abort(7)");
}

TEST(Diagnosis, ExitedWithCode) {
  expect(diagnose("process rank 2 with PID 7 on node n exited with code 4"), {2}, "exit code 4");
  expect(diagnose("process rank 2 with PID 7 on node n has exited"), {}, "exit code 1");
  expect(diagnose("mpirun noticed that process rank 2 with PID 7 on node n exited with code 4"), {2}, "exit code 4");
}

TEST(Diagnosis, Mpich) {
  expect(
      diagnose("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 77 RUNNING AT n\n=   EXIT CODE: 9\n",
               exited(9)),
      {}, "exit code 9");
  expect(diagnose("=   RANK 2 PID 77 RUNNING AT n\n=   KILLED BY SIGNAL: 9 (Killed)\n", exited(9)), {2},
         "killed by signal 9 (Killed)");
}

TEST(Diagnosis, SlurmAndWhatItKillsAfterwards) {
  expect(diagnose("srun: error: n1: task 2: Killed\nsrun: launch/slurm: _step_signal: Terminating StepId=5.0\n"
                  "slurmstepd: error: *** STEP 5.0 ON n1 CANCELLED AT 2024-01-01T00:00:00 ***\n"
                  "srun: error: n1: tasks 0-1,3: Killed\n"),
         {2}, "Killed");
  expect(diagnose("srun: error: n1: tasks 0-1,3: Segmentation fault\nsrun: error: n2: task 7: Terminated\n"), {0, 1, 3},
         "Segmentation fault", 3);
  expect(diagnose("srun: error: n1: tasks 0-3: Exited with exit code 1\n"), {0, 1, 2, 3}, "exit code 1");
}

TEST(Diagnosis, OurOwnWords) {
  expect(diagnose("[rank 2] pregel: error: no space left\n"), {2}, "no space left");
  expect(diagnose("pregel: error: no space left (on rank 3)\n"), {3}, "no space left (on rank 3)");
  expect(diagnose("pregel: error: rank 2 on node n (process 77): silent for 10 s\n"), {2}, "silent");
  expect(diagnose("[rank 0] pregel: error: ranks 1, 3 and 4: silent"), {1, 3, 4}, "silent", 3);
  expect(diagnose("[rank 1] warning: something\nrank 2 reads a silent film\n[rank 9] half of it"), {2}, "silent");
  expect(diagnose("pregel: error: no such file\n"), {}, "exit code 1");
}

TEST(Diagnosis, TheWitnessClosestToTheCauseCounts) {
  // The rank that was killed, not the one that noticed.
  expect(
      diagnose("[rank 0] pregel: error: MPI_Alltoallv: rank 2 has failed\n"
               "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 1.\n"
               "mpirun noticed that process rank 2 with PID 0 on node n exited on signal 11 (Segmentation fault).\n"),
      {2}, "killed by signal 11 (Segmentation fault)");
  expect(diagnose("rank 3 on node n: silent for 5 s\nmpirun noticed that process rank 3 with PID 0 on node n exited on "
                  "signal 9 (Killed).\n"),
         {3}, "silent");
  // The exit code's banner names the rank, its own line says why.
  expect(diagnose("[rank 1] pregel: error: no space left\n   Process name: [prterun-n-1@1,1]\n   Exit code:    1\n"),
         {1}, "exit code 1: no space left");
}

TEST(Diagnosis, SeveralDeathsAddUp) {
  expect(diagnose("mpirun noticed that process rank 1 with PID 0 on node n exited on signal 9 (Killed).\n"
                  "mpirun noticed that process rank 2 with PID 0 on node n exited on signal 9 (Killed).\n"),
         {1, 2}, "killed by signal 9 (Killed)", 2);
}

TEST(Diagnosis, WithoutAnyWords) {
  expect(diagnose("", exited(3)), {}, "exit code 3");
  expect(diagnose("", exited(137)), {}, "exit code 137, signal 9 (Killed)");
  expect(diagnose("", SIGSEGV), {}, "the launcher was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(diagnose("").who(), "the job failed");
  EXPECT_EQ(diagnose("rank 2 silent").who(), "rank 2 failed");
  EXPECT_EQ(diagnose("ranks 2,3 silent").who(), "ranks 2, 3 failed");
}

TEST(Diagnosis, EndlessLinesAreCut) {
  Diagnosis diagnosis;
  for (int i = 0; i < 1000; ++i) diagnosis.read(std::string(10000, 'x'));
  diagnosis.read("\nrank 2: silent\n");
  EXPECT_EQ(diagnosis.conclude(exited(1)).ranks, Ranks{2});
}

} // namespace
