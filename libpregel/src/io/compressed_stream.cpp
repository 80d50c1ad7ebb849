#include "compressed_stream.hpp"

#include <string_view>

#include "gzip_stream.hpp"
#include "zstd_stream.hpp"

namespace pregel {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

} // namespace

bool is_compressed(const InputFile& file) {
  return file.starts_with(kGzip) || file.starts_with(kZstd);
}

std::unique_ptr<CompressedStream> open_compressed(const InputFile& file) {
  if (file.starts_with(kZstd)) return std::make_unique<ZstdStream>(file);
  return std::make_unique<GzipStream>(file);
}

} // namespace pregel
