#include "core/checkpoint/resume.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace core::checkpoint {
namespace {

std::string text_of(const nlohmann::json& value) {
  if (value.is_null() || value == "") return "not given";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace

void require_usable_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError("cannot make the checkpoint directory " + directory + ": " + error.message());
  if (!std::filesystem::is_directory(directory, error))
    throw InputError("--checkpoint-dir " + directory + " is no directory");
  if (access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
    throw InputError("cannot use the checkpoint directory " + directory + ": " +
                     std::generic_category().message(errno));
}

std::optional<std::string> first_difference(const nlohmann::json& wanted, const nlohmann::json& saved,
                                            const std::string& before_all) {
  if (!before_all.empty() && wanted.contains(before_all)) {
    const nlohmann::json alone = {{before_all, wanted.at(before_all)}};
    if (const auto difference = first_difference(alone, saved)) return difference;
  }
  for (const auto& [option, value] : wanted.items()) {
    const nlohmann::json before = saved.contains(option) ? saved.at(option) : nlohmann::json();
    if (before != value) return fmt::format("{} was {}, now it is {}", option, text_of(before), text_of(value));
  }
  return std::nullopt;
}

} // namespace core::checkpoint
