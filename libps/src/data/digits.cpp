#include "data/digits.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace ps {
namespace {

/// Empty if they are not there.
std::string images_in(const std::filesystem::path& directory) {
  for (const std::string_view name : {"train-images-idx3-ubyte", "train-images-idx3-ubyte.gz"}) {
    std::error_code ignored; // a directory that cannot be entered has no digits for us
    if (std::filesystem::is_regular_file(directory / name, ignored)) return directory / name;
  }
  return {};
}

} // namespace

std::string find_digits() {
  const char* const named = std::getenv("SUPERSTEP_DIGITS");
  if (named != nullptr && *named != '\0') {
    std::string found = images_in(named);
    if (!found.empty()) return found;
    throw core::InputError(fmt::format(
        "digits: no train-images-idx3-ubyte or train-images-idx3-ubyte.gz in $SUPERSTEP_DIGITS, {}", named));
  }
  for (const std::string_view directory : {"../shared/data/digits", "digits"}) {
    std::string found = images_in(directory);
    if (!found.empty()) return found;
  }
  throw core::InputError(
      "digits: no train-images-idx3-ubyte[.gz] in ../shared/data/digits or ./digits, and $SUPERSTEP_DIGITS is not set; "
      "scripts/get_digits.sh fetches some into ./digits");
}

} // namespace ps
