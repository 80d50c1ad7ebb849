#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"

namespace drivers {

bool answers_itself(CLI::App& app, int argc, char** argv, bool printing) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    if (printing) fmt::print("{}\n", version.what());
    return true;
  } catch (const CLI::Success&) {
    if (printing) fmt::print("{}", app.help());
    return true;
  } catch (const CLI::ParseError& error) {
    throw core::InputError(fmt::format("{} (see {} --help)", one_line(error), app.get_name()));
  }
  return false;
}

std::string one_line(const CLI::ParseError& error) {
  std::string message = error.what();
  std::ranges::replace(message, '\n', ' ');
  return message;
}

std::pair<std::size_t, double> parse_straggler(const std::string& text, const char* number) {
  const std::size_t colon = text.find(':');
  std::size_t who = 0;
  double factor = 0;
  const char* const end = text.data() + std::min(colon, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, who);
  if (colon == std::string::npos || error != std::errc{} || stop != end ||
      !CLI::detail::lexical_cast(text.substr(colon + 1), factor))
    throw core::InputError(fmt::format("--straggler {}: {}:FACTOR is wanted, as in 3:4", text, number));
  return {who, factor};
}

CLI::Validator real_between(double least, double most) {
  return {[=](const std::string& text) -> std::string {
            double x = 0;
            if (CLI::detail::lexical_cast(text, x) && x >= least && x <= most) return {};
            return fmt::format(
                "{} is not a number {}", text,
                most < 1e300 ? fmt::format("from {} to {}", least, most) : fmt::format("of at least {}", least));
          },
          "NUMBER"};
}

CLI::Validator whole_number(std::uint64_t least) {
  return {[least](const std::string& text) -> std::string {
            std::uint64_t n = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
            if (error == std::errc{} && end == text.data() + text.size() && n >= least) return {};
            return fmt::format("{} is not a whole number of at least {}, or too large", text, least);
          },
          "NUMBER"};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("the value is empty") : std::string(); },
          "TEXT"};
}

void require_separate_files(std::span<const NamedFile> inputs, std::span<const NamedFile> targets) {
  std::vector<NamedFile> taken;
  for (const NamedFile& input : inputs)
    if (!input.path->empty()) taken.push_back(input);
  for (const NamedFile& target : targets) {
    if (target.path->empty()) continue;
    core::require_writable_target(*target.path);
    if (!core::is_regular_or_new(*target.path)) continue;
    for (const NamedFile& other : taken) {
      if (core::file_identity(*other.path) == core::file_identity(*target.path))
        throw core::InputError(
            fmt::format("{} and {} name the same file, {}", other.option, target.option, *target.path));
    }
    taken.push_back(target);
  }
}

} // namespace drivers
