// What every program does with its command line.
#pragma once

#include <CLI/CLI.hpp>

namespace drivers {

/// Parses the command line. True when it asked for --help or --version, which is answered on standard output if
/// `printing`; the program then has nothing left to do. InputError, one line, for what is unknown or malformed. Local.
[[nodiscard]] bool answers_itself(CLI::App& app, int argc, char** argv, bool printing);

} // namespace drivers
