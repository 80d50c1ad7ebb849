// Writes that fail, at every point where one can, and processes that are killed: either there is a whole checkpoint or
// there is nothing of it, and the one before is as it was.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint_testing.hpp"
#include "core/checkpoint/store.hpp"
#include "core/clock.hpp"
#include "core/temporary_directory.hpp"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;

/// Checkpoint 2 is whole and there is nothing else. Collective.
void expect_only_checkpoint_2(const Store& store, const std::string& directory) {
  EXPECT_EQ(test::files_in(directory), 1U);
  EXPECT_EQ(test::files_in(store.path_of(2)), static_cast<std::size_t>(world().size()) + 1);
  const auto restored = store.read_latest(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 2U);
  EXPECT_TRUE(restored->rejected.empty());
  expect_equal(restored->parts.at(0), sample_part(2, world().rank()));
  barrier(world());
}

void write_sample(const Store& store, std::uint64_t number, const WriteHooks& hooks = {}) {
  (void)store.write(world(), number, sample_part(number, world().rank()), {{"number", number}}, hooks);
}

TEST(CheckpointFaults, AnyWriteOfAnyRankMayFail) {
  const test::TemporaryDirectory directory(world());
  const Store store(directory.path(), "job", 2);
  write_sample(store, 2);
  for (int victim = 0; victim < world().size(); ++victim) {
    std::uint64_t k = 1;
    for (;; ++k) {
      fail_write_after(world().rank() == victim ? k : 0);
      const std::string message = message_on_all(world(), [&] { write_sample(store, 4); });
      fail_write_after(0);
      if (message == "nothing was thrown") break;
      EXPECT_NE(message.find("cannot write " + directory.path()), std::string::npos) << message;
      EXPECT_NE(message.find(": No space left on device"), std::string::npos) << message;
      expect_only_checkpoint_2(store, directory.path());
    }
    EXPECT_GT(k, rows_of(victim) == 0 ? 5U : 20U) << "a part takes more operations than that";
    EXPECT_EQ(store.read_latest(world())->number, 4U);
    barrier(world());
    if (world().rank() == 0) fs::remove_all(store.path_of(4));
    barrier(world());
  }
}

TEST(CheckpointFaults, AFullDisk) {
  const test::SmallDisk disk(world());
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  const std::string directory = disk.directory().path();
  const Store store(directory, "job", 2);
  write_sample(store, 2);
  Part large;
  large.emplace_back("large", 200'000);
  large.back().add<double>("value", std::vector<double>(200'000));
  EXPECT_NE(message_on_all(world(), [&] { (void)store.write(world(), 4, large, {}); }).find("No space left on device"),
            std::string::npos);
  expect_only_checkpoint_2(store, directory);
}

TEST(CheckpointFaults, AHookThatThrows) {
  const test::TemporaryDirectory directory(world());
  const Store store(directory.path(), "job", 2);
  write_sample(store, 2);
  WriteHooks hooks;
  hooks.part_written = [] {
    if (world().rank() == world().size() - 1) throw Error("the hook failed");
  };
  EXPECT_NE(message_on_all(world(), [&] { write_sample(store, 4, hooks); }).find("the hook failed"), std::string::npos);
  expect_only_checkpoint_2(store, directory.path());
}

/// Runs `work` in a child of this process. The child is alone (one rank), so that none of its calls reaches MPI.
template <class F>
pid_t start(F&& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  return child;
}

TEST(CheckpointFaults, KilledBeforeTheIndexIsWritten) {
  if (world().size() > 1) GTEST_SKIP() << "forks, which MPI on several ranks may not like";
  const test::TemporaryDirectory directory(world());
  const Store store(directory.path(), "job", 2);
  write_sample(store, 2);
  const pid_t child = start([&] {
    WriteHooks hooks;
    hooks.part_written = [] { (void)raise(SIGKILL); };
    write_sample(store, 4, hooks);
  });
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(store.path_of(4) + "/part-00000.h5"));
  EXPECT_EQ(store.incomplete(), std::vector<std::uint64_t>{4});
  EXPECT_EQ(store.read_latest(world())->number, 2U);
  store.remove_incomplete(world());
  expect_only_checkpoint_2(store, directory.path());
}

TEST(CheckpointFaults, KilledAtAnyMoment) {
  if (world().size() > 1) GTEST_SKIP() << "forks, which MPI on several ranks may not like";
  const test::TemporaryDirectory directory(world());
  const Store store(directory.path(), "job", 2);
  const Stopwatch watch;
  write_sample(store, 1);
  const double one_write = watch.seconds();
  std::uint64_t last = 1;
  // Within the first four writes of a child; on a busy machine later and later, until one has got so far.
  for (int kills = 0; kills < 40 || last == 1; ++kills) {
    const pid_t child = start([&] {
      for (std::uint64_t number = last + 1;; ++number) write_sample(store, number);
    });
    std::this_thread::sleep_for(std::chrono::duration<double>(one_write * (kills % 20) / 5 * (1 + kills / 40)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto restored = store.read_latest(world());
    ASSERT_TRUE(restored);
    EXPECT_GE(restored->number, last) << "a committed checkpoint is lost";
    EXPECT_LE(restored->rejected.size(), 1U);
    for (const std::string& line : restored->rejected) EXPECT_TRUE(line.ends_with("is not complete")) << line;
    expect_equal(restored->parts.at(0), sample_part(restored->number, 0));
    last = restored->number;
  }
}

} // namespace
} // namespace core::checkpoint
