#include "data/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"

namespace ps {
namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 30; // gzread takes an unsigned int
constexpr unsigned kBuffer = 1u << 18;

} // namespace

void ByteSource::Close::operator()(gzFile_s* file) const noexcept {
  gzclose_r(file); // whatever could be wrong with the stream was seen while reading
}

ByteSource::ByteSource(const std::string& path) : path_(path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw core::InputError(fmt::format("{}: no such file", path));
  }
  if (problem) throw core::InputError(fmt::format("{}: {}", path, problem.message()));
  if (status.type() != std::filesystem::file_type::regular) {
    throw core::InputError(fmt::format("{}: not a regular file", path));
  }
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) throw core::InputError(fmt::format("{}: {}", path, std::strerror(errno != 0 ? errno : ENOMEM)));
  gzbuffer(file_.get(), kBuffer);
}

std::size_t ByteSource::read(std::span<char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto ask = static_cast<unsigned>(std::min(bytes.size() - done, kLargestRead));
    const int got = gzread(file_.get(), bytes.data() + done, ask);
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    // A stream that is cut short gives what there is, and Z_BUF_ERROR.
    if (got < 0 || code != Z_OK) {
      const bool system = code == Z_ERRNO;
      throw core::InputError(fmt::format("{}: {}", path_,
                                         system                ? std::strerror(errno)
                                         : code == Z_BUF_ERROR ? "the gzip stream is cut short"
                                                               : fmt::format("damaged gzip stream ({})", reason)));
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

} // namespace ps
