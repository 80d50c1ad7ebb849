#include "command_line.hpp"

#include <algorithm>
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

} // namespace drivers
