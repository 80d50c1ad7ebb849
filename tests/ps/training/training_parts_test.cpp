// The small parts of training: who does what, which rows when, histograms, pace, model files.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>

#include <unistd.h>

#include "core/agreement.hpp"
#include "core/error.hpp"
#include "core/hdf5.hpp"
#include "ps/training/batch_schedule.hpp"
#include "ps/training/model_file.hpp"
#include "training_testing.hpp"

namespace ps {
namespace {

using testing_support::error_of;
using testing_support::world;

TEST(Roles, LastRanksServeAndBlocksOfWorkersLiveOnTheOthers) {
  const Roles roles = Roles::parse("2", 5, 7);
  EXPECT_EQ(roles.servers(), (std::vector<int>{3, 4}));
  EXPECT_EQ(roles.workers_of(0), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(roles.workers_of(1), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(roles.workers_of(2), (std::vector<std::size_t>{5, 6}));
  EXPECT_TRUE(roles.workers_of(3).empty());
  for (std::size_t worker = 0; worker < 7; ++worker) {
    const auto there = roles.workers_of(roles.rank_of(worker));
    EXPECT_TRUE(std::ranges::find(there, worker) != there.end());
  }
  EXPECT_EQ(roles.monitor_rank(), 4);
  EXPECT_TRUE(roles.is_server(4) && !roles.is_server(2));
}

TEST(Roles, WorkersDefaultToOneForEachRankThatCarriesAny) {
  EXPECT_EQ(Roles::parse("1", 4, 0).workers(), 3U);
  EXPECT_EQ(Roles::parse("0", 4, 0).workers(), 4U);
  const Roles both = Roles::parse("all", 3, 0);
  EXPECT_EQ(both.workers(), 3U);
  EXPECT_EQ(both.servers(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(both.monitor_rank(), 0);
  EXPECT_TRUE(Roles::parse("0", 5, 2).workers_of(4).empty());
}

TEST(Roles, RefuseWhatCannotBe) {
  EXPECT_NE(error_of([] { (void)Roles::parse("4", 4, 0); }).find("leaves no rank for workers"), std::string::npos);
  EXPECT_NE(error_of([] { (void)Roles::parse("two", 4, 0); }).find("--servers two"), std::string::npos);
  EXPECT_NE(error_of([] { (void)Roles::parse("-1", 4, 0); }).find("--servers -1"), std::string::npos);
  for (const std::size_t workers : {std::numeric_limits<std::size_t>::max(), kMostWorkers + 1})
    for (const char* const servers : {"0", "1", "all"})
      EXPECT_EQ(error_of([&] { (void)Roles::parse(servers, 4, workers); }),
                "--workers " + std::to_string(workers) + ": at most 1000000 are possible");
  EXPECT_EQ(Roles::parse("1", 4, kMostWorkers).workers(), kMostWorkers);
}

TEST(BatchSchedule, EveryEpochHasEveryRowOnce) {
  BatchSchedule schedule(10, 4, 7, 2);
  std::vector<std::size_t> stream;
  for (std::uint64_t step = 0; step < 15; ++step) {
    const auto rows = schedule.rows_of(step);
    EXPECT_EQ(rows.size(), 4U);
    stream.insert(stream.end(), rows.begin(), rows.end());
  }
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t epoch = 0; epoch < 6; ++epoch) {
    const std::vector<std::size_t> order(stream.begin() + static_cast<std::ptrdiff_t>(10 * epoch),
                                         stream.begin() + static_cast<std::ptrdiff_t>(10 * epoch + 10));
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 10U) << "epoch " << epoch;
    orders.insert(order);
  }
  EXPECT_GE(orders.size(), 5U) << "epochs have their own orders";
}

TEST(BatchSchedule, DependsOnSeedWorkerAndStepAlone) {
  const auto batch = [](std::uint64_t seed, std::size_t worker, std::uint64_t step) {
    BatchSchedule schedule(1000, 16, seed, worker);
    const auto rows = schedule.rows_of(step);
    return std::vector<std::size_t>(rows.begin(), rows.end());
  };
  BatchSchedule walked(1000, 16, 3, 1);
  for (std::uint64_t step = 0; step < 100; ++step) (void)walked.rows_of(step);
  const auto rows = walked.rows_of(61); // going back, too
  EXPECT_EQ(batch(3, 1, 61), std::vector<std::size_t>(rows.begin(), rows.end()));
  EXPECT_NE(batch(3, 1, 61), batch(4, 1, 61));
  EXPECT_NE(batch(3, 1, 61), batch(3, 2, 61));
}

TEST(BatchSchedule, ASmallShareComesRoundSeveralTimes) {
  BatchSchedule schedule(3, 8, 1, 0);
  std::vector<std::size_t> times(3);
  for (const std::size_t row : schedule.rows_of(0)) ++times.at(row);
  EXPECT_EQ(times[0] + times[1] + times[2], 8U);
  EXPECT_GE(std::ranges::min(times), 2U);
}

TEST(Histogram, CountsMeansAndJson) {
  Histogram histogram;
  EXPECT_EQ(histogram.mean(), 0);
  histogram.add(0, 2);
  histogram.add(3);
  histogram.add(5, 0);
  EXPECT_EQ(histogram.max(), 3U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 1);
  Histogram other = Histogram::from_json(histogram.to_json());
  other.merge(histogram);
  EXPECT_EQ(other.slots(), (std::vector<std::uint64_t>{4, 0, 0, 2}));
}

TEST(Measurements, AreAddedUpOverRanks) {
  Measurements mine(2);
  mine.gradients = 3;
  mine.clock_lead.add(static_cast<std::uint64_t>(world().rank()));
  mine.wait_seconds[1] = 0.5;
  const Measurements all = gather(world(), mine);
  const auto ranks = static_cast<std::size_t>(world().size());
  EXPECT_EQ(all.gradients, 3 * ranks);
  EXPECT_EQ(all.clock_lead.slots(), std::vector<std::uint64_t>(ranks, 1));
  EXPECT_DOUBLE_EQ(all.wait_seconds[1], 0.5 * static_cast<double>(ranks));
  EXPECT_EQ(Measurements::from_json(all.to_json()).to_json(), all.to_json());
}

TEST(Pace, StretchesByFactor) {
  PaceOptions options;
  options.gradient_seconds = 0.5;
  options.stragglers = {{1, 4.0}};
  const Pace::Time start{};
  EXPECT_EQ(Pace(options, 0).ready_at(start) - start, std::chrono::milliseconds(500));
  EXPECT_EQ(Pace(options, 1).ready_at(start) - start, std::chrono::seconds(2));
  options.by_computing = true;
  EXPECT_EQ(Pace(options, 1).repetitions(), 4U);
  EXPECT_FALSE(Pace(options, 1).pads());
}

TEST(Pace, RefusesWhatCannotBe) {
  const auto refusal = [](double factor, bool by_computing = false, std::size_t worker = 1) {
    PaceOptions options;
    options.gradient_seconds = 10;
    options.by_computing = by_computing;
    options.stragglers = {{worker, factor}};
    return error_of([&] { check_pace(options, 4); });
  };
  EXPECT_EQ(refusal(1), "no error");
  EXPECT_EQ(refusal(1e6, true, 3), "no error");
  EXPECT_EQ(refusal(2.5, true), "--straggler 1:2.5: a gradient is computed a whole number of times");
  for (const double factor : {0.5, -1.0, 1e300, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_NE(refusal(factor).find("the factor is a number from 1 to 1e+06"), std::string::npos) << factor;
  EXPECT_EQ(refusal(2, false, 99), "--straggler 99:2: there is no worker 99: they are 0 to 3");
  EXPECT_NE(refusal(1e6).find("a gradient would take 1e+07 s"), std::string::npos);
  PaceOptions twice;
  twice.stragglers = {{1, 2}, {1, 3}};
  EXPECT_EQ(error_of([&] { check_pace(twice, 2); }), "--straggler 1:3: worker 1 has a factor already");
}

TEST(GradientsFor, CoverTheRows) {
  EXPECT_EQ(gradients_for(1, 100, 4, 5), 5U);
  EXPECT_EQ(gradients_for(1, 101, 4, 5), 6U);
  EXPECT_EQ(gradients_for(0.001, 10, 4, 5), 1U);
}

TEST(ModelFile, GivesBackModelAndParameters) {
  if (world().rank() != 0) return; // local
  const std::string path =
      (std::filesystem::temp_directory_path() / ("superstep-model-" + std::to_string(getpid()) + ".h5")).string();
  ModelOptions options{"mlp", {.rows = 0, .features = 5, .classes = 3}, 0.25, {4, 2}};
  const auto model = make_model<float>(options);
  std::vector<float> parameters(model->parameter_count());
  model->initialise(parameters, 3);
  write_model<float>(path, options, *model, parameters, {{"strategy", "sync"}});
  const StoredModel stored = read_model_options(path);
  EXPECT_TRUE(stored.single_precision);
  EXPECT_EQ(stored.options.kind, "mlp");
  EXPECT_EQ(stored.options.hidden, options.hidden);
  EXPECT_EQ(stored.options.l2, 0.25);
  EXPECT_EQ(stored.options.shape.features, 5U);
  EXPECT_EQ(read_model_parameters<float>(path, *make_model<float>(stored.options)), parameters);
  options.hidden = {4, 3};
  EXPECT_NE(error_of([&] { (void)read_model_parameters<float>(path, *make_model<float>(options)); }).find("shape"),
            std::string::npos);
  std::remove(path.c_str());
  EXPECT_NE(error_of([&] { (void)read_model_options(path); }).find(path), std::string::npos);
}

TEST(ModelFile, ADamagedOneIsBadInputAndNamed) {
  if (world().rank() != 0) return; // local
  const std::string path =
      (std::filesystem::temp_directory_path() / ("superstep-damaged-" + std::to_string(getpid()) + ".h5")).string();
  {
    const core::hdf5::File file = core::hdf5::File::create(path);
    core::hdf5::write_string_attribute(file, "/", "format", "superstep model 1"); // and nothing else
  }
  EXPECT_THROW((void)read_model_options(path), core::InputError);
  EXPECT_NE(error_of([&] { (void)read_model_options(path); }).find(path + ": a damaged model"), std::string::npos);
  std::remove(path.c_str());
}

} // namespace
} // namespace ps
