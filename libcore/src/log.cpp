// Logging by spdlog: one sink on standard error, a pattern that holds the rank.
#include "core/log.hpp"

#include <memory>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace core {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto created = std::make_shared<spdlog::logger>("superstep", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern("%v");
    created->flush_on(spdlog::level::trace); // a rank may be killed at any moment
    return created;
  }();
  return *instance;
}

void write(spdlog::level::level_enum level, std::string_view line) {
  logger().log(level, "{}", line);
}

} // namespace

void configure_logging(int rank, LogLevel level) {
  logger().set_pattern(rank == 0 ? "%v" : fmt::format("[rank {}] %v", rank));
  if (rank != 0 || level == LogLevel::quiet)
    logger().set_level(spdlog::level::warn);
  else
    logger().set_level(level == LogLevel::verbose ? spdlog::level::debug : spdlog::level::info);
}

void log_info(std::string_view line) {
  write(spdlog::level::info, line);
}
void log_debug(std::string_view line) {
  write(spdlog::level::debug, line);
}
void log_warning(std::string_view line) {
  write(spdlog::level::warn, line);
}
void log_error(std::string_view line) {
  write(spdlog::level::err, line);
}

} // namespace core
