#include "process_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include <sys/prctl.h>

#include "launch_command.hpp"

namespace supervise {
namespace {

/// From "ID (NAME) STATE PARENT …"; the name may hold blanks and parentheses. Nothing when the process is gone.
std::optional<Process> read_process(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  Process process{.id = id, .name = text.substr(open + 1, close - open - 1)};
  char state = '?';
  std::istringstream rest(text.substr(close + 1));
  if (!(rest >> state >> process.parent)) return std::nullopt;
  process.ended = state == 'Z' || state == 'X';
  return process;
}

std::vector<Process> all_processes() {
  std::vector<Process> all;
  std::error_code error; // a directory that vanishes while it is read ends the list: callers look again
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t id = 0;
    const auto [stop, failed] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (failed != std::errc() || stop != name.data() + name.size()) continue;
    if (std::optional<Process> process = read_process(id)) all.push_back(*std::move(process));
  }
  return all;
}

} // namespace

void adopt_orphans() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw std::system_error(errno, std::generic_category(), "prctl");
}

std::vector<Process> descendants(pid_t root) {
  std::vector<Process> all = all_processes();
  std::vector<Process> found;
  std::vector<pid_t> parents{root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    for (Process& process : all) {
      if (process.parent != parents[next] || process.id == root) continue;
      parents.push_back(process.id);
      found.push_back(process);
      process.parent = 0;
    }
  }
  return found;
}

pid_t find_launcher_process(pid_t root) {
  if (const std::optional<Process> first = read_process(root); first && is_launcher(first->name)) return root;
  const std::vector<Process> below = descendants(root);
  const auto found = std::find_if(below.begin(), below.end(), [](const Process& p) { return is_launcher(p.name); });
  return found == below.end() ? root : found->id;
}

} // namespace supervise
