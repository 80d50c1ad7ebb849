// Ranks that disagree, ranks that do not come: an error that names them, everywhere, and never a hang.
#include <chrono>
#include <functional>
#include <thread>

#include "all_reduce_support.hpp"
#include "core/clock.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;

/// What the call says when it fails; "" when it does not.
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

struct Mistake {
  const char* name;
  std::function<void(AllReducer&, bool wrong)> call; ///< `wrong` on the last rank
  std::vector<std::string> words;                    ///< that the error must have
};

std::vector<Mistake> mistakes() {
  const std::string last = " on rank " + std::to_string(world().size() - 1);
  return {{"count",
           [](AllReducer& reducer, bool wrong) {
             std::vector<float> data(wrong ? 1001 : 1000);
             reducer.all_reduce(std::span(data));
           },
           {"count: 1000 on rank", "1001" + last}},
          {"count_long",
           [](AllReducer& reducer, bool wrong) {
             std::vector<float> data(wrong ? 10 : 1'000'000);
             reducer.all_reduce(std::span(data));
           },
           {"count: 1000000 on rank", "10" + last}},
          {"type",
           [](AllReducer& reducer, bool wrong) {
             std::vector<float> floats(100);
             std::vector<double> doubles(100);
             if (wrong)
               reducer.all_reduce(std::span(doubles));
             else
               reducer.all_reduce(std::span(floats));
           },
           {"type: f32 on rank", "f64" + last}},
          {"operation_and_call",
           [](AllReducer& reducer, bool wrong) {
             std::vector<double> data(100);
             const Chunk own = chunk_of(100, reducer.size(), reducer.rank());
             std::vector<double> chunk(own.count);
             if (wrong)
               reducer.reduce_scatter(std::span<const double>(data), std::span(chunk), Operation::max);
             else
               reducer.all_reduce(std::span(data));
           },
           {"operation: sum on rank", "max" + last, "call: all_reduce on rank", "reduce_scatter" + last}}};
}

TEST(AllReduceSafety, DisagreementsAreNamedOnEveryRank) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::chunked_ring, Algorithm::hierarchical}) {
    for (const Mistake& mistake : mistakes()) {
      AllReduceOptions options;
      options.algorithm = algorithm;
      options.check = true;
      options.pretended_node_size = algorithm == Algorithm::hierarchical ? 2 : 0;
      AllReducer reducer(world(), options);
      std::vector<int> fine{1};
      reducer.all_reduce(std::span(fine));
      const core::Stopwatch watch;
      const std::string message = message_of([&] { mistake.call(reducer, world().rank() == world().size() - 1); });
      EXPECT_LT(watch.seconds(), 5);
      for (const std::string& words : mistake.words)
        EXPECT_NE(message.find(words), std::string::npos) << mistake.name << ": " << message;
      EXPECT_NE(message_of([&] { reducer.all_reduce(std::span(fine)); }).find("cannot be used any more"),
                std::string::npos);
    }
  }
}

/// Shared memory notices without being asked to: the note travels with the flag.
TEST(AllReduceSafety, SharedMemoryAlwaysChecks) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const Mistake& mistake : mistakes()) {
    AllReduceOptions options;
    options.check = false;
    AllReducer reducer(world(), options);
    const std::string message = message_of([&] { mistake.call(reducer, world().rank() == world().size() - 1); });
    for (const std::string& words : mistake.words)
      EXPECT_NE(message.find(words), std::string::npos) << mistake.name << ": " << message;
  }
}

TEST(AllReduceSafety, OptionsMustAgree) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  AllReduceOptions options;
  options.algorithm = world().rank() == 0 ? Algorithm::chunked_ring : Algorithm::naive_ring;
  const std::string message = message_of([&] { const AllReducer reducer(world(), options); });
  EXPECT_NE(message.find("algorithm: chunked_ring on rank 0; naive_ring on rank 1"), std::string::npos) << message;
}

TEST(AllReduceSafety, TuningTablesMustAgree) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  AllReduceOptions options;
  TuningTable table;
  table.set({world().size(), 1, true}, {{1000, Algorithm::naive_ring}});
  if (world().rank() != 0) options.tuning = std::make_shared<const TuningTable>(table);
  const std::string message = message_of([&] { const AllReducer reducer(world(), options); });
  EXPECT_NE(message.find("tuning: no table on rank 0; a table with hash"), std::string::npos) << message;
}

TEST(AllReduceSafety, SharedMemoryNeedsOneNode) {
  if (world().size() == 1) GTEST_SKIP() << "one rank is one node";
  AllReduceOptions options;
  options.algorithm = Algorithm::shared_memory;
  options.pretended_node_size = 1;
  EXPECT_NE(message_of([&] { const AllReducer reducer(world(), options); }).find("works inside one node"),
            std::string::npos);
}

/// Two calls in the background, of which the first fails: waiting for the second tells why, at once, and lets go of its
/// buffer.
TEST(AllReduceSafety, OneFailedCallEndsTheOthers) {
  if (world().size() == 1) GTEST_SKIP() << "nobody to wait for";
  constexpr double kTimeout = 1;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::all_to_all}) {
    AllReduceOptions options;
    options.algorithm = algorithm;
    options.timeout_seconds = kTimeout;
    AllReducer reducer(world(), options);
    std::vector<int> together{1};
    reducer.all_reduce(std::span(together));
    if (world().rank() == 1) {
      std::this_thread::sleep_for(std::chrono::duration<double>(4 * kTimeout));
      std::vector<float> data(100'000, 1); // too late, for this rank too
      EXPECT_NE(message_of([&] {
                  for (int tries = 0; tries < 100; ++tries) reducer.all_reduce(std::span(data));
                }),
                "");
    } else {
      std::vector<float> first(100'000, 1), second(100'000, 1);
      AllReduceHandle one = reducer.start_all_reduce(std::span(first));
      AllReduceHandle two = reducer.start_all_reduce(std::span(second));
      const core::Stopwatch watch;
      const std::string of_two = message_of([&] { two.wait(); });
      EXPECT_NE(of_two.find("for rank 1"), std::string::npos) << of_two;
      EXPECT_LT(watch.seconds(), 3 * kTimeout);
      const std::string of_one = message_of([&] {
        while (!one.test()) {
        }
      });
      EXPECT_NE(of_one.find("for rank 1"), std::string::npos) << of_one;
      EXPECT_LT(watch.seconds(), 3.5 * kTimeout);
    }
  }
}

/// Rank 1 does other things for too long; every other rank must say that it was rank 1, though in most algorithms it
/// waits for yet another rank.
TEST(AllReduceSafety, SilentRankIsNamed) {
  if (world().size() == 1) GTEST_SKIP() << "nobody to wait for";
  constexpr double kTimeout = 0.5;
  struct Case {
    Algorithm algorithm;
    bool in_background = false, check = false;
  };
  const Case cases[] = {{Algorithm::naive_ring},
                        {Algorithm::all_to_all},
                        {Algorithm::halving_doubling},
                        {Algorithm::chunked_ring},
                        {Algorithm::shared_memory},
                        {Algorithm::hierarchical},
                        {Algorithm::chunked_ring, true},
                        {Algorithm::shared_memory, true},
                        {Algorithm::chunked_ring, false, true},
                        {Algorithm::hierarchical, true, true}};
  for (const auto& [algorithm, in_background, check] : cases) {
    AllReduceOptions options;
    options.algorithm = algorithm;
    options.timeout_seconds = kTimeout;
    options.check = check;
    options.pretended_node_size = algorithm == Algorithm::hierarchical ? 2 : 0;
    AllReducer reducer(world(), options);
    std::vector<float> data(100'000, 1);
    reducer.all_reduce(std::span(data));
    const auto call = [&, background = in_background] {
      if (!background) return reducer.all_reduce(std::span(data));
      AllReduceHandle handle = reducer.start_all_reduce(std::span(data));
      while (!handle.test()) std::this_thread::yield();
    };
    const core::Stopwatch watch;
    if (world().rank() == 1) {
      std::this_thread::sleep_for(std::chrono::duration<double>(2.5 * kTimeout));
      // Too late. What it finds lying around may satisfy it for a while, but not for ever.
      std::string message;
      for (int tries = 0; tries < 100 && message.empty(); ++tries) message = message_of(call);
      EXPECT_NE(message, "");
    } else {
      std::vector<int> named;
      std::string message;
      // A rank that only sends at first gets through one call.
      for (int tries = 0; tries < 3 && named.empty(); ++tries) {
        try {
          call();
        } catch (const SilentRankError& error) {
          named = error.ranks();
          message = error.what();
        }
      }
      EXPECT_EQ(named, std::vector<int>{1}) << name_of(algorithm) << ": " << message;
      EXPECT_LT(watch.seconds(), 3 * kTimeout);
    }
  }
}

} // namespace
