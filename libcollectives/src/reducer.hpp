// What is behind AllReducer: the communicator, the memory of the node, and the calls that are running.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/hierarchical.hpp"
#include "call.hpp"
#include "core/window.hpp"
#include "messages.hpp"
#include "node_memory.hpp"

namespace collectives::detail {

/// A collective as the user asked for it.
struct Order {
  Kind kind = Kind::all_reduce;
  ElementType type = ElementType::opaque;
  std::size_t element_bytes = 0;
  std::optional<Operation> operation;     ///< that of the options if left out
  const UserFunction* function = nullptr; ///< for opaque elements
  std::span<const void* const> addends;
  void* output = nullptr;
  std::size_t count = 0;
  const WorkerLayout* layout = nullptr;
};

class Reducer final : public Surroundings {
 public:
  /// Collective.
  Reducer(const core::Communicator& comm, AllReduceOptions options);
  /// Collective, unless an error has made the reducer unusable: then everything that would wait for others is left to
  /// the end of the process.
  ~Reducer() override;
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  void run(const Order& order);
  [[nodiscard]] Call& start(const Order& order);
  /// True when the call has ended; it is then given back, and what it threw is thrown.
  [[nodiscard]] bool test(Call& call);
  void wait(Call& call);
  /// Ends the call without its end: an exception is passing.
  void abandon(Call& call) noexcept;
  [[nodiscard]] void* allocate(std::size_t bytes);

  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int size() const noexcept { return comm_.size(); }
  [[nodiscard]] const AllReduceOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] std::size_t bytes_sent() const noexcept { return bytes_sent_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  /// What a call uses: algorithm, segments, channels.
  [[nodiscard]] TuningRow choose(Kind kind, ElementType type, Operation operation, std::size_t bytes) const;

  /// The coroutine of the call's algorithm.
  [[nodiscard]] Task task_for(Call& call);

  void move_on(Call& waiting) override;
  [[nodiscard]] std::chrono::microseconds longest_sleep() const noexcept override;
  void announce(const Call& waiting) override;
  [[noreturn]] void give_up(const Call& waiting, std::vector<int> missing) override;

 private:
  /// Memory that the user allocated, where the ranks of the node have it.
  struct Allocation {
    std::unique_ptr<core::SharedWindow<std::byte>> window;
    std::vector<std::byte*> parts;             ///< where each rank's begins
    std::unique_ptr<std::max_align_t[]> plain; ///< where the ranks do not share a node
    std::size_t bytes = 0;
  };

  [[nodiscard]] Algorithm possible(Algorithm wanted, Kind kind, bool sees_all_addends) const;
  void require_equal_options() const;
  void require_possible() const;
  void find_topology();
  [[nodiscard]] std::unique_ptr<core::SharedWindow<std::byte>> open_window(std::size_t bytes,
                                                                           std::string& reason) const;
  void open_node_memory();
  [[nodiscard]] std::vector<std::byte*> aligned_parts(const core::SharedWindow<std::byte>& window) const;
  void find_ranks_across_nodes();

  [[nodiscard]] Call& take_call();
  void give_back(Call& call) noexcept;
  void prepare(Call& call, const Order& order);
  void begin(Call& call, bool blocking);
  [[nodiscard]] bool fits_blocks(const Call& call) const noexcept;
  void scale_addends(Call& call);
  void find_window(Call& call);
  /// Counts what the call has done, gives it back, throws what it threw.
  void conclude(Call& call);
  template <class F>
  void or_abandon(Call& call, F&& f);
  void await_tags_of(std::uint64_t number);
  void advance_others(const Call* waiting);
  void note_failure(const Call& call);
  void poke_mpi() const;
  void require_usable() const;
  [[nodiscard]] std::vector<int> not_heard_of(std::uint64_t call_number);
  [[nodiscard]] bool everybody_on_node() const noexcept { return topology_.nodes == 1 && node_.has_value(); }

  core::Communicator comm_;
  AllReduceOptions options_;
  Topology topology_;
  Group everybody_;
  std::optional<core::Communicator> node_comm_, across_comm_;
  std::unique_ptr<core::SharedWindow<std::byte>> node_window_;
  std::optional<NodeMemory> node_;    ///< absent where no rank shares memory with another, or nothing uses it
  std::size_t least_block_share_ = 0; ///< bytes of a block for each rank of the node, on the node with the least
  AcrossNodes across_;
  std::vector<Allocation> allocations_;

  std::vector<std::unique_ptr<Call>> calls_; ///< all that were ever needed
  std::vector<Call*> idle_, running_;        ///< running: in the background
  std::uint64_t calls_started_ = 0;
  std::uint64_t announced_ = 0;               ///< what announce() sends
  std::vector<std::uint64_t> calls_heard_of_; ///< by rank: one more than the latest call that it has announced
  std::size_t bytes_sent_ = 0, steps_ = 0;
  std::string broken_; ///< what went wrong; empty while all is well
};

} // namespace collectives::detail
