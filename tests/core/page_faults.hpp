// How many pages each thread of a team has touched first, by the kernel's count of its page faults. With huge pages a
// fault may stand for 2 MiB, so tests that count go without.
#pragma once

#include <vector>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core/huge_vector.hpp"
#include "core/thread_team.hpp"

namespace core {

/// No huge pages in this process for as long as it lives.
class SmallPages {
 public:
  SmallPages() { (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
  ~SmallPages() { (void)prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
};

/// Minor page faults of the calling thread.
[[nodiscard]] inline long faults_of_this_thread() {
  rusage usage{};
#ifdef RUSAGE_THREAD
  (void)getrusage(RUSAGE_THREAD, &usage);
#endif
  return usage.ru_minflt;
}

[[nodiscard]] inline std::vector<long> faults_of_threads(ThreadTeam& team) {
  std::vector<long> faults(static_cast<std::size_t>(team.size()));
  team.run([&](int thread) { faults[static_cast<std::size_t>(thread)] = faults_of_this_thread(); });
  return faults;
}

/// False where a fresh page costs no fault that is counted (emulated kernels), or others are counted with it (the
/// shadow memory of a sanitizer).
[[nodiscard]] inline bool counts_faults_of_threads() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#endif
  const long before = faults_of_this_thread();
  const HugeArray<char> fresh(kHugePage);
  for (std::size_t at = 0; at < fresh.size(); at += 4096) *static_cast<volatile char*>(&fresh[at]) = 1;
  return faults_of_this_thread() > before;
}

} // namespace core
