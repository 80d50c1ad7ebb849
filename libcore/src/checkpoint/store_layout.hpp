// Which directories of a store are checkpoints, and how they are made and removed. All functions are local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace core::checkpoint {

class StoreLayout {
 public:
  StoreLayout(const std::string& directory, const std::string& prefix) : directory_(directory), prefix_(prefix) {}

  /// DIRECTORY/PREFIX-000000000004
  [[nodiscard]] std::string directory_of(std::uint64_t number) const;
  [[nodiscard]] std::string index_of(std::uint64_t number) const;

  /// Numbers, ascending, of directories with an index, and without.
  struct Listing {
    std::vector<std::uint64_t> committed, incomplete;
  };
  /// Empty when the store's directory does not exist; throws core::Error when it cannot be read.
  [[nodiscard]] Listing list() const;

  /// Makes an empty directory for `number`, and the store's own. What is there under that number, and directories
  /// without an index, are removed first. Throws core::Error.
  void prepare(std::uint64_t number) const;
  /// Removes a checkpoint, its index first, so that no reader takes what is left for a whole one. Returns the system's
  /// reason when something could not be removed, else nothing.
  std::string remove(std::uint64_t number) const;
  /// Steps of remove() that several ranks may share. The second returns whether there was such a part.
  void remove_index(std::uint64_t number) const;
  bool remove_part(std::uint64_t number, int part) const;
  /// Makes the checkpoint's name, and those in it, permanent. Throws core::Error.
  void sync(std::uint64_t number) const;

 private:
  const std::string& directory_;
  const std::string& prefix_;
};

} // namespace core::checkpoint
