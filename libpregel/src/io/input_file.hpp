// A file opened for reading at any offset, by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pregel {

/// Owns a file descriptor. Move-only. All functions are local; errors are InputError and name the file.
class InputFile {
 public:
  /// Opens a regular file. Directories, pipes and devices are refused: several ranks cannot share them.
  explicit InputFile(std::string path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// In bytes, when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// True if the file begins with these bytes.
  [[nodiscard]] bool starts_with(std::string_view bytes) const;

  /// Reads exactly `count` bytes at `offset`, which must lie within size(); throws if the file has become shorter.
  void read_at(char* data, std::size_t count, std::uint64_t offset) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

} // namespace pregel
