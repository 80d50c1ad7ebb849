#include "core/checkpoint/resume.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/checkpoint/store.hpp"
#include "core/error.hpp"

namespace core::checkpoint {
namespace {

/// What the names of checkpoints begin with. Two of pregel's: the graph is stored once, the state each time.
struct ProgramPrefix {
  std::string_view program;
  const char* prefix;
};
constexpr ProgramPrefix kPrefixes[] = {{"pregel", "superstep"}, {"pregel", "graph"}, {"pstrain", "step"}};

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

void refuse_checkpoints_of_others(const std::string& directory, std::string_view program) {
  for (const auto& [other, prefix] : kPrefixes) {
    if (other == program) continue;
    const Store store(directory, prefix, 0);
    if (const auto found = store.committed(); !found.empty())
      throw InputError(fmt::format("--checkpoint-dir {}: these are checkpoints of {}, not of {} ({})", directory, other,
                                   program, store.path_of(found.back())));
  }
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
