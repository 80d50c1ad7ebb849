// Files that are complete or absent, also when the disk is full or the directory is gone.
#include "core/atomic_file.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "message_of.hpp"
#include "temporary_directory.hpp"

namespace core {
namespace {

const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}

using test::message_of;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

TEST(AtomicFile, AppearsAtCommit) {
  const test::TemporaryDirectory directory(world());
  const std::string path = directory.file("rank" + std::to_string(world().rank()));
  std::string expected;
  {
    AtomicFile file(path);
    for (int i = 0; i < 200'000; ++i) {
      file.write("line " + std::to_string(i) + "\n");
      expected += "line " + std::to_string(i) + "\n";
    }
    const std::string large(3'000'000, 'z');
    file.write(large);
    expected += large;
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
  }
  EXPECT_EQ(test::content_of(path), expected);
  write_file(path, "new");
  EXPECT_EQ(test::content_of(path), "new");
  barrier(world());
  EXPECT_EQ(test::files_in(directory.path()), static_cast<std::size_t>(world().size()));
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const test::TemporaryDirectory directory(world());
  const std::string path = directory.file("rank" + std::to_string(world().rank()));
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_EQ(test::content_of(path), "old");
  barrier(world());
  EXPECT_EQ(test::files_in(directory.path()), static_cast<std::size_t>(world().size()));
}

TEST(AtomicFile, NamesPathAndReason) {
  const test::TemporaryDirectory directory(world());
  const std::string missing = directory.file("no/such/file");
  EXPECT_EQ(message_of([&] { AtomicFile file(missing); }), "cannot create " + missing + ": No such file or directory");
  EXPECT_EQ(message_of([&] { AtomicFile file(directory.path()); }),
            "cannot write " + directory.path() + ": Is a directory");
  EXPECT_TRUE(contains(message_of([] { AtomicFile file("/proc/superstep"); }), "cannot create /proc/superstep: "));
}

TEST(AtomicFile, FailedRenameLeavesNoTemporary) {
  const test::TemporaryDirectory directory(world());
  const std::string mine = directory.file("rank" + std::to_string(world().rank()));
  std::filesystem::create_directory(mine);
  const std::string path = mine + "/target";
  AtomicFile file(path);
  file.write("text");
  std::filesystem::create_directories(path + "/in_the_way");
  EXPECT_TRUE(contains(message_of([&] { file.commit(); }), "cannot replace " + path + ": "));
  EXPECT_EQ(test::files_in(mine), 1U);
  EXPECT_TRUE(contains(message_of([&] { file.write("more"); }), "cannot write " + path));
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const test::TemporaryDirectory directory(world());
  const std::string mine = directory.file("rank" + std::to_string(world().rank()));
  std::filesystem::create_directory(mine);
  write_file(mine + "/target", "old");
  std::filesystem::create_symlink("target", mine + "/link");
  write_file(mine + "/link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(mine + "/link"));
  EXPECT_EQ(test::content_of(mine + "/target"), "new");
}

TEST(AtomicFile, FollowsLinksToFilesThatDoNotExistYet) {
  const test::TemporaryDirectory directory(world());
  const std::string mine = directory.file("rank" + std::to_string(world().rank()));
  std::filesystem::create_directory(mine);
  std::filesystem::create_symlink("link", mine + "/first");
  std::filesystem::create_symlink(mine + "/target", mine + "/link");
  write_file(mine + "/first", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(mine + "/first"));
  EXPECT_TRUE(std::filesystem::is_symlink(mine + "/link"));
  EXPECT_EQ(test::content_of(mine + "/target"), "new");
}

/// Starts writing `path`, then dies by `signal`; returns the signal that ended the process.
int signal_that_ends_a_writer(const std::string& path, int signal) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write("half");
    raise(signal);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(AtomicFile, SignalsThatEndTheProcessRemoveTheTemporary) {
  if (world().size() > 1) GTEST_SKIP() << "forks, which MPI on several ranks may not like";
  const test::TemporaryDirectory directory(world());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(signal_that_ends_a_writer(directory.file("half"), signal), signal);
    EXPECT_EQ(test::files_in(directory.path()), 0U) << strsignal(signal);
  }
}

TEST(FileIdentity, IsThatOfTheFile) {
  const test::TemporaryDirectory directory(world());
  EXPECT_EQ(file_identity(directory.file("new")), file_identity(directory.file("./new")));
  EXPECT_NE(file_identity(directory.file("new")), file_identity(directory.file("other")));
  if (world().rank() == 0) std::filesystem::create_symlink("absent", directory.file("link"));
  barrier(world());
  EXPECT_EQ(file_identity(directory.file("link")), file_identity(directory.file("absent")));
  EXPECT_TRUE(is_regular_or_new(directory.file("link")));
  EXPECT_FALSE(is_regular_or_new("/dev/null"));
  EXPECT_FALSE(is_regular_or_new(directory.path()));
}

TEST(AtomicFile, WritesDevicesDirectly) {
  write_file("/dev/null", "text");
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode)) << "the device has been replaced by a file";
  EXPECT_EQ(message_of([] { write_file("/dev/full", "text"); }), "cannot write /dev/full: No space left on device");
}

TEST(AtomicFile, FullDisk) {
  const test::SmallDisk disk(world());
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  if (world().rank() == 0) {
    const std::string path = disk.directory().file("big");
    const std::string expected = "cannot write " + path + ": No space left on device";
    write_file(path, "old");
    EXPECT_EQ(message_of([&] { write_file(path, std::string(2 << 20, 'x')); }), expected);
    EXPECT_EQ(message_of([&] {
                AtomicFile file(path);
                for (int i = 0; i < 3000; ++i) file.write(std::string(1000, 'x'));
              }),
              expected);
    EXPECT_EQ(test::content_of(path), "old");
    EXPECT_EQ(test::files_in(disk.directory().path()), 1U);
    write_file(path, std::string(500'000, 'y')); // the room has been given back
  }
}

TEST(SharedAtomicFile, RanksWriteTheirRanges) {
  const test::TemporaryDirectory directory(world());
  const std::string path = directory.file("shared");
  SharedAtomicFile file(world(), path);
  const std::string mine(1000, static_cast<char>('a' + world().rank()));
  file.write_at(bytes_of(mine), 1000 * static_cast<std::size_t>(world().rank()));
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  std::string expected;
  for (int rank = 0; rank < world().size(); ++rank) expected += std::string(1000, static_cast<char>('a' + rank));
  EXPECT_EQ(test::content_of(path), expected);
  EXPECT_EQ(test::files_in(directory.path()), 1U);
}

TEST(SharedAtomicFile, WithoutCommitNothingIsLeft) {
  const test::TemporaryDirectory directory(world());
  {
    SharedAtomicFile file(world(), directory.file("shared"));
    file.write_at(bytes_of("half"), 0);
  }
  barrier(world());
  EXPECT_EQ(test::files_in(directory.path()), 0U);
}

TEST(SharedAtomicFile, AllRanksLearnOfFailures) {
  const test::TemporaryDirectory directory(world());
  const std::string missing = directory.file("no/such/file");
  EXPECT_TRUE(contains(message_of([&] { SharedAtomicFile file(world(), missing); }),
                       "cannot create " + missing + ": No such file or directory"));
  EXPECT_TRUE(contains(message_of([] { SharedAtomicFile file(world(), "/dev/null"); }), "not a regular file"));

  const std::string path = directory.file("shared");
  SharedAtomicFile file(world(), path);
  if (world().rank() == 0) std::filesystem::create_directories(path + "/in_the_way");
  EXPECT_TRUE(contains(message_of([&] { file.commit(); }), "cannot replace " + path));
}

TEST(SharedAtomicFile, FullDisk) {
  const test::SmallDisk disk(world());
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  const std::string path = disk.directory().file("big");
  const std::string text(2 << 20, 'x');
  const std::string message = message_of([&] {
    SharedAtomicFile file(world(), path);
    agree(world(), [&] {
      if (world().rank() == world().size() - 1) file.write_at(bytes_of(text), 0);
    });
  });
  EXPECT_TRUE(contains(message, "cannot write " + path + ": No space left on device")) << message;
  barrier(world());
  EXPECT_EQ(test::files_in(disk.directory().path()), 0U);
}

TEST(RequireWritableTarget, RefusesWhatCannotBeWritten) {
  const test::TemporaryDirectory directory(world());
  EXPECT_NO_THROW(require_writable_target(directory.file("new")));
  EXPECT_NO_THROW(require_writable_target("/dev/null"));
  EXPECT_THROW(require_writable_target(""), InputError);
  EXPECT_THROW(require_writable_target(directory.path()), InputError);
  EXPECT_THROW(require_writable_target(directory.file("no/such")), InputError);
  if (world().rank() == 0) write_file(directory.file("plain"), "");
  barrier(world());
  EXPECT_EQ(message_of([&] { require_writable_target(directory.file("plain/below")); }),
            "cannot write " + directory.file("plain/below") + ": Not a directory");
}

TEST(RequireCreatable, LeavesNothing) {
  const test::TemporaryDirectory directory(world());
  EXPECT_NO_THROW(require_creatable(directory.file("new")));
  EXPECT_NO_THROW(require_creatable("/dev/full"));
  EXPECT_THROW(require_creatable(directory.file("no/such")), InputError);
  EXPECT_THROW(require_creatable(directory.file(std::string(250, 'x'))), InputError); // longer with the suffix
  barrier(world());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

} // namespace
} // namespace core
