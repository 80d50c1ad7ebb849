#include "measurement.hpp"

#include <algorithm>
#include <cmath>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"

namespace ringbench {
namespace {

constexpr int kLeastRounds = 5, kMostRounds = 2000;
/// A sample should last this long: what a clock and a barrier add is then below a hundredth.
constexpr double kSampleSeconds = 2e-4;
constexpr int kMostCalls = 200;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The smallest value that 99 of 100 do not pass.
double percentile_99(std::vector<double> values) {
  const auto at = static_cast<std::ptrdiff_t>(std::ceil(0.99 * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

} // namespace

double traffic_factor(Collective collective, int ranks) noexcept {
  const double one_way = static_cast<double>(ranks - 1) / ranks;
  return collective == Collective::all_reduce ? 2 * one_way : one_way;
}

struct Measuring::Entrant {
  Contestant* contestant;
  Job job;
  double seconds = 0; ///< of a call, roughly
  int calls = 1;      ///< in a sample
  std::vector<double> samples{};
  std::size_t errors = 0;
  std::optional<Traffic> traffic{}; ///< of one call
};

Measuring::Measuring(const core::Communicator& world, const Options& options,
                     std::span<const std::unique_ptr<Contestant>> contestants)
    : world_(world), options_(options), contestants_(contestants), vectors_(options, world.rank(), world.size()) {
  const std::size_t element = collectives::element_bytes(options.type), longest = counts_of(options).back();
  core::agree(world, [&] {
    if (!options.in_place) input_.resize(vectors_.input_count(longest) * element);
    output_.resize(vectors_.output_count(longest) * element);
  });
}

std::vector<Measurement> Measuring::measure(std::size_t count) {
  std::vector<Entrant> entrants;
  for (const auto& contestant : contestants_) {
    if (contestant->can_take(count)) entrants.push_back({contestant.get(), job_for(*contestant, count)});
  }
  if (!options_.in_place) vectors_.fill_input(input_.data(), count);
  for (Entrant& entrant : entrants) {
    verify_once(entrant);
    calibrate(entrant);
  }
  compete(entrants, rounds_for(entrants));
  return conclude(entrants);
}

Job Measuring::job_for(const Contestant& contestant, std::size_t count) {
  if (!options_.in_place) return {input_.data(), output_.data(), count};
  std::byte* const data = contestant.memory() != nullptr ? contestant.memory() : output_.data();
  return {data, data, count};
}

/// So that what lies in the output afterwards is this call's doing.
void Measuring::prepare(const Job& job) const {
  if (options_.in_place)
    vectors_.fill_input(job.output, job.count);
  else
    vectors_.spoil_output(job.output, job.count);
}

/// This rank's seconds of a call. Collective.
double Measuring::time(Contestant& contestant, const Job& job, int calls) const {
  core::barrier(world_);
  const core::Stopwatch watch;
  for (int call = 0; call < calls; ++call) contestant.run(job);
  return watch.seconds() / calls;
}

void Measuring::verify_once(Entrant& entrant) {
  prepare(entrant.job);
  const std::optional<Traffic> before = entrant.contestant->traffic();
  entrant.seconds = time(*entrant.contestant, entrant.job, 1);
  if (const std::optional<Traffic> after = entrant.contestant->traffic())
    entrant.traffic = Traffic{after->bytes_sent - before->bytes_sent, after->steps - before->steps};
  entrant.errors = vectors_.errors(entrant.job.output, entrant.job.count);
}

/// Warms up, and finds out how many calls make a sample: one where each call in place is to be verified, because the
/// next one starts from its result.
void Measuring::calibrate(Entrant& entrant) const {
  constexpr int kFew = 10;
  constexpr double kShort = 1e-3;
  for (int call = 0; call < options_.warmup; ++call) entrant.seconds = time(*entrant.contestant, entrant.job, 1);
  entrant.seconds = core::all_reduce_value(world_, entrant.seconds, core::Reduce::max);
  if (options_.warmup > 0 && entrant.seconds < kShort)
    entrant.seconds = core::all_reduce_value(world_, time(*entrant.contestant, entrant.job, kFew), core::Reduce::max);
  if (options_.in_place && options_.check) return;
  entrant.calls = static_cast<int>(std::clamp(kSampleSeconds / entrant.seconds, 1.0, double{kMostCalls}));
}

int Measuring::rounds_for(std::span<const Entrant> entrants) const {
  if (options_.iterations) return *options_.iterations;
  double round = 0;
  for (const Entrant& entrant : entrants) round += entrant.seconds * entrant.calls;
  return static_cast<int>(std::clamp(options_.seconds / round, double{kLeastRounds}, double{kMostRounds}));
}

void Measuring::compete(std::span<Entrant> entrants, int rounds) const {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < entrants.size(); ++turn) {
      // Another one begins each round, so that nobody always follows the same one.
      Entrant& entrant = entrants[(turn + static_cast<std::size_t>(round)) % entrants.size()];
      if (options_.check) prepare(entrant.job);
      entrant.samples.push_back(time(*entrant.contestant, entrant.job, entrant.calls));
      if (options_.check) entrant.errors += vectors_.errors(entrant.job.output, entrant.job.count);
    }
  }
  for (Entrant& entrant : entrants) core::all_reduce(world_, std::span(entrant.samples), core::Reduce::max);
}

std::vector<Measurement> Measuring::conclude(std::span<Entrant> entrants) const {
  const auto mpi = std::ranges::find_if(entrants, [](const Entrant& one) { return one.contestant->name() == kMpi; });
  std::vector<Measurement> measurements;
  for (const Entrant& entrant : entrants) {
    Measurement m;
    m.algorithm = entrant.contestant->name();
    m.runs_as = entrant.contestant->runs_as(entrant.job.count);
    m.count = entrant.job.count;
    m.bytes = m.count * collectives::element_bytes(options_.type);
    m.median = median_of(entrant.samples);
    m.min = *std::ranges::min_element(entrant.samples);
    m.p99 = percentile_99(entrant.samples);
    m.errors = core::all_reduce_value(world_, entrant.errors, core::Reduce::sum);
    m.rounds = static_cast<int>(entrant.samples.size());
    m.calls_in_a_round = entrant.calls;
    if (mpi != entrants.end()) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < entrant.samples.size(); ++i) ratios.push_back(mpi->samples[i] / entrant.samples[i]);
      m.times_mpi = median_of(std::move(ratios));
    }
    if (entrant.traffic) {
      m.bytes_sent = core::all_gather(world_, entrant.traffic->bytes_sent);
      m.steps = core::all_reduce_value(world_, entrant.traffic->steps, core::Reduce::max);
    }
    measurements.push_back(std::move(m));
  }
  return measurements;
}

} // namespace ringbench
