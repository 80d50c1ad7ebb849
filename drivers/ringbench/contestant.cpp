#include "contestant.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "mpi_contestant.hpp"

namespace ringbench {
namespace {

using collectives::Algorithm;
using collectives::AllReduceOptions;

/// How a contestant differs from the others.
struct Variant {
  std::string name;
  Algorithm algorithm;
  std::size_t segment_bytes = 0;
  int channels = 0;
};

AllReduceOptions reducer_options(const Options& options, const Variant& variant) {
  AllReduceOptions reducer;
  reducer.algorithm = variant.algorithm;
  reducer.operation = options.operation;
  reducer.reproducible = options.reproducible;
  reducer.exact = options.exact;
  reducer.timeout_seconds = options.timeout_seconds;
  reducer.segment_bytes = variant.segment_bytes > 0 ? variant.segment_bytes : options.segment_bytes;
  reducer.channels = variant.channels > 0 ? variant.channels : options.channels;
  reducer.pretended_node_size = options.node_size;
  reducer.use_shared_memory = !options.messages_only;
  if (options.tuning && variant.algorithm == Algorithm::automatic)
    reducer.tuning =
        std::make_shared<const collectives::TuningTable>(collectives::TuningTable::from_file(*options.tuning));
  return reducer;
}

class OurContestant : public Contestant {
 public:
  OurContestant(const core::Communicator& world, const Options& options, const Variant& variant)
      : options_(options), variant_(variant), reducer_(world, reducer_options(options, variant)) {
    if (options.in_window) memory_ = reducer_.allocate<std::byte>(options.max_bytes).data();
  }

  void run(const Job& job) override {
    switch (options_.collective) {
      case Collective::all_reduce:
        reducer_.all_reduce_erased(job.input, job.output, job.count, options_.type, {});
        break;
      case Collective::reduce_scatter:
        reducer_.reduce_scatter_erased(job.input, job.output, job.count, options_.type, {});
        break;
      case Collective::all_gather:
        reducer_.all_gather_erased(job.input, job.output, job.count, collectives::element_bytes(options_.type));
        break;
    }
  }
  [[nodiscard]] const std::string& name() const override { return variant_.name; }
  [[nodiscard]] std::string runs_as(std::size_t count) const override {
    if (options_.collective != Collective::all_reduce) return std::string(name_of(variant_.algorithm));
    return std::string(name_of(reducer_.algorithm_for(count, options_.type)));
  }
  [[nodiscard]] std::optional<Traffic> traffic() const override {
    return Traffic{reducer_.bytes_sent(), reducer_.steps()};
  }
  [[nodiscard]] std::byte* memory() const override { return memory_; }
  [[nodiscard]] bool can_take(std::size_t) const override { return true; }

 private:
  const Options& options_;
  Variant variant_;
  collectives::AllReducer reducer_;
  std::byte* memory_ = nullptr;
};

/// The name in full, for the short ones.
std::string_view canonical(std::string_view name) {
  if (name == "ring") return "chunked_ring";
  if (name == "naive") return "naive_ring";
  if (name == "auto") return "automatic";
  return name;
}

/// The other collectives have no way of their own for the algorithms that move whole vectors.
bool has_own_way(Collective collective, Algorithm algorithm) {
  return collective == Collective::all_reduce || algorithm == Algorithm::automatic ||
         algorithm == Algorithm::chunked_ring || algorithm == Algorithm::all_to_all ||
         algorithm == Algorithm::shared_memory;
}

Algorithm algorithm_from(const std::string& word, const Options& options) {
  const Algorithm algorithm = collectives::algorithm_named(canonical(word));
  if (!has_own_way(options.collective, algorithm))
    throw core::InputError(
        fmt::format("--algorithms {}: {} has automatic, chunked_ring, all_to_all, shared_memory and mpi", word,
                    name_of(options.collective)));
  return algorithm;
}

/// Would it be the same as another one here?
bool differs_here(Algorithm algorithm, const collectives::Topology& topology) {
  const bool memory = topology.shared_memory;
  if (algorithm == Algorithm::shared_memory) return memory && topology.nodes == 1;
  if (algorithm == Algorithm::hierarchical) return memory && topology.nodes > 1;
  return true;
}

std::vector<Variant> default_variants(const Options& options, const collectives::Topology& topology) {
  std::vector<Variant> variants;
  if (!options.tune) variants.push_back({"automatic", Algorithm::automatic});
  for (const Algorithm algorithm : collectives::all_algorithms()) {
    if (!has_own_way(options.collective, algorithm) || !differs_here(algorithm, topology)) continue;
    variants.push_back({std::string(name_of(algorithm)), algorithm});
  }
  if (!options.tune || topology.shared_memory || options.segment_bytes > 0 || options.channels > 0) return variants;
  // On a network the ring's speed hangs on its segments and on how many messages are on their way at a time.
  for (const std::size_t segment : {std::size_t{32} << 10, std::size_t{128} << 10, std::size_t{512} << 10}) {
    for (const int channels : {1, 4})
      variants.push_back(
          {fmt::format("chunked_ring/{}K/{}", segment >> 10, channels), Algorithm::chunked_ring, segment, channels});
  }
  return variants;
}

} // namespace

std::vector<std::unique_ptr<Contestant>> contestants_of(const core::Communicator& world, const Options& options,
                                                        std::vector<std::string>& remarks) {
  std::vector<std::unique_ptr<Contestant>> contestants;
  const bool with_mpi = mpi_has(options.collective, options.type, options.operation);
  if (options.algorithms.empty()) {
    for (const Variant& variant : default_variants(options, topology_of(world, options)))
      contestants.push_back(std::make_unique<OurContestant>(world, options, variant));
    if (with_mpi)
      contestants.push_back(make_mpi_contestant(world, options));
    else
      remarks.push_back("MPI has no such collective: no comparison");
  }
  for (const std::string& word : options.algorithms) {
    const bool twice = std::ranges::any_of(contestants, [&](const auto& one) { return one->name() == word; });
    if (twice) throw core::InputError(fmt::format("--algorithms: {} is given twice", word));
    if (word != kMpi)
      contestants.push_back(
          std::make_unique<OurContestant>(world, options, Variant{word, algorithm_from(word, options)}));
    else if (with_mpi)
      contestants.push_back(make_mpi_contestant(world, options));
    else
      throw core::InputError(fmt::format("--algorithms mpi: MPI has no {} of {} for {}", name_of(options.collective),
                                         collectives::name_of(options.operation), name_of(options.type)));
  }
  if (options.compare_mpi) {
    if (!with_mpi) throw core::InputError("--compare-mpi: MPI does not have this operation or type");
    for (auto& forced : make_forced_mpi_contestants(world, options)) contestants.push_back(std::move(forced));
  }
  return contestants;
}

collectives::Topology topology_of(const core::Communicator& world, const Options& options) {
  const collectives::AllReducer reducer(world, reducer_options(options, {"automatic", Algorithm::automatic}));
  return reducer.topology();
}

} // namespace ringbench
