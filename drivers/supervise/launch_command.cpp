// The difficulty is to know where the launcher's options end: `--map-by node` takes a value, `--oversubscribe` does
// not, and nothing in the words says so. The tables below list the options with values of Open MPI 4 and 5 and of
// MPICH's Hydra; for srun they list the long options without one, which are fewer. An option of mpirun that is missing
// here would have its value taken for the program, which does no harm as long as what matters stands behind it.
#include "launch_command.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace supervise {
namespace {

constexpr std::string_view kMpirunNames =
    "mpirun mpiexec orterun prterun mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich mpiexec.hydra";
constexpr std::string_view kMpirunRankOptions = "-n -np --np --n -c";
constexpr std::string_view kSrunName = "srun";

/// Is it one of the words of `list`, which have a blank between them?
bool is_listed(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

// Names of options, one or two dashes left out: of mpirun those with values, of srun the long ones without.
constexpr std::string_view kTwoValues = "mca gmca omca gomca pmca prtemca gprtemca pmixmca gpmixmca env genv";
// Open MPI
constexpr std::string_view kOpenMpiValue =
    "H host hostfile machinefile default-hostfile x map-by rank-by bind-to wdir wd output prefix output-filename "
    "rankfile rf timeout with-ft path preload-files stdin personality N npernode npersocket cpu-set cpu-list "
    "cpus-per-proc cpus-per-rank slot-list tune am report-uri ompi-server display dvm dvm-uri debugger "
    "launch-agent max-vm-size xterm runtime-options pset add-host add-hostfile max-restarts hnp tmpdir";
// MPICH
constexpr std::string_view kHydraValue =
    "f hosts hostlist genvlist envlist ppn perhost rmk launcher launcher-exec bootstrap bootstrap-exec iface "
    "membind topolib usize order-nodes demux outfile-pattern errfile-pattern localhost gpus-per-proc s configfile "
    "prepend-pattern";
// Also those whose value is optional and then needs the equals sign.
constexpr std::string_view kSrunAlone =
    "contiguous exclusive exact label no-kill overcommit oversubscribe overlap pty quiet preserve-env multi-prog "
    "kill-on-bad-exit quit-on-interrupt hold help usage spread-job test-only disable-status use-min-nodes "
    "unbuffered verbose reboot version immediate nice propagate bcast compress mem-bind-sort no-allocate "
    "interactive get-user-env whole share requeue no-requeue send-libs treewidth-default";

/// How many words after this option of mpirun belong to it. One dash or two make no difference.
std::size_t mpirun_values(std::string_view option) {
  const std::string_view name = option.substr(option.starts_with("--") ? 2 : 1);
  if (is_listed(name, kTwoValues)) return 2;
  return is_listed(name, kOpenMpiValue) || is_listed(name, kHydraValue) ? 1 : 0;
}

/// The same for srun, whose options are those of getopt: `--name=value` is one word, `-tvalue` too.
std::size_t srun_values(std::string_view option) {
  if (option.starts_with("--"))
    return option.find('=') != std::string_view::npos || is_listed(option.substr(2), kSrunAlone) ? 0 : 1;
  constexpr std::string_view kWithValue = "AaBCcDdeGiJLMmNnoPpqrSTtUWwx";
  return option.size() == 2 && kWithValue.find(option[1]) != std::string_view::npos ? 1 : 0;
}

struct RankOption {
  std::size_t word = 0;
  std::size_t begin = 0;
};

/// Where the number is, if words[at] is the option that gives it.
std::optional<RankOption> rank_option(const Words& words, std::size_t at, bool srun) {
  const std::string& word = words[at];
  if (!srun) return is_listed(word, kMpirunRankOptions) ? std::optional(RankOption{at + 1, 0}) : std::nullopt;
  if (word == "-n" || word == "--ntasks") return RankOption{at + 1, 0};
  constexpr std::string_view kLong = "--ntasks=";
  if (word.starts_with(kLong)) return RankOption{at, kLong.size()};
  if (word.starts_with("-n")) return RankOption{at, 2};
  return std::nullopt;
}

int parse_ranks(std::string_view text) {
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error != std::errc() || end != text.data() + text.size() || ranks < 1)
    throw CommandError(fmt::format("'{}' is not a number of ranks", text));
  return ranks;
}

/// The first word that names a launcher. Wrappers and their options (timeout -k 5 60, env A=B) come before it.
std::size_t find_launcher(const Words& words) {
  const auto found =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return is_launcher(word); });
  if (found == words.end())
    throw CommandError(fmt::format("no mpirun, mpiexec or srun in the command: {}", fmt::join(words, " ")));
  return static_cast<std::size_t>(found - words.begin());
}

bool is_recovery_fault(std::string_view spec) {
  while (!spec.empty()) {
    const std::size_t comma = std::min(spec.find(','), spec.size());
    if (spec.substr(0, comma) == "where=recovery") return true;
    spec.remove_prefix(std::min(comma + 1, spec.size()));
  }
  return false;
}

/// `arguments` without the faults that restart number `restart` must not repeat.
Words without_old_faults(const Words& arguments, int restart) {
  constexpr std::string_view kOption = "--inject";
  constexpr std::string_view kJoined = "--inject=";
  const auto stays = [restart](std::string_view spec) { return restart == 1 && is_recovery_fault(spec); };
  Words kept;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word.starts_with(kJoined)) {
      if (stays(std::string_view(word).substr(kJoined.size()))) kept.push_back(word);
    } else if (word == kOption && at + 1 < arguments.size()) {
      const std::string& spec = arguments[++at];
      if (stays(spec)) kept.insert(kept.end(), {word, spec});
    } else {
      kept.push_back(word);
    }
  }
  return kept;
}

} // namespace

bool is_launcher(std::string_view word) {
  if (word.find('=') != std::string_view::npos) return false; // env MPI=/usr/bin/mpirun
  const std::string_view name = base_name(word);
  return name == kSrunName || is_listed(name, kMpirunNames);
}

LaunchCommand parse_launch_command(Words words) {
  LaunchCommand command;
  command.launcher = find_launcher(words);
  const std::string launcher = words[command.launcher];
  const bool srun = base_name(launcher) == kSrunName;
  if (std::find(words.begin() + static_cast<std::ptrdiff_t>(command.launcher), words.end(), ":") != words.end())
    throw CommandError("several programs in one job (:) are not supported");

  std::size_t at = command.launcher + 1;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    if (words[at] == "--") {
      ++at;
      break;
    }
    if (const std::optional<RankOption> option = rank_option(words, at, srun)) {
      if (option->word >= words.size()) throw CommandError(fmt::format("{} {} needs a number", launcher, words[at]));
      if (command.ranks > 0) throw CommandError(fmt::format("the number of ranks is given twice to {}", launcher));
      command.rank_word = option->word;
      command.rank_begin = option->begin;
      command.ranks = parse_ranks(std::string_view(words[option->word]).substr(option->begin));
      at = option->word + 1;
    } else {
      at += 1 + (srun ? srun_values(words[at]) : mpirun_values(words[at]));
    }
  }
  if (command.ranks == 0) throw CommandError(fmt::format("{} is not told the number of ranks (-n N)", launcher));
  if (at >= words.size()) throw CommandError(fmt::format("no program in the command: {}", fmt::join(words, " ")));
  command.program = at;
  command.words = std::move(words);
  return command;
}

Words relaunch_words(const LaunchCommand& command, const Relaunch& relaunch) {
  const auto arguments_begin = command.words.begin() + static_cast<std::ptrdiff_t>(command.program) + 1;
  Words result(command.words.begin(), arguments_begin);
  std::string& count = result[command.rank_word];
  count = count.substr(0, command.rank_begin) + std::to_string(relaunch.ranks);

  const Words arguments = without_old_faults(Words(arguments_begin, command.words.end()), relaunch.restart);
  result.insert(result.end(), arguments.begin(), arguments.end());
  if (relaunch.resume && !program_has_option(command, "--resume")) result.emplace_back("--resume");
  return result;
}

std::string program_option(const LaunchCommand& command, std::string_view name) {
  std::string value;
  for (std::size_t i = command.program + 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (word == name && i + 1 < command.words.size()) value = command.words[i + 1];
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      value = word.substr(name.size() + 1);
  }
  return value;
}

bool tolerates_deaths(const LaunchCommand& command) {
  const auto launcher = command.words.begin() + static_cast<std::ptrdiff_t>(command.launcher);
  const auto program = command.words.begin() + static_cast<std::ptrdiff_t>(command.program);
  return std::any_of(launcher, program, [](const std::string& word) { return word.starts_with("--with-ft"); });
}

bool program_has_option(const LaunchCommand& command, std::string_view name) {
  const auto arguments_begin = command.words.begin() + static_cast<std::ptrdiff_t>(command.program) + 1;
  return std::any_of(arguments_begin, command.words.end(), [name](const std::string& word) {
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
  });
}

} // namespace supervise
