// Why did the job fail? Reads what it writes to standard error and recognises what Open MPI, MPICH, Slurm and our own
// programs say when a rank dies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace supervise {

/// What is known of a failure.
struct Failure {
  std::set<int> ranks; ///< those that failed of themselves; empty when nobody named one
  std::string how;     ///< "killed by signal 9 (Killed)", "exit code 3", "silent", or the program's own words
  int lost = 1;        ///< by how many ranks the job should shrink: dead or silent ones, at least 1

  /// "rank 2 failed" or "the job failed".
  [[nodiscard]] std::string who() const;
};

/// "signal 9 (Killed)"
[[nodiscard]] std::string signal_text(int signal);

/// Collects evidence. When several lines speak of one failure, the one closest to the cause counts, in this order: a
/// rank was found silent (and may have been killed for that); the launcher saw a signal; the ranks agreed on whose
/// error it is; the launcher saw an exit code; a rank printed an error; a rank called MPI_Abort, perhaps only the one
/// to notice.
class Diagnosis {
 public:
  /// More of the job's standard error; lines may be cut anywhere.
  void read(std::string_view text);

  /// The failure, given how the launcher ended (the status of waitpid). Ends the last line.
  [[nodiscard]] Failure conclude(int wait_status);

 private:
  enum class Evidence { silent, killed, agreed, exited, error, aborted, none };

  void read_line(std::string_view line);
  void read_banner(std::string_view text);
  void read_mpich(std::string_view line);
  void read_slurm(std::string_view line);
  void read_own_words(std::string_view line);
  void found(Evidence evidence, const std::set<int>& ranks, const std::string& how);

  std::string line_;   // begun, not yet ended
  std::string banner_; // a banner of several lines, joined
  int banner_lines_left_ = 0;
  std::optional<int> mpich_rank_;
  bool slurm_cleans_up_ = false;     // what dies from here on was killed by Slurm
  std::map<int, std::string> words_; // the first error that a rank printed
  Evidence evidence_ = Evidence::none;
  Failure failure_;
};

} // namespace supervise
