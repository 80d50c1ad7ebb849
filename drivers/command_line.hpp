// What every program does with its command line.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace drivers {

/// Parses the command line. True when it asked for --help or --version, which is answered on standard output if
/// `printing`; the program then has nothing left to do. InputError, one line, for what is unknown or malformed. Local.
[[nodiscard]] bool answers_itself(CLI::App& app, int argc, char** argv, bool printing);

// Checks of values, which CLI11's own let through.

/// A real number, from `least` to `most`; CLI::Range lets NaN pass.
[[nodiscard]] CLI::Validator real_between(double least, double most);
/// CLI11 reads -1 as 2^64-1 where the option is unsigned.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0);
/// An empty word is mostly a variable of the user's script that was never set: without this check --output "" would
/// run for hours and write nothing.
[[nodiscard]] CLI::Validator not_empty();

} // namespace drivers
