#include "ps/training/training_spectator.hpp"

#include <array>
#include <bit>

#include "core/runtime.hpp"

namespace ps {
namespace {

constexpr std::size_t kWords = 16;
using Words = std::array<std::int64_t, kWords>;

/// Numbers to words and back: one list of fields for both directions.
template <class Progress, class Visit>
void visit_fields(Progress& p, Visit&& visit) {
  visit(0, p.gradients);
  visit(1, p.wait_seconds);
  visit(2, p.messages);
  visit(3, p.bytes_pushed);
  visit(4, p.bytes_pulled);
  visit(5, p.resident_bytes);
  visit(6, p.leads);
  visit(7, p.lead_max);
  visit(8, p.lead_mean);
  visit(9, p.staleness_seen);
  visit(10, p.staleness_max);
  visit(11, p.staleness_mean);
  visit(12, p.losses);
  visit(13, p.loss.seconds);
  visit(14, p.loss.gradients);
  visit(15, p.loss.loss);
}

Words to_words(const RankProgress& progress) {
  Words words{};
  visit_fields(progress, [&](std::size_t i, auto field) { words[i] = std::bit_cast<std::int64_t>(field); });
  return words;
}

RankProgress from_words(std::span<const std::int64_t> words) {
  RankProgress progress;
  visit_fields(progress, [&]<class Field>(std::size_t i, Field& field) { field = std::bit_cast<Field>(words[i]); });
  return progress;
}

} // namespace

ProgressBoard::ProgressBoard(const core::Communicator& comm, const Roles& roles, const Measurements& measured,
                             const std::vector<LossPoint>& curve, TrainingSpectator& spectator)
    : rank_(comm.rank()),
      ranks_(static_cast<std::size_t>(comm.size())),
      workers_(roles.workers_of(rank_)),
      measured_(measured),
      curve_(curve),
      spectator_(spectator),
      window_(comm, rank_ == 0 ? kWords * ranks_ : 0) {}

void ProgressBoard::begin(std::uint64_t done) {
  done_before_ = done * workers_.size();
  counted_before_ = measured_.gradients;
  waited_before_ = waited();
}

double ProgressBoard::waited() const {
  double seconds = 0;
  for (const std::size_t worker : workers_) seconds += measured_.wait_seconds[worker];
  return seconds;
}

RankProgress ProgressBoard::mine() const {
  RankProgress p;
  p.gradients = done_before_ + measured_.gradients - counted_before_;
  p.wait_seconds = waited() - waited_before_;
  p.messages = measured_.messages;
  p.bytes_pushed = measured_.bytes_pushed;
  p.bytes_pulled = measured_.bytes_pulled;
  p.resident_bytes = core::resident_bytes();
  p.leads = measured_.clock_lead.count();
  p.lead_max = measured_.clock_lead.max();
  p.lead_mean = measured_.clock_lead.mean();
  p.staleness_seen = measured_.version_staleness.count();
  p.staleness_max = measured_.version_staleness.max();
  p.staleness_mean = measured_.version_staleness.mean();
  p.losses = curve_.size();
  if (!curve_.empty()) p.loss = curve_.back();
  return p;
}

void ProgressBoard::post_and_tell() {
  const Words words = to_words(mine());
  window_.accumulate(words, 0, kWords * static_cast<std::size_t>(rank_), core::RmaOperation::replace);
  window_.flush(0);
  if (rank_ == 0) {
    std::vector<std::int64_t> all(kWords * ranks_);
    window_.atomic_get(all, 0, 0);
    window_.flush(0);
    std::vector<RankProgress> ranks;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      ranks.push_back(from_words(std::span<const std::int64_t>(all).subspan(kWords * rank, kWords)));
    spectator_.progress(ranks);
  }
  since_post_ = core::Stopwatch();
}

} // namespace ps
