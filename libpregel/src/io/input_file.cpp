#include "input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"

namespace pregel {
namespace {

[[noreturn]] void fail(const char* action, const std::string& path, int error) {
  throw core::InputError(std::string("cannot ") + action + " " + path + ": " + std::generic_category().message(error));
}

} // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  // Asked before opening: opening a pipe would wait for a writer.
  if (::stat(path_.c_str(), &status) != 0) fail("open", path_, errno);
  if (S_ISDIR(status.st_mode)) fail("open", path_, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw core::InputError("cannot read " + path_ + ": not a regular file (ranks cannot share a pipe or a device)");
  }
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("open", path_, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool InputFile::starts_with(std::string_view bytes) const {
  if (size_ < bytes.size()) return false;
  std::string head(bytes.size(), '\0');
  read_at(head.data(), head.size(), 0);
  return head == bytes;
}

void InputFile::read_at(char* data, std::size_t count, std::uint64_t offset) const {
  constexpr std::size_t kOneCall = std::size_t{1} << 30; // Linux transfers at most 2 GiB a call
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, data, std::min(count, kOneCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path_, errno);
    if (got == 0) throw core::InputError("cannot read " + path_ + ": it became shorter while it was read");
    data += got;
    count -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

} // namespace pregel
