// Directories and their names.
#include "store_layout.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/error.hpp"
#include "index_file.hpp"
#include "new_file.hpp"
#include "part_file.hpp"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_system(const char* action, const std::string& path, const std::error_code& reason) {
  throw Error(fmt::format("cannot {} {}: {}", action, path, reason.message()));
}

std::string name_of(const std::string& prefix, std::uint64_t number) {
  return fmt::format("{}-{:012}", prefix, number);
}

/// The number in a checkpoint's name; nothing for other names.
std::optional<std::uint64_t> number_in(std::string_view name, const std::string& prefix) {
  if (!name.starts_with(prefix) || name.size() <= prefix.size() + 1) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size() + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || name != name_of(prefix, number))
    return std::nullopt;
  return number;
}

} // namespace

std::string StoreLayout::directory_of(std::uint64_t number) const {
  return directory_ + '/' + name_of(prefix_, number);
}

std::string StoreLayout::index_of(std::uint64_t number) const {
  return directory_of(number) + '/' + kIndexName;
}

StoreLayout::Listing StoreLayout::list() const {
  Listing listing;
  std::error_code error;
  fs::directory_iterator entry(directory_, error);
  if (error == std::errc::no_such_file_or_directory) return listing;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto number = number_in(entry->path().filename().string(), prefix_);
    if (!number) continue;
    std::error_code ignored; // an index that cannot be looked at is none
    (fs::exists(entry->path() / kIndexName, ignored) ? listing.committed : listing.incomplete).push_back(*number);
  }
  if (error) throw_system("read", directory_, error);
  std::ranges::sort(listing.committed);
  std::ranges::sort(listing.incomplete);
  return listing;
}

void StoreLayout::prepare(std::uint64_t number) const {
  const std::string path = directory_of(number);
  std::error_code error;
  about_to_write(directory_);
  fs::create_directories(directory_, error);
  if (error) throw_system("create", directory_, error);
  for (const std::uint64_t left : list().incomplete) (void)remove(left); // of no use, and no harm if it stays
  if (const std::string reason = remove(number); !reason.empty())
    throw Error(fmt::format("cannot replace {}: {}", path, reason));
  about_to_write(path);
  if (!fs::create_directory(path, error) || error) throw_system("create", path, error);
}

std::string StoreLayout::remove(std::uint64_t number) const {
  std::error_code error;
  fs::remove(index_of(number), error);
  // ENOTDIR: something else lies where the directory should be; it is removed below.
  if (error && error != std::errc::not_a_directory) return error.message();
  // Other ranks delete parts at the same time, and remove_all() may stumble over one that has just gone.
  std::error_code ignored; // a directory that cannot be looked at: remove_all() has said why
  do fs::remove_all(directory_of(number), error);
  while (error == std::errc::no_such_file_or_directory && fs::exists(directory_of(number), ignored));
  if (error == std::errc::no_such_file_or_directory) error.clear();
  return error ? error.message() : std::string();
}

void StoreLayout::remove_index(std::uint64_t number) const {
  std::error_code ignored; // remove() will tell
  fs::remove(index_of(number), ignored);
}

bool StoreLayout::remove_part(std::uint64_t number, int part) const {
  std::error_code ignored;
  return fs::remove(directory_of(number) + '/' + part_name(part), ignored);
}

void StoreLayout::sync(std::uint64_t number) const {
  sync_directory(directory_of(number));
  sync_directory(directory_);
}

} // namespace core::checkpoint
