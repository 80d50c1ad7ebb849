// Complete or absent: see the header. Every system call's result is looked at, close() included, because a network or
// quota file system may report a full disk only then.
#include "core/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace core {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr mode_t kNewFileMode = 0666; // less the user's umask

std::string reason_text(int reason) {
  return std::generic_category().message(reason);
}

[[noreturn]] void throw_system(const char* action, const std::string& path, int reason) {
  throw Error(fmt::format("cannot {} {}: {}", action, path, reason_text(reason)));
}

/// The file that a name stands for: the end of the chain where it is a symbolic link, whether that file exists or not.
std::string resolved(const std::string& path) {
  constexpr int kLongestChain = 40; // the kernel's own limit; opening a ring of links gives the reason
  std::error_code ignored;          // so does an unreadable link
  std::filesystem::path target = path;
  for (int links = 0; links < kLongestChain && std::filesystem::is_symlink(target, ignored); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, ignored);
    if (next.empty()) return path;
    target = target.parent_path() / next;
  }
  return target.string();
}

/// True for devices, pipes and sockets: what must not be renamed onto.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

std::string temporary_name(const std::string& path) {
  return fmt::format("{}.tmp-{}", path, getpid());
}

/// Returns errno, or zero when all bytes were written. `offset` < 0 appends.
int write_all(int descriptor, const char* data, std::size_t bytes, off_t offset) noexcept {
  while (bytes > 0) {
    const ssize_t written = offset < 0 ? ::write(descriptor, data, bytes) : ::pwrite(descriptor, data, bytes, offset);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return ENOSPC;
    data += written;
    bytes -= static_cast<std::size_t>(written);
    if (offset >= 0) offset += written;
  }
  return 0;
}

/// fsync; zero for what cannot be synced (a pipe).
int synchronise(int descriptor) noexcept {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/// Makes a rename permanent. Some file systems refuse to sync a directory: the file is in place all the same.
void synchronise_directory(const std::string& path) noexcept {
  const int directory = open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  (void)fsync(directory);
  (void)close(directory);
}

} // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(resolved(path)) {
  const bool direct = is_special(path_);
  if (!direct) temporary_path_ = temporary_name(path_);
  const std::string& name = direct ? path_ : temporary_path_;
  const int how = direct ? 0 : O_CREAT | O_TRUNC;
  if (is_directory(path_)) throw_system("write", path_, EISDIR);
  if (!direct) marked_ = TemporaryName(temporary_path_);
  descriptor_ = open(name.c_str(), O_WRONLY | O_CLOEXEC | how, kNewFileMode);
  if (descriptor_ < 0) throw_system("create", path_, errno);
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) (void)close(std::exchange(descriptor_, -1));
  if (!temporary_path_.empty()) (void)unlink(temporary_path_.c_str());
  temporary_path_.clear();
}

void AtomicFile::fail(const char* action, int reason) {
  discard();
  throw_system(action, path_, reason);
}

void AtomicFile::flush() {
  if (const int reason = write_all(descriptor_, buffer_.data(), buffer_.size(), -1)) fail("write", reason);
  buffer_.clear();
}

void AtomicFile::write(std::string_view text) {
  if (descriptor_ < 0) fail("write", EBADF);
  if (text.size() >= kBufferBytes) {
    flush();
    if (const int reason = write_all(descriptor_, text.data(), text.size(), -1)) fail("write", reason);
    return;
  }
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::commit() {
  if (descriptor_ < 0) fail("write", EBADF);
  flush();
  if (const int reason = synchronise(descriptor_)) fail("write", reason);
  if (close(std::exchange(descriptor_, -1)) != 0) fail("write", errno);
  if (temporary_path_.empty()) return; // a device or a pipe
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) fail("replace", errno);
  temporary_path_.clear();
  synchronise_directory(path_);
}

SharedAtomicFile::SharedAtomicFile(const Communicator& comm, const std::string& path)
    : comm_(comm), path_(broadcast_string(comm, resolved(path), 0)) {
  temporary_path_ = broadcast_string(comm, temporary_name(path_), 0);
  const auto open_on_this_rank = [this](int how) {
    descriptor_ = open(temporary_path_.c_str(), O_WRONLY | O_CLOEXEC | how, kNewFileMode);
    if (descriptor_ < 0) throw_system(how != 0 ? "create" : "open", path_, errno);
  };
  try {
    agree(comm_, [&] {
      if (comm_.rank() != 0) return;
      if (is_directory(path_)) throw_system("write", path_, EISDIR);
      if (is_special(path_)) throw Error(fmt::format("cannot write {}: not a regular file", path_));
      marked_ = TemporaryName(temporary_path_);
      open_on_this_rank(O_CREAT | O_TRUNC);
    });
    agree(comm_, [&] {
      if (comm_.rank() != 0) open_on_this_rank(0);
    });
  } catch (...) {
    close_and_remove();
    throw;
  }
}

SharedAtomicFile::~SharedAtomicFile() {
  close_and_remove();
}

void SharedAtomicFile::close_and_remove() noexcept {
  if (descriptor_ >= 0) (void)close(std::exchange(descriptor_, -1));
  // Every rank tries: rank 0 may be what failed.
  if (!committed_ && !temporary_path_.empty()) (void)unlink(temporary_path_.c_str());
}

void SharedAtomicFile::write_at(std::span<const std::byte> bytes, std::size_t offset) {
  const int reason =
      write_all(descriptor_, reinterpret_cast<const char*>(bytes.data()), bytes.size(), static_cast<off_t>(offset));
  if (reason != 0) throw_system("write", path_, reason);
}

void SharedAtomicFile::commit() {
  agree(comm_, [this] {
    if (const int reason = synchronise(descriptor_)) throw_system("write", path_, reason);
    if (close(std::exchange(descriptor_, -1)) != 0) throw_system("write", path_, errno);
  });
  agree(comm_, [this] {
    if (comm_.rank() != 0) return;
    if (rename(temporary_path_.c_str(), path_.c_str()) != 0) throw_system("replace", path_, errno);
    synchronise_directory(path_);
  });
  committed_ = true;
}

void require_writable_target(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    throw InputError(fmt::format("cannot write {}: {}", path, why));
  };
  if (path.empty()) throw InputError("cannot write a file without a name");
  const std::string target = resolved(path);
  if (is_directory(target)) refuse(reason_text(EISDIR));
  if (is_special(target)) {
    if (access(target.c_str(), W_OK) != 0) refuse(reason_text(errno));
    return;
  }
  const std::string directory = directory_of(target);
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) refuse(reason_text(errno));
  if (!S_ISDIR(status.st_mode)) refuse(reason_text(ENOTDIR));
  if (access(directory.c_str(), W_OK | X_OK) != 0) refuse(reason_text(errno));
}

void require_creatable(const std::string& path) {
  if (!is_regular_or_new(path)) return;
  try {
    const AtomicFile attempt(path);
  } catch (const Error& error) {
    throw InputError(error.what());
  }
}

std::string file_identity(const std::string& path) {
  std::error_code ignored; // a path that cannot be followed is refused by require_writable_target or the readers
  const std::filesystem::path absolute = std::filesystem::absolute(resolved(path), ignored);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, ignored);
  return canonical.empty() ? path : canonical.string();
}

bool is_regular_or_new(const std::string& path) {
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
}

} // namespace core
