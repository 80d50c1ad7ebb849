// The timeline of a pregel job (--timeline): which of its phases and events are drawn. Without the option every
// function does nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "core/timeline.hpp"
#include "pregel_options.hpp"

namespace drivers {

class JobTimeline {
 public:
  /// `process`: this rank's number in the picture, of `ranks`. `team` tells of its work from now on. Local.
  JobTimeline(const PregelOptions& options, int process, int ranks, core::ThreadTeam& team);

  /// Begins; InputError if the file cannot be created. Collective.
  void start(const core::Communicator& comm);

  /// A phase of this rank in which `work` is done. As collective as the work.
  template <class F>
  void in_phase(core::Timeline::Kind kind, F&& work) {
    const core::Stopwatch watch;
    if (timeline_) timeline_->working_for(kind);
    work();
    if (timeline_) timeline_->add(kind, watch.seconds(), core::Timeline::Clock::now());
  }

  // What happened just now. Local.
  void begins(const std::string& algorithm);
  void lost(const std::vector<int>& launcher_ranks, std::uint64_t superstep);
  void recovered(int ranks);

  /// Writes the file. Collective.
  void write(const core::Communicator& comm) const;

  /// For the engine, which adds its supersteps; null without the option.
  [[nodiscard]] core::Timeline* get() const noexcept { return timeline_.get(); }

 private:
  std::string path_;
  std::unique_ptr<core::Timeline> timeline_;
};

} // namespace drivers
