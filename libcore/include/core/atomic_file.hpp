// Files that are either complete or absent: written under a temporary name in the same directory, fsynced, renamed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/communicator.hpp"

namespace core {

/// One process writes one file. Until commit() the final name does not exist (or keeps its old content); the destructor
/// removes the temporary file. Errors are core::Error naming the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// fsync, close, rename.
  void commit();

 private:
  std::string path_, temporary_path_;
  int descriptor_ = -1;
};

/// All ranks write one file, each its own byte ranges. Rank 0 creates and finally renames it. Constructor, commit and
/// destructor are collective; write_at is local and may be called from anywhere between.
class SharedAtomicFile {
 public:
  /// `prepare`, on rank 0 only, may create the temporary file's content itself (HDF5 does); empty: an empty file.
  SharedAtomicFile(const Communicator& comm, std::string path);
  ~SharedAtomicFile();
  SharedAtomicFile(const SharedAtomicFile&) = delete;
  SharedAtomicFile& operator=(const SharedAtomicFile&) = delete;

  /// The temporary name, for libraries that write by name before the ranks open it.
  [[nodiscard]] const std::string& temporary_path() const noexcept { return temporary_path_; }
  /// Writes all of `bytes` at `offset`. Local. Throws core::Error (disk full and the like).
  void write_at(std::span<const std::byte> bytes, std::size_t offset);
  /// fsync on every rank, agreement that nobody failed, rename by rank 0. Collective.
  void commit();

 private:
  const Communicator& comm_;
  std::string path_, temporary_path_;
  int descriptor_ = -1;
  bool committed_ = false;
};

/// Throws InputError unless a file could be created at `path` (its directory exists, is a directory, is writable).
/// Local.
void require_writable_target(const std::string& path);

} // namespace core
