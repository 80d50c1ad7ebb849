// Files that are either complete or absent: written under a temporary name in the same directory (PATH.tmp-PID),
// fsynced, renamed, and the directory fsynced so that the new name survives a power failure.
//
// SIGINT, SIGTERM and SIGHUP remove the temporary file too (temporary_name.hpp).
//
// Two kinds of targets need care. A symbolic link is resolved first: renaming onto it would replace the link and leave
// the file it names untouched. A device or a pipe (/dev/stdout, /dev/null) must never be renamed onto: it is written
// directly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/communicator.hpp"
#include "core/temporary_name.hpp"

namespace core {

/// One process writes one file. Until commit() the final name does not exist (or keeps its old content); the destructor
/// removes the temporary file. Errors are core::Error naming the path and the system's reason. Local.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends, through a buffer: a full disk may show only in a later call.
  void write(std::string_view text);
  /// Writes what is buffered, fsync, close, rename.
  void commit();

 private:
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail(const char* action, int reason);

  std::string path_, temporary_path_; // no temporary_path_ when a device is written directly
  TemporaryName marked_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// All ranks write one file, each its own byte ranges. Rank 0 creates and finally renames it. Constructor and commit
/// are collective and throw the same error on all ranks; write_at is local and may be called from anywhere between
/// (inside core::agree, since it can fail on one rank). Unless committed, the file is removed by the destructor.
/// The communicator must outlive the object.
class SharedAtomicFile {
 public:
  /// Rank 0 creates an empty temporary file and all ranks open it. Collective.
  SharedAtomicFile(const Communicator& comm, const std::string& path);
  ~SharedAtomicFile();
  SharedAtomicFile(const SharedAtomicFile&) = delete;
  SharedAtomicFile& operator=(const SharedAtomicFile&) = delete;

  /// The temporary name, for libraries that write by name (HDF5). They may truncate the file, not replace it: the ranks
  /// have it open.
  [[nodiscard]] const std::string& temporary_path() const noexcept { return temporary_path_; }
  /// Writes all of `bytes` at `offset`. Local. Throws core::Error (disk full and the like).
  void write_at(std::span<const std::byte> bytes, std::size_t offset);
  /// fsync on every rank, agreement that nobody failed, rename by rank 0. Collective.
  void commit();

 private:
  void close_and_remove() noexcept;

  const Communicator& comm_;
  std::string path_, temporary_path_;
  TemporaryName marked_; // rank 0's
  int descriptor_ = -1;
  bool committed_ = false;
};

/// Throws InputError unless a file could be created at `path` (its directory exists, is a directory, is writable).
/// Local.
void require_writable_target(const std::string& path);

/// The same by trying, for what is written only when hours of work are done: a file of a temporary name is made and
/// removed. Devices and pipes are left alone. Local.
void require_creatable(const std::string& path);

/// A name for the file itself, whatever way leads to it: equal for two names of one file, which need not exist. Hard
/// links count as two files, because files are replaced, not overwritten. Local.
[[nodiscard]] std::string file_identity(const std::string& path);

/// False for devices, pipes and directories. Local.
[[nodiscard]] bool is_regular_or_new(const std::string& path);

} // namespace core
