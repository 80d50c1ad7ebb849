#include "pregel_timeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"

namespace drivers {

JobTimeline::JobTimeline(const PregelOptions& options, int process, int ranks, core::ThreadTeam& team)
    : path_(options.timeline) {
  if (path_.empty()) return;
  const std::size_t spans = core::Timeline::usual_spans(ranks, options.threads);
  timeline_ = std::make_unique<core::Timeline>(process, options.threads, spans);
  team.observe([this](int thread, auto begin, auto end) { timeline_->add_work(thread, begin, end); });
}

void JobTimeline::start(const core::Communicator& comm) {
  if (!timeline_) return;
  core::agree(comm, [&] {
    if (comm.rank() == 0) core::require_creatable(path_);
  });
  timeline_->start(comm);
}

void JobTimeline::begins(const std::string& algorithm) {
  if (timeline_) timeline_->mark("begins: " + algorithm);
}

void JobTimeline::lost(const std::vector<int>& launcher_ranks, std::uint64_t superstep) {
  if (timeline_)
    timeline_->mark(fmt::format("rank {} lost in superstep {}", fmt::join(launcher_ranks, " and rank "), superstep));
}

void JobTimeline::recovered(int ranks) {
  if (timeline_) timeline_->mark(fmt::format("recovered, on {} ranks", ranks));
}

void JobTimeline::write(const core::Communicator& comm) const {
  if (timeline_) timeline_->write(comm, path_);
}

} // namespace drivers
