// Faults on order: how they are spelt, and when they strike.
#include "pregel/recovery/fault_injection.hpp"

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "pregel/recovery/run_watch.hpp"

namespace pregel {
namespace {

std::string refusal_of(const std::string& spec) {
  try {
    (void)parse_fault(spec);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseFault, Defaults) {
  const Fault fault = parse_fault("rank=2,superstep=5");
  EXPECT_EQ(fault.rank, 2);
  EXPECT_EQ(fault.superstep, 5U);
  EXPECT_EQ(fault.signal, SIGKILL);
  EXPECT_EQ(fault.place, FaultPlace::compute);
  EXPECT_EQ(fault.failing_write, 0U);
}

TEST(ParseFault, KeysInAnyOrder) {
  const Fault fault = parse_fault("where=exchange,signal=STOP,superstep=18446744073709551615,rank=0");
  EXPECT_EQ(fault.rank, 0);
  EXPECT_EQ(fault.superstep, ~std::uint64_t{0});
  EXPECT_EQ(fault.signal, SIGSTOP);
  EXPECT_EQ(fault.place, FaultPlace::exchange);
}

TEST(ParseFault, Signals) {
  for (const auto& [name, number] : std::vector<std::pair<std::string, int>>{{"KILL", SIGKILL},
                                                                             {"SIGKILL", SIGKILL},
                                                                             {"STOP", SIGSTOP},
                                                                             {"TERM", SIGTERM},
                                                                             {"USR1", SIGUSR1},
                                                                             {"SIGUSR1", SIGUSR1},
                                                                             {"INT", SIGINT},
                                                                             {"SEGV", SIGSEGV},
                                                                             {"ABRT", SIGABRT},
                                                                             {"BUS", SIGBUS},
                                                                             {"FPE", SIGFPE},
                                                                             {"9", SIGKILL},
                                                                             {"12", 12}})
    EXPECT_EQ(parse_fault("rank=0,superstep=0,signal=" + name).signal, number) << name;
}

TEST(ParseFault, Places) {
  EXPECT_EQ(parse_fault("rank=0,superstep=0,where=compute").place, FaultPlace::compute);
  EXPECT_EQ(parse_fault("rank=0,superstep=0,where=exchange").place, FaultPlace::exchange);
  EXPECT_EQ(parse_fault("rank=0,superstep=0,where=checkpoint").place, FaultPlace::checkpoint);
  EXPECT_EQ(parse_fault("rank=0,superstep=0,where=recovery").place, FaultPlace::recovery);
  EXPECT_EQ(parse_fault("rank=0,where=recovery").place, FaultPlace::recovery) << "in any superstep";
}

TEST(ParseFault, Writes) {
  const Fault fault = parse_fault("rank=1,write=17");
  EXPECT_EQ(fault.rank, 1);
  EXPECT_EQ(fault.failing_write, 17U);
}

TEST(ParseFault, BadSpellings) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", "rank=R is missing"},
      {"superstep=5", "rank=R is missing"},
      {"rank=2", "superstep=S is missing"},
      {"rank=2,signal=KILL", "superstep=S is missing"},
      {"rank", "'rank' is not understood"},
      {"rank=,superstep=1", "'rank=' is not understood"},
      {"rank=x,superstep=1", "'rank=x' is not understood"},
      {"rank=1x,superstep=1", "'rank=1x' is not understood"},
      {"rank=-1,superstep=1", "'rank=-1' is not understood"},
      {"rank=+1,superstep=1", "'rank=+1' is not understood"},
      {"rank= 1,superstep=1", "'rank= 1' is not understood"},
      {"rank=99999999999,superstep=1", "'rank=99999999999' is not understood"},
      {"rank=1,superstep=-1", "'superstep=-1' is not understood"},
      {"rank=1,superstep=1.5", "'superstep=1.5' is not understood"},
      {"rank=1,superstep=18446744073709551616", "'superstep=18446744073709551616' is not understood"},
      {"rank=1,superstep=1,signal=HURT", "'signal=HURT' is not understood"},
      {"rank=1,superstep=1,signal=kill", "'signal=kill' is not understood"},
      {"rank=1,superstep=1,signal=0", "'signal=0' is not understood"},
      {"rank=1,superstep=1,signal=-9", "'signal=-9' is not understood"},
      {"rank=1,superstep=1,signal=99", "'signal=99' is not understood"},
      {"rank=1,superstep=1,signal=", "'signal=' is not understood"},
      {"rank=1,superstep=1,where=barrier", "'where=barrier' is not understood"},
      {"rank=1,superstep=1,where=", "'where=' is not understood"},
      {"rank=1,superstep=1,when=now",
       "'when=now' is not understood; say rank=R,superstep=S[,signal=KILL][,where=compute]"},
      {"rank=1;superstep=1", "'rank=1;superstep=1' is not understood"},
      {"rank=1,,superstep=1", "'' is not understood; say rank=R,superstep=S[,signal=KILL][,where=compute]"},
      {"rank=1,superstep=1,", "ends with a comma"},
      {"rank=1,superstep=1,rank=2", "rank= is given twice"},
      {"rank=1,superstep=1,superstep=1", "superstep= is given twice"},
      {"rank=1,write=0", "writes are counted from 1"},
      {"rank=1,write=x", "'write=x' is not understood"},
      {"write=3", "rank=R is missing"},
      {"rank=1,write=3,superstep=1", "write=N goes with rank=R alone"},
      {"rank=1,write=3,signal=KILL", "write=N goes with rank=R alone"},
      {"rank=1,write=3,where=checkpoint", "write=N goes with rank=R alone"}};
  for (const auto& [spec, reason] : kCases) EXPECT_EQ(refusal_of(spec), "--inject " + spec + ": " + reason);
}

volatile std::sig_atomic_t struck = 0;

/// Signals are counted here instead of ending the process.
class Injection : public testing::Test {
 protected:
  Injection() {
    struck = 0;
    (void)std::signal(SIGUSR2, [](int) { struck = struck + 1; });
  }
  ~Injection() override { (void)std::signal(SIGUSR2, SIG_DFL); }
  static int count() { return struck; }
  static Fault fault(std::uint64_t superstep, FaultPlace place, int rank = 3) {
    Fault made;
    made.rank = rank;
    made.superstep = superstep;
    made.signal = SIGUSR2;
    made.place = place;
    return made;
  }
};

TEST_F(Injection, StrikesOnceAtItsPlaceAndTime) {
  FaultInjector injector({fault(4, FaultPlace::exchange)}, 3);
  for (std::uint64_t k = 0; k < 4; ++k) injector.pass(FaultPlace::exchange, k);
  injector.pass(FaultPlace::compute, 4);
  injector.pass(FaultPlace::checkpoint, 4);
  injector.pass(FaultPlace::recovery, 4);
  EXPECT_EQ(count(), 0);
  injector.pass(FaultPlace::exchange, 4);
  EXPECT_EQ(count(), 1);
  injector.pass(FaultPlace::exchange, 4); // the superstep is done again
  EXPECT_EQ(count(), 1);
}

TEST_F(Injection, OtherRanksAreSpared) {
  FaultInjector injector({fault(4, FaultPlace::compute, 2)}, 3);
  injector.pass(FaultPlace::compute, 4);
  EXPECT_EQ(count(), 0);
}

TEST_F(Injection, SeveralFaults) {
  FaultInjector injector({fault(2, FaultPlace::compute), fault(4, FaultPlace::compute), fault(2, FaultPlace::compute)},
                         3);
  injector.pass(FaultPlace::compute, 2);
  EXPECT_EQ(count(), 1);
  injector.pass(FaultPlace::compute, 2); // in the next attempt
  EXPECT_EQ(count(), 2);
  injector.pass(FaultPlace::compute, 4);
  EXPECT_EQ(count(), 3);
}

TEST_F(Injection, RecoveryInAnySuperstep) {
  FaultInjector injector({fault(9, FaultPlace::recovery)}, 3);
  injector.pass(FaultPlace::recovery, 0);
  EXPECT_EQ(count(), 1);
}

TEST(RunWatch, AStopRequestOutlivesAnAttempt) {
  RunWatch watch({}, 0);
  EXPECT_FALSE(watch.stop_requested());
  watch.stop_on_request();
  EXPECT_FALSE(watch.stop_requested());
  watch.stop_on_request(); // the next attempt
  (void)raise(SIGTERM);
  EXPECT_TRUE(watch.stop_requested());
  watch.stop_on_request();
  EXPECT_TRUE(watch.stop_requested());
  watch.stop_at_once();
  EXPECT_FALSE(watch.stop_requested());
}

TEST(RunWatch, TellsWhereTheRankWasAndCallsOnce) {
  RunWatch watch({}, 0);
  int calls = 0;
  watch.at_next_superstep([&] { ++calls; });
  watch.entering(Phase::compute, 7);
  watch.entering(Phase::barrier, 7);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(watch.superstep(), 7U);
  EXPECT_GE(watch.waiting_seconds(), 0.0);
}

} // namespace
} // namespace pregel
