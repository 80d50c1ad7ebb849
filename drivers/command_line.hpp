// What every program does with its command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace CLI {
class App;
class ParseError;
class Validator;
} // namespace CLI

namespace drivers {

/// Parses the command line. True when it asked for --help or --version, which is answered on standard output if
/// `printing`; the program then has nothing left to do. InputError, one line, for what is unknown or malformed. Local.
[[nodiscard]] bool answers_itself(CLI::App& app, int argc, char** argv, bool printing);

/// What is wrong with a command line of `app`; arguments that it does not know are told in their order, with the option
/// that the first one may have been meant for. Local.
[[nodiscard]] std::string reason_of(const CLI::App& app, const CLI::ParseError& error);

/// NUMBER:FACTOR, as --straggler takes it; `number` is what the user calls the number. InputError. Local.
[[nodiscard]] std::pair<std::size_t, double> parse_straggler(const std::string& text, const char* number);

// Checks of values, which CLI11's own let through.

/// A real number, from `least` to `most`; CLI::Range lets NaN pass.
[[nodiscard]] CLI::Validator real_between(double least, double most);
/// CLI11 reads -1 as 2^64-1 where the option is unsigned.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0);
/// An empty word is mostly a variable of the user's script that was never set: without this check --output "" would
/// run for hours and write nothing.
[[nodiscard]] CLI::Validator not_empty();

/// InputError unless all ranks can write to `path` at once, each at its own place. `what` they write is for the
/// message. Local.
void require_shared_target(const std::string& path, const char* what);

/// An option and the file that it names; an empty path stands for an option that was not given.
struct NamedFile {
  const char* option;
  const std::string* path;
};
/// InputError, naming both options, unless each target can be written and is neither an input nor another target. What
/// is no regular file, /dev/null for one, may be given twice. Local.
void require_separate_files(std::span<const NamedFile> inputs, std::span<const NamedFile> targets);

} // namespace drivers
