// The ways to call all-reduce: in memory of its own, in buckets, in the background, with counts and arguments of every
// kind, by a table.
#include "all_reduce_support.hpp"
#include "collectives/bucket.hpp"
#include "core/collectives.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;

TEST(AllReduceMemory, AllocatedVectorsAreReducedInPlace) {
  const int m = world().size(), r = world().rank();
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::chunked_ring}) {
    AllReduceOptions options = with(algorithm);
    options.block_bytes = 8192;
    options.small_bytes = 256;
    AllReducer reducer(world(), options);
    const std::span<float> memory = reducer.allocate<float>(20000), other = reducer.allocate<float>(5000);
    for (const float x : memory) ASSERT_EQ(x, 0);
    const auto check = [&](std::span<float> data) {
      const std::vector<float> mine = addends_of<float>(Operation::sum, r, m, data.size());
      std::copy(mine.begin(), mine.end(), data.begin());
      reducer.all_reduce(data);
      EXPECT_TRUE(same_bits(std::span<const float>(data),
                            std::span<const float>(reduction_of<float>(Operation::sum, m, data.size()))));
      std::fill(data.begin(), data.end(), -1.0F); // nobody reads it any more
    };
    for (int round = 0; round < 20; ++round) {
      check(memory);
      check(memory.subspan(1001, 7003));
      check(other);
      std::vector<float> ordinary(6000);
      check(ordinary);
      // Different places on different ranks: the ranks notice, and copy.
      check(r == 0 ? memory.subspan(0, 4000) : memory.subspan(64, 4000));
      if (r == 0)
        check(std::span(ordinary).first(5000));
      else
        check(other);
    }
  }
}

TEST(AllReduceBucket, GivesEachTensorItsResult) {
  const int m = world().size(), r = world().rank();
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::chunked_ring}) {
    AllReducer reducer(world(), with(algorithm));
    Bucket<float> bucket(reducer, 4096);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::vector<float>> tensors;
      for (const std::size_t length : {3UL, 0UL, 1UL, 700UL, 1024UL, 5000UL, 17UL})
        tensors.push_back(addends_of<float>(Operation::sum, r, m, length));
      for (auto& tensor : tensors) bucket.add(tensor);
      bucket.finish();
      for (const auto& tensor : tensors)
        EXPECT_TRUE(same_bits(tensor, reduction_of<float>(Operation::sum, m, tensor.size())));
    }
    bucket.finish(); // nothing to do
  }
}

/// A progress thread does not exist: a test() here must also move what others wait for.
TEST(AllReduceBackground, TestMakesProgress) {
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReducer reducer(world(), with(algorithm));
    std::vector<double> data(50000, 1);
    AllReduceHandle handle = reducer.start_all_reduce(std::span(data));
    if (world().rank() == 0) {
      while (!handle.test()) {
      }
    } else {
      handle.wait();
    }
    EXPECT_TRUE(handle.test()); // and stays complete
    EXPECT_EQ(data[49999], world().size());
    { // the destructor waits
      const AllReduceHandle forgotten = reducer.start_all_reduce(std::span(data));
    }
    EXPECT_EQ(data[0], world().size() * world().size());
  }
}

/// The exception of a colleague's code unwinds a running call: its requests are withdrawn, and the reducer refuses what
/// follows instead of mixing it with what is still under way.
TEST(AllReduceBackground, AbandonedByAnException) {
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReducer reducer(world(), with(algorithm));
    try {
      std::vector<double> data(50000, 1);
      AllReduceHandle handle = reducer.start_all_reduce(std::span(data));
      AllReduceHandle empty = reducer.start_all_reduce(std::span(data).first(0));
      throw std::runtime_error("somebody else's");
    } catch (const std::runtime_error&) {
    }
    std::vector<double> more(3, 1);
    EXPECT_THROW(reducer.all_reduce(std::span(more)), core::Error) << name_of(algorithm); // whether it had ended or not
    core::barrier(world());
  }
}

/// More calls at a time than have tags of their own, the ranks completing them in different orders.
TEST(AllReduceBackground, ManyAtOnce) {
  constexpr std::size_t kCalls = 1200;
  const int m = world().size(), r = world().rank();
  for (const Algorithm algorithm : {Algorithm::chunked_ring, Algorithm::recursive_doubling, Algorithm::automatic}) {
    AllReducer reducer(world(), with(algorithm));
    std::vector<std::vector<std::int32_t>> data(kCalls);
    std::vector<AllReduceHandle> handles(kCalls);
    for (std::size_t call = 0; call < kCalls; ++call) {
      data[call].assign(call % 7, static_cast<std::int32_t>(call) + r);
      handles[call] = reducer.start_all_reduce(std::span(data[call]));
    }
    for (std::size_t i = 0; i < kCalls; ++i) handles[r % 2 == 0 ? i : kCalls - 1 - i].wait();
    for (std::size_t call = 0; call < kCalls; ++call) {
      for (const std::int32_t x : data[call]) ASSERT_EQ(x, m * static_cast<std::int32_t>(call) + m * (m - 1) / 2);
    }
  }
}

TEST(AllReduceArguments, CountsAboveTheLimitOfOneCallAreCut) {
  const std::size_t limit = core::count_limit();
  core::set_count_limit(1000);
  constexpr std::size_t kCount = 4321;
  const int m = world().size(), r = world().rank();
  const std::vector<double> mine = addends_of<double>(Operation::sum, r, m, kCount),
                            wanted = reduction_of<double>(Operation::sum, m, kCount);
  const WorkerLayout layout(world(), std::vector<std::size_t>{static_cast<std::size_t>(r)});
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    SCOPED_TRACE(name_of(algorithm));
    AllReducer reducer(world(), with(algorithm));
    std::vector<double> data = mine;
    reducer.all_reduce(std::span(data));
    EXPECT_TRUE(same_bits(data, wanted));

    std::vector<double> again = mine, chunk(chunk_of(kCount, m, r).count), gathered(kCount), folded(kCount);
    AllReduceHandle handle = reducer.start_all_reduce(std::span(again));
    reducer.reduce_scatter(std::span<const double>(mine), std::span(chunk));
    reducer.all_gather(std::span<const double>(chunk), std::span(gathered));
    const std::span<const double> one(mine);
    reducer.all_reduce_many(layout, std::span(&one, 1), std::span(folded));
    handle.wait();
    for (const auto& result : {again, gathered, folded}) EXPECT_TRUE(same_bits(result, wanted));
  }
  core::set_count_limit(limit);
}

/// Elements so large that a block has no room for one of each rank take another way.
TEST(AllReduceArguments, ElementsLargerThanBlocks) {
  struct Large {
    std::int64_t value[700];
  };
  const UserFunction add = [](void* into, const void* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < 700; ++j)
        static_cast<Large*>(into)[i].value[j] += static_cast<const Large*>(from)[i].value[j];
    }
  };
  const int m = world().size();
  for (const int node_size : {0, 3}) {
    AllReduceOptions options;
    options.block_bytes = 6000;
    options.small_bytes = 64;
    options.pretended_node_size = node_size;
    AllReducer reducer(world(), options);
    Large mine{};
    mine.value[699] = world().rank();
    std::vector<Large> result(5), more(5, mine);
    const std::vector<Large> data(5, mine);
    AllReduceHandle handle = reducer.start_all_reduce(std::span(more), add);
    reducer.all_reduce(std::span(data), std::span(result), add);
    handle.wait();
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(result[i].value[699], m * (m - 1) / 2);
      EXPECT_EQ(more[i].value[699], m * (m - 1) / 2);
    }
  }
}

TEST(AllReduceArguments, NothingToReduce) {
  const WorkerLayout layout(world(), std::vector<std::size_t>{static_cast<std::size_t>(world().rank())});
  for (const Algorithm algorithm : algorithms_with_automatic()) {
    AllReducer reducer(world(), with(algorithm));
    const std::span<const float> none;
    reducer.all_reduce(none, std::span<float>());
    reducer.start_all_reduce(std::span<float>(), Operation::average).wait();
    reducer.reduce_scatter(none, std::span<float>());
    reducer.all_gather(none, std::span<float>());
    reducer.all_reduce_many(layout, std::span(&none, 1), std::span<float>());
    reducer.all_reduce(reducer.allocate<float>(0));
    EXPECT_EQ(reducer.bytes_sent(), 0);
  }
}

TEST(AllReduceArguments, WhatMakesNoSenseIsRefused) {
  AllReducer reducer(world());
  std::vector<float> data(100);
  const std::span<float> all(data);
  EXPECT_THROW(reducer.all_reduce(std::span<const float>(all.first(60)), all.subspan(1, 60)), core::Error);
  EXPECT_THROW(reducer.all_reduce(std::span<const float>(all.subspan(1, 60)), all.first(60)), core::Error);
  EXPECT_THROW(reducer.all_reduce(std::span<const float>(all.first(60)), all.subspan(60)), core::Error);
  // A chunk at its place in the whole is in place; elsewhere in it, it is not.
  const Chunk own = chunk_of(100, world().size(), world().rank());
  const std::size_t elsewhere = own.first > 0 ? own.first - 1 : 1;
  if (world().size() > 1) {
    EXPECT_THROW(reducer.reduce_scatter(std::span<const float>(all), all.subspan(elsewhere, own.count)), core::Error);
    EXPECT_THROW(reducer.all_gather(std::span<const float>(all.subspan(elsewhere, own.count)), all), core::Error);
  }
  const WorkerLayout layout(world(), std::vector<std::size_t>{static_cast<std::size_t>(world().rank())});
  const std::span<const float> mine(all);
  EXPECT_THROW(reducer.all_reduce_many(layout, std::span(&mine, 1), all), core::Error);
  EXPECT_THROW(reducer.all_reduce_many(layout, std::span(&mine, 0), all), core::Error);
  EXPECT_THROW(reducer.all_reduce(all, Operation::bit_or), core::Error);
  EXPECT_THROW(reducer.all_reduce(all, UserFunction()), core::Error);
  EXPECT_THROW((void)algorithm_named("fastest"), core::InputError);
  EXPECT_THROW((void)operation_named("user"), core::InputError);
  EXPECT_THROW((void)element_type_named("f8"), core::InputError);
  // Touching is not overlapping, and nothing of this has broken the reducer.
  std::fill(data.begin(), data.end(), 1.0F);
  reducer.all_reduce(std::span<const float>(all.first(50)), all.subspan(50));
  EXPECT_EQ(data[50], world().size());
  EXPECT_EQ(data[49], 1);
}

TEST(AllReduceTuning, ATableRulesAutomatic) {
  const std::string text = R"({"tuning": [{"ranks": 4, "nodes": 1, "shared_memory": true, "rows": [
      {"bytes": 1000, "algorithm": "recursive_doubling"}, {"bytes": 2000, "algorithm": "chunked_ring", "channels": 2}]}]})";
  AllReduceOptions options;
  options.tuning = std::make_shared<TuningTable>(TuningTable::from_json(text, "table"));
  EXPECT_EQ(TuningTable::from_json(options.tuning->to_json(), "again").to_json(), options.tuning->to_json());
  AllReducer reducer(world(), options);
  if (world().size() > 1) {
    EXPECT_EQ(reducer.algorithm_for(250, ElementType::f32), Algorithm::recursive_doubling);
    EXPECT_EQ(reducer.algorithm_for(251, ElementType::f32), Algorithm::chunked_ring);
    EXPECT_EQ(reducer.algorithm_for(1'000'000, ElementType::f32), Algorithm::chunked_ring);
  }
  EXPECT_THROW((void)TuningTable::from_json("{}", "table"), core::InputError);
  const std::string sound = R"({"tuning": [{"ranks": 4, "nodes": 1, "shared_memory": true, "rows": [
      {"bytes": 1000, "algorithm": "chunked_ring", "segment_bytes": 64, "channels": 2}]}]})";
  (void)TuningTable::from_json(sound, "table");
  for (const auto& [right, wrong] : {std::pair("4", "-4"),
                                     {"4", "0"},
                                     {"1000", "-1"},
                                     {"1000", "1.5"},
                                     {"64", "-64"},
                                     {"\"channels\": 2", "\"channels\": 17"},
                                     {"\"channels\": 2", "\"channels\": -1"}}) {
    std::string text_of_wrong = sound;
    text_of_wrong.replace(text_of_wrong.find(right), std::string(right).size(), wrong);
    EXPECT_THROW((void)TuningTable::from_json(text_of_wrong, "table"), core::InputError) << text_of_wrong;
  }
  EXPECT_THROW((void)TuningTable::from_json(R"({"tuning": [{"ranks": 1, "nodes": 1, "shared_memory": true,
      "rows": [{"bytes": 1, "algorithm": "fastest"}]}]})",
                                            "table"),
               core::InputError);
}

} // namespace
