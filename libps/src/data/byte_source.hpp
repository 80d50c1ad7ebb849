// The bytes of a file, unpacked if it is gzipped (whatever its name, and of several members in a row).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct gzFile_s;

namespace ps {

class ByteSource {
 public:
  /// Throws InputError "PATH: reason" unless `path` is a regular file that can be read. Local.
  explicit ByteSource(const std::string& path);

  /// Fills `bytes` from where the last call ended; fewer than that only at the end of the file. Throws InputError for a
  /// gzip stream that is damaged or cut short. Local.
  [[nodiscard]] std::size_t read(std::span<char> bytes);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  struct Close {
    void operator()(gzFile_s* file) const noexcept;
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

/// The path's last part, for messages that need not say where.
[[nodiscard]] std::string name_of(const std::string& path);

} // namespace ps
