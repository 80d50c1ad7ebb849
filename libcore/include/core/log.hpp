// Logging to standard error: plain lines on rank 0, "[rank N] " before the lines of the others. A line is printed as it
// is given (the caller writes "warning: " where it belongs) and reaches the terminal whole.
#pragma once

#include <string_view>

namespace core {

/// quiet: warnings and errors; normal: information as well; verbose: everything.
enum class LogLevel { quiet, normal, verbose };

/// Sets the rank prefix and the level. Local; run_driver does it for drivers.
void configure_logging(int rank, LogLevel level);
/// Shown at normal: what a user should know. On ranks other than 0 only `log_warning` and `log_error` are shown.
void log_info(std::string_view line);
void log_debug(std::string_view line);
void log_warning(std::string_view line);
void log_error(std::string_view line);

} // namespace core
