// Processes below this one, from /proc. With the kernel's "child subreaper" a process whose parent dies becomes a child
// of ours, so all that a job has started stays in sight, in whatever session or process group.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace supervise {

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  std::string name;   ///< as in /proc/ID/comm: up to 15 characters
  bool ended = false; ///< a zombie: its parent has not yet asked how it ended
};

/// Orphans among our descendants become our children from now on.
void adopt_orphans();

/// All processes below `root`, without it, parents before their children.
[[nodiscard]] std::vector<Process> descendants(pid_t root);

/// The process that launches ranks, given the first process of the job, which may be a wrapper around it; `root` itself
/// when none is found.
[[nodiscard]] pid_t find_launcher_process(pid_t root);

} // namespace supervise
