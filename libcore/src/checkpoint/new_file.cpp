// System calls, each with its result looked at.
#include "new_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checkpoint/store.hpp"
#include "core/error.hpp"

namespace core::checkpoint {
namespace {

constexpr mode_t kNewFileMode = 0666; // less the user's umask

/// Bytes after which the kernel is told to begin writing them back.
constexpr std::uint64_t kWriteBackBytes = std::uint64_t{4} << 20;

std::atomic<std::uint64_t> writes_until_failure{0};

[[noreturn]] void throw_system(const char* action, const std::string& path, int reason) {
  throw Error(fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(reason)));
}

void read_fully(int descriptor, std::span<std::byte> bytes, std::uint64_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t got = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_system("read", path, errno);
    }
    if (got == 0) throw Error(fmt::format("cannot read {}: it ends at byte {}", path, offset));
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::uint64_t size_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_system("read", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

} // namespace

void fail_write_after(std::uint64_t writes) noexcept {
  writes_until_failure = writes;
}

void about_to_write(const std::string& path) {
  std::uint64_t left = writes_until_failure.load();
  while (left > 0 && !writes_until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) throw_system("write", path, ENOSPC);
}

NewFile::NewFile(const std::string& path) : path_(path) {
  std::string temporary = fmt::format("{}.tmp-{}", path, getpid());
  about_to_write(path_);
  marked_ = TemporaryName(temporary);
  descriptor_ = open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFileMode);
  if (descriptor_ < 0) throw_system("create", path_, errno);
  temporary_path_ = std::move(temporary);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) (void)close(descriptor_);
  if (!temporary_path_.empty()) (void)unlink(temporary_path_.c_str());
}

void NewFile::write_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  about_to_write(path_);
  if (offset != dirty_end_) dirty_begin_ = offset; // what lies before is small, and fsync's
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_system("write", path_, errno);
    }
    if (written == 0) throw_system("write", path_, ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  dirty_end_ = offset;
  if (dirty_end_ - dirty_begin_ >= kWriteBackBytes) start_writing_back(dirty_end_);
}

void NewFile::start_writing_back(std::uint64_t end) noexcept {
#ifdef SYNC_FILE_RANGE_WRITE
  // Only a beginning: whether it worked is fsync's to say.
  (void)sync_file_range(descriptor_, static_cast<off_t>(dirty_begin_), static_cast<off_t>(end - dirty_begin_),
                        SYNC_FILE_RANGE_WRITE);
#endif
  dirty_begin_ = end;
}

void NewFile::read_at(std::span<std::byte> bytes, std::uint64_t offset) const {
  read_fully(descriptor_, bytes, offset, path_);
}

std::uint64_t NewFile::size() const {
  return size_of(descriptor_, path_);
}

void NewFile::commit() {
  about_to_write(path_);
  if (fsync(descriptor_) != 0) throw_system("write", path_, errno);
  if (close(std::exchange(descriptor_, -1)) != 0) throw_system("write", path_, errno);
  about_to_write(path_);
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) throw_system("create", path_, errno);
  temporary_path_.clear();
}

OldFile::OldFile(const std::string& path) : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ >= 0) return;
  if (errno == ENOENT) throw Error(path_ + " is missing");
  throw_system("read", path_, errno);
}

OldFile::~OldFile() {
  if (descriptor_ >= 0) (void)close(descriptor_);
}

void OldFile::read_at(std::span<std::byte> bytes, std::uint64_t offset) const {
  read_fully(descriptor_, bytes, offset, path_);
}

std::uint64_t OldFile::size() const {
  return size_of(descriptor_, path_);
}

void sync_directory(const std::string& path) {
  about_to_write(path);
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) throw_system("write", path, errno);
  const int reason = fsync(directory) == 0 ? 0 : errno;
  (void)close(directory); // nothing was written through it
  // Some file systems have no such thing: the names are in place all the same.
  if (reason != 0 && reason != EINVAL && reason != ENOTSUP && reason != EROFS) throw_system("write", path, reason);
}

} // namespace core::checkpoint
