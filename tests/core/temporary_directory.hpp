// A directory that all ranks of a test share, and a small full disk.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/mount.h>

#include "core/collectives.hpp"
#include "core/communicator.hpp"

namespace test {

/// Made and finally removed by rank 0. Constructor and destructor are collective.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const core::Communicator& comm) : comm_(comm) {
    std::string name = (std::filesystem::temp_directory_path() / "superstep_test_XXXXXX").string();
    if (comm.rank() == 0 && mkdtemp(name.data()) == nullptr) name.clear();
    path_ = core::broadcast_string(comm, name, 0);
  }
  ~TemporaryDirectory() {
    core::barrier(comm_);
    std::error_code ignored;
    if (comm_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  const core::Communicator& comm_;
  std::string path_;
};

/// A file system of a megabyte, mounted by rank 0 where it may do that. Constructor and destructor are collective.
class SmallDisk {
 public:
  explicit SmallDisk(const core::Communicator& comm) : comm_(comm), directory_(comm) {
    const bool mounted = comm.rank() == 0 && mount("tmpfs", directory_.path().c_str(), "tmpfs", 0, "size=1m") == 0;
    mounted_ = core::broadcast_value(comm, mounted, 0);
  }
  ~SmallDisk() {
    core::barrier(comm_);
    if (mounted_ && comm_.rank() == 0) umount2(directory_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const noexcept { return mounted_; }
  [[nodiscard]] const TemporaryDirectory& directory() const noexcept { return directory_; }

 private:
  const core::Communicator& comm_;
  TemporaryDirectory directory_;
  bool mounted_ = false;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Number of files in the directory, to see that no temporary is left behind.
inline std::size_t files_in(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

} // namespace test
