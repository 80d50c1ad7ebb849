#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

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
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    throw core::InputError(fmt::format("{} (see {} --help)", message, app.get_name()));
  }
  return false;
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

} // namespace drivers
