#include "mpi_contestant.hpp"

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <mpi.h>

#include "core/collectives.hpp"
#include "core/datatype.hpp"
#include "core/error.hpp"

namespace ringbench {
namespace {

using collectives::ElementType;
using collectives::Operation;

MPI_Op mpi_operation(Operation operation) {
  switch (operation) {
    case Operation::product: return MPI_PROD;
    case Operation::min: return MPI_MIN;
    case Operation::max: return MPI_MAX;
    case Operation::bit_and: return MPI_BAND;
    case Operation::bit_or: return MPI_BOR;
    case Operation::sum:
    case Operation::average:
    case Operation::user: break;
  }
  return MPI_SUM;
}

class MpiContestant : public Contestant {
 public:
  MpiContestant(const core::Communicator& world, const Options& options, std::string name)
      : options_(options),
        name_(std::move(name)),
        comm_(world.duplicate()),
        operation_(mpi_operation(options.operation)) {
    type_ = collectives::with_element_type(options.type, []<class T>() { return core::datatype_of<T>(); });
  }

  void run(const Job& job) override {
    switch (options_.collective) {
      case Collective::all_reduce: all_reduce(job); break;
      case Collective::reduce_scatter:
        find_chunks(job.count);
        core::check_mpi(MPI_Reduce_scatter(job.input, job.output, counts_.data(), type_, operation_, comm_.native()),
                        "MPI_Reduce_scatter");
        break;
      case Collective::all_gather:
        find_chunks(job.count);
        core::check_mpi(MPI_Allgatherv(job.input, counts_[static_cast<std::size_t>(comm_.rank())], type_, job.output,
                                       counts_.data(), offsets_.data(), type_, comm_.native()),
                        "MPI_Allgatherv");
        break;
    }
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::string runs_as(std::size_t) const override { return name_; }
  [[nodiscard]] bool can_take(std::size_t count) const override {
    return options_.collective == Collective::all_reduce || count <= std::numeric_limits<int>::max();
  }

 private:
  void all_reduce(const Job& job) {
    const std::size_t element = collectives::element_bytes(options_.type);
    core::for_each_piece(job.count, [&](std::size_t first, int length) {
      const void* const input = job.input == job.output ? MPI_IN_PLACE : job.input + first * element;
      core::check_mpi(MPI_Allreduce(input, job.output + first * element, length, type_, operation_, comm_.native()),
                      "MPI_Allreduce");
    });
  }
  void find_chunks(std::size_t count) {
    if (count == chunks_of_ && !counts_.empty()) return;
    counts_.clear();
    offsets_.clear();
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const collectives::Chunk chunk = collectives::chunk_of(count, comm_.size(), rank);
      counts_.push_back(static_cast<int>(chunk.count));
      offsets_.push_back(static_cast<int>(chunk.first));
    }
    chunks_of_ = count;
  }

  const Options& options_;
  std::string name_;
  core::Communicator comm_;
  MPI_Op operation_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<int> counts_, offsets_;
  std::size_t chunks_of_ = 0;
};

/// A control variable of the MPI library, of type int. Local.
class ControlVariable {
 public:
  explicit ControlVariable(const char* name) {
    int provided = 0, index = 0, count = 0;
    core::check_mpi(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
    found_ = MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
             MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) == MPI_SUCCESS;
  }
  ~ControlVariable() {
    if (found_) MPI_T_cvar_handle_free(&handle_);
    MPI_T_finalize();
  }
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  [[nodiscard]] bool set(int value) { return found_ && MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }

 private:
  bool found_ = false;
  MPI_T_cvar_handle handle_{};
};

} // namespace

void allow_forced_mpi_algorithms(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--compare-mpi") setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  }
}

bool mpi_has(Collective collective, ElementType type, Operation operation) {
  const bool known_type = type != ElementType::f16 && type != ElementType::bf16;
  return known_type && (collective == Collective::all_gather || operation != Operation::average);
}

std::unique_ptr<Contestant> make_mpi_contestant(const core::Communicator& world, const Options& options) {
  return std::make_unique<MpiContestant>(world, options, kMpi);
}

std::vector<std::unique_ptr<Contestant>> make_forced_mpi_contestants(const core::Communicator& world,
                                                                     const Options& options) {
  constexpr std::pair<int, const char*> kForced[] = {
      {3, "mpi_recursive_doubling"}, {4, "mpi_ring"}, {5, "mpi_segmented_ring"}, {6, "mpi_rabenseifner"}};
  constexpr int kSegmentBytes = 1 << 20; // Open MPI's own choice where it takes the segmented ring
  ControlVariable algorithm("coll_tuned_allreduce_algorithm"), segment("coll_tuned_allreduce_algorithm_segmentsize");
  std::vector<std::unique_ptr<Contestant>> contestants;
  for (const auto& [number, name] : kForced) {
    if (!algorithm.set(number) || !segment.set(kSegmentBytes))
      throw core::InputError(
          "--compare-mpi: this MPI has no algorithms that can be forced (Open MPI's coll/tuned has)");
    contestants.push_back(std::make_unique<MpiContestant>(world, options, name));
  }
  constexpr int kChooseBySize = 0;
  if (!algorithm.set(kChooseBySize) || !segment.set(0)) throw core::Error("an MPI control variable cannot be reset");
  return contestants;
}

} // namespace ringbench
