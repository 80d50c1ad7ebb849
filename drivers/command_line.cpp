#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"

namespace drivers {
namespace {

/// How many letters to insert, remove or replace to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

/// The option of `app` that is within two letters of `word`, or begins with it; empty if there is none.
std::string nearest_option(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("--")) return {};
  const std::string given = word.substr(2, word.find('=') - 2);
  std::string nearest;
  std::size_t least = 3;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const bool begins = given.size() > 2 && name.starts_with(given);
      const std::size_t distance = begins ? 1 : edit_distance(given, name);
      if (distance >= least) continue;
      least = distance;
      nearest = "--" + name;
    }
  }
  return nearest;
}

} // namespace

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
    throw core::InputError(fmt::format("{} (see {} --help)", reason_of(app, error), app.get_name()));
  }
  return false;
}

std::string reason_of(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> extras = app.remaining();
  const std::string meant = extras.empty() ? "" : nearest_option(app, extras.front());
  return fmt::format("not expected: {}{}", fmt::join(extras, " "),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
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

void require_shared_target(const std::string& path, const char* what) {
  core::require_writable_target(path);
  if (!core::is_regular_or_new(path))
    throw core::InputError(fmt::format("cannot write {}: {} need a regular file, which all ranks write", path, what));
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
