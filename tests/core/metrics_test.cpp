// The stamp of metrics files, and the files themselves.
#include "core/metrics.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/runtime.hpp"
#include "temporary_directory.hpp"

namespace core {
namespace {

TEST(Metrics, StampSaysWhatWasBuilt) {
  const nlohmann::json stamp = build_stamp();
  for (const char* key : {"version", "commit", "build_type", "build_flags", "compiler", "mpi", "hostname", "started"}) {
    ASSERT_TRUE(stamp.at(key).is_string()) << key;
    EXPECT_FALSE(stamp.at(key).get<std::string>().empty()) << key;
  }
  EXPECT_TRUE(stamp.at("native").is_boolean());
  EXPECT_TRUE(stamp.at("ulfm").is_boolean());
  EXPECT_NE(stamp.at("build_flags").get<std::string>().find("-ffp-contract=off"), std::string::npos);
  EXPECT_EQ(stamp.at("started").get<std::string>().size(), std::string("2000-01-01T00:00:00Z").size());
  EXPECT_EQ(stamp.at("mpi").get<std::string>().find('\n'), std::string::npos);
}

TEST(Metrics, FilesAreValidJson) {
  const Communicator world = Communicator::world();
  const test::TemporaryDirectory directory(world);
  const std::string path = directory.file("rank" + std::to_string(world.rank()) + ".json");
  write_json(path, {{"nan", std::nan("")},
                    {"infinite", std::numeric_limits<double>::infinity()},
                    {"third", 1.0 / 3},
                    {"file", "not utf-8: \xff"}});
  const nlohmann::json read = nlohmann::json::parse(test::content_of(path));
  EXPECT_TRUE(read.at("nan").is_null());
  EXPECT_TRUE(read.at("infinite").is_null());
  EXPECT_EQ(read.at("third").get<double>(), 1.0 / 3);
  EXPECT_EQ(test::content_of(path).back(), '\n');
}

TEST(Metrics, PeakMemoryGrowsWithUse) {
  const std::size_t before = peak_resident_bytes();
  EXPECT_GT(before, std::size_t{1} << 20);
  const std::string block(std::size_t{1} << 27, 'x');
  EXPECT_GE(peak_resident_bytes() + (std::size_t{1} << 22), block.size());
}

TEST(Clock, LapsAddUp) {
  Stopwatch total, lap;
  const double first = lap.lap();
  const double second = lap.lap();
  EXPECT_GE(first, 0);
  EXPECT_GE(second, 0);
  EXPECT_GE(total.seconds() + 1e-3, first + second);
}

TEST(CounterRandom, DependsOnItsKeyAlone) {
  CounterRandom stream(1, 2, 3), again(1, 2, 3), other(1, 3, 2);
  EXPECT_EQ(stream.next(), again.next());
  EXPECT_NE(stream.next(), other.next());
  double sum = 0;
  std::uint64_t counts[10] = {};
  for (int i = 0; i < 100'000; ++i) {
    const double x = stream.uniform();
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x;
    ++counts[stream.below(10)];
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
  for (const std::uint64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 10'000, 500);
}

} // namespace
} // namespace core
