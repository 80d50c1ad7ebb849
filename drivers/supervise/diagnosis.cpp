// Banners, as seen (line breaks fall anywhere, so a banner's lines are joined before it is read):
//
//   Open MPI 4   mpirun noticed that process rank 2 with PID 0 on node n exited on signal 9 (Killed).
//                Process name: [[17312,1],2]   Exit code:    3
//                MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD with errorcode 7.
//   Open MPI 5   prterun noticed that process rank 2 with PID 77 on node n exited on signal 9 (Killed).
//                Process name: [prterun-n-12246@1,2]   Exit code:    3
//                MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD   Proc: [[4,1],2]   Errorcode: 7
//   MPICH        =   RANK 2 PID 77 RUNNING AT n   =   KILLED BY SIGNAL: 9 (Killed)   or   =   EXIT CODE: 9
//   Slurm        srun: error: n: task 2: Killed      srun: error: n: tasks 0-1,3: Exited with exit code 1
//   ours         [rank 2] pregel: error: no space left      pregel: error: … (on rank 2)      rank 2 …: silent …
#include "diagnosis.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/wait.h>

namespace supervise {
namespace {

constexpr std::size_t kLongestLine = 4096; // more of a line is not looked at
constexpr int kBannerLines = 6;
constexpr std::size_t kMostWords = 64; // ranks whose errors are remembered

/// The number behind `marker`; blanks between them do not matter.
std::optional<int> number_after(std::string_view text, std::string_view marker) {
  const std::size_t found = text.find(marker);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + marker.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

/// "2", "0-1,3", "2, 3 and 5" at the beginning of `text`. Ends at the first word that is no number.
std::set<int> rank_list(std::string_view text) {
  constexpr int kMostInRange = 1 << 20;
  std::set<int> ranks;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with("and ")) text.remove_prefix(4);
    int first = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    if (error != std::errc() || first < 0) return ranks;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    int last = first;
    if (text.starts_with("-")) {
      const auto [range_end, range_error] = std::from_chars(text.data() + 1, text.data() + text.size(), last);
      if (range_error != std::errc() || last < first || last - first > kMostInRange) return ranks;
      text.remove_prefix(static_cast<std::size_t>(range_end - text.data()));
    }
    for (int rank = first; rank <= last; ++rank) ranks.insert(rank);
  }
}

/// The ranks behind the word "rank" or "ranks", not behind "subrank" or the like.
std::set<int> named_ranks(std::string_view text) {
  for (std::size_t at = text.find("rank"); at != std::string_view::npos; at = text.find("rank", at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) continue;
    std::string_view rest = text.substr(at + 4);
    if (rest.starts_with("s")) rest.remove_prefix(1);
    if (!rest.starts_with(" ")) continue;
    if (std::set<int> ranks = rank_list(rest); !ranks.empty()) return ranks;
  }
  return {};
}

std::set<int> set_of(std::optional<int> rank) {
  return rank ? std::set<int>{*rank} : std::set<int>{};
}

/// The rank in "Process name: [[17312,1],2]" or "[prterun-n-12246@1,2]": the last number.
std::optional<int> rank_of_process_name(std::string_view text) {
  constexpr std::string_view kMarker = "Process name:";
  const std::size_t found = text.find(kMarker);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found);
  text = text.substr(0, text.find(' ', kMarker.size() + 1));
  const std::size_t comma = text.rfind(',');
  return comma == std::string_view::npos ? std::nullopt : number_after(text.substr(comma), ",");
}

/// Does a banner of several lines begin here?
bool begins_banner(std::string_view line) {
  return line.find("process rank ") != std::string_view::npos || line.find("Process name:") != std::string_view::npos ||
         line.find("MPI_ABORT was invoked") != std::string_view::npos;
}

std::string exit_text(int code) {
  // Shells and launchers report a death by signal as 128 + signal.
  if (code > 128 && code <= 128 + SIGRTMAX) return fmt::format("exit code {}, {}", code, signal_text(code - 128));
  return fmt::format("exit code {}", code);
}

} // namespace

std::string signal_text(int signal) {
  const char* const name = strsignal(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("signal {} ({})", signal, name);
}

std::string Failure::who() const {
  if (ranks.empty()) return "the job failed";
  return fmt::format("rank{} {} failed", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

void Diagnosis::read(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line_.append(text.substr(0, std::min(end, kLongestLine - std::min(kLongestLine, line_.size()))));
    if (end == std::string_view::npos) return;
    read_line(line_);
    line_.clear();
    text.remove_prefix(end + 1);
  }
}

void Diagnosis::read_line(std::string_view line) {
  if (begins_banner(line)) {
    banner_.clear();
    banner_lines_left_ = kBannerLines;
  }
  if (banner_lines_left_ > 0) {
    --banner_lines_left_;
    banner_.append(" ").append(line);
    read_banner(banner_);
  }
  read_mpich(line);
  read_slurm(line);
  read_own_words(line);
}

void Diagnosis::read_banner(std::string_view text) {
  const std::set<int> noticed = set_of(number_after(text, "process rank "));
  const std::set<int> blamed = set_of(number_after(text, "exited due to process rank"));
  const std::optional<int> aborting = number_after(text, "MPI_ABORT was invoked on rank");
  const std::optional<int> exited = rank_of_process_name(text);
  bool complete = true;
  if (const auto signal = number_after(text, "exited on signal"); signal && !noticed.empty()) {
    found(Evidence::killed, noticed, "killed by " + signal_text(*signal));
  } else if (const auto code = number_after(text, "exited with code"); code && !noticed.empty()) {
    found(Evidence::exited, noticed, exit_text(*code));
  } else if (const auto with = number_after(text, "Exit code:"); with && exited) {
    found(Evidence::exited, set_of(exited), exit_text(*with));
  } else if (const auto joined = number_after(text, "with errorcode"); joined && aborting) {
    found(Evidence::aborted, set_of(aborting), fmt::format("called MPI_Abort({})", *joined));
  } else if (const auto listed = number_after(text, "Errorcode:"); listed && aborting) {
    found(Evidence::aborted, set_of(aborting), fmt::format("called MPI_Abort({})", *listed));
  } else if (!blamed.empty() && text.find("exiting improperly") != std::string_view::npos) {
    found(Evidence::exited, blamed, "ended without MPI_Finalize");
  } else {
    complete = false;
  }
  if (complete) banner_lines_left_ = 0;
}

void Diagnosis::read_mpich(std::string_view line) {
  if (!line.starts_with("=   ")) return;
  if (const auto rank = number_after(line, " RANK ")) mpich_rank_ = rank;
  if (const auto code = number_after(line, "EXIT CODE:"))
    found(Evidence::exited, set_of(mpich_rank_), exit_text(*code));
  if (const auto signal = number_after(line, "KILLED BY SIGNAL:"))
    found(Evidence::killed, set_of(mpich_rank_), "killed by " + signal_text(*signal));
}

void Diagnosis::read_slurm(std::string_view line) {
  if (line.find("Terminating StepId") != std::string_view::npos ||
      line.find(" CANCELLED AT ") != std::string_view::npos) {
    slurm_cleans_up_ = true;
    return;
  }
  if (!line.starts_with("srun: error:") || (slurm_cleans_up_ && evidence_ != Evidence::none)) return;
  for (const std::string_view marker : {": task ", ": tasks "}) {
    const std::size_t task = line.find(marker);
    if (task == std::string_view::npos) continue;
    const std::set<int> ranks = rank_list(line.substr(task + marker.size()));
    const std::size_t colon = line.find(": ", task + marker.size());
    if (ranks.empty() || colon == std::string_view::npos) continue;
    const std::string_view how = line.substr(colon + 2);
    if (const auto code = number_after(how, "exit code")) {
      found(Evidence::exited, ranks, exit_text(*code));
    } else if (!(how.starts_with("Terminated") && evidence_ != Evidence::none)) {
      found(Evidence::killed, ranks, std::string(how));
    }
  }
}

void Diagnosis::read_own_words(std::string_view line) {
  if (line.find(": silent") != std::string_view::npos || line.find(" silent ") != std::string_view::npos ||
      line.ends_with(" silent")) {
    std::string_view text = line;
    if (text.starts_with("[rank ")) text.remove_prefix(std::min(text.find(']'), text.size())); // the one who says it
    if (const std::set<int> ranks = named_ranks(text); !ranks.empty()) return found(Evidence::silent, ranks, "silent");
  }
  constexpr std::string_view kError = ": error: ";
  const std::size_t error = line.find(kError);
  if (error == std::string_view::npos) return;
  const std::string words(line.substr(error + kError.size()));
  if (const auto agreed = number_after(words, "(on rank ")) return found(Evidence::agreed, {*agreed}, words);
  if (!line.starts_with("[rank ")) return;
  const std::optional<int> rank = number_after(line, "[rank ");
  if (!rank) return;
  if (words_.size() < kMostWords) words_.emplace(*rank, words);
  found(Evidence::error, {*rank}, words);
}

void Diagnosis::found(Evidence evidence, const std::set<int>& ranks, const std::string& how) {
  if (evidence > evidence_) return;
  if (evidence < evidence_) {
    // A stronger witness that names nobody, such as MPICH's, leaves the ranks that others have named.
    failure_ = {.ranks = ranks.empty() ? failure_.ranks : ranks, .how = how};
    evidence_ = evidence;
    return;
  }
  // Several deaths add up. Errors and aborts do not: the first one has set off the others.
  if (evidence == Evidence::killed || evidence == Evidence::silent) failure_.ranks.insert(ranks.begin(), ranks.end());
}

Failure Diagnosis::conclude(int wait_status) {
  if (!line_.empty()) read_line(line_);
  line_.clear();
  if (evidence_ == Evidence::none)
    failure_.how = WIFSIGNALED(wait_status) ? "the launcher was killed by " + signal_text(WTERMSIG(wait_status))
                                            : exit_text(WEXITSTATUS(wait_status));
  // Ranks that ended with an exit code may all have done so for one reason, such as a full disk: that costs one of
  // them.
  if (evidence_ == Evidence::killed || evidence_ == Evidence::silent)
    failure_.lost = std::max(1, static_cast<int>(failure_.ranks.size()));
  if ((evidence_ == Evidence::exited || evidence_ == Evidence::aborted) && failure_.ranks.size() == 1)
    if (const auto said = words_.find(*failure_.ranks.begin()); said != words_.end())
      failure_.how += ": " + said->second;
  return failure_;
}

} // namespace supervise
