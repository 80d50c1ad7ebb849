// How a file of a checkpoint comes into being: under a temporary name, in large writes whose way to the disk begins at
// once, synced, renamed. Every step passes through one place where tests can make it fail (fail_write_after).
//
// core::AtomicFile does much the same for results. Here blocks are written at given offsets, HDF5 has its hands on the
// same file, and the write-back is started early: 200 MB are on the disk before the last checksum is computed, and the
// fsync that all ranks wait for has little left to do.
//
// All functions are local and throw core::Error naming the path and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/temporary_name.hpp"

namespace core::checkpoint {

/// To be called before each operation that puts something on the disk: throws when fail_write_after() says that this
/// one fails.
void about_to_write(const std::string& path);

/// A file that does not exist under its name before commit(). The destructor removes the temporary one.
class NewFile {
 public:
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// For libraries that write by name (HDF5). They may truncate the file, not replace it.
  [[nodiscard]] const std::string& temporary_path() const noexcept { return temporary_path_; }
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset);
  /// Fills `bytes` from `offset` on.
  void read_at(std::span<std::byte> bytes, std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t size() const;
  /// fsync, close, rename. The directory is left to sync_directory().
  void commit();

 private:
  void start_writing_back(std::uint64_t end) noexcept;

  std::string path_, temporary_path_; // no temporary_path_ once it is renamed
  TemporaryName marked_;
  int descriptor_ = -1;
  std::uint64_t dirty_begin_ = 0, dirty_end_ = 0; // written, and not yet on its way to the disk
};

/// An existing file, to be read at offsets.
class OldFile {
 public:
  /// Throws core::Error "PATH is missing" when there is none.
  explicit OldFile(const std::string& path);
  ~OldFile();
  OldFile(const OldFile&) = delete;
  OldFile& operator=(const OldFile&) = delete;

  void read_at(std::span<std::byte> bytes, std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t size() const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Makes the names in a directory permanent.
void sync_directory(const std::string& path);

} // namespace core::checkpoint
