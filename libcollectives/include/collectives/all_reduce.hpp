// All-reduce: every rank brings a vector of the same length and gets the element-wise sum (or another operation) of all
// of them. Nine algorithms behind one class, none of which calls MPI_Allreduce.
//
//   collectives::AllReducer reducer(world);                  // once, on all ranks
//   reducer.all_reduce(std::span(gradients));                // in place, any number of times
//   auto handle = reducer.start_all_reduce(std::span(more)); // or in the background
//
// What can be relied on:
// - All ranks end with the same bits, and so does every repetition.
// - `reproducible` folds each element in the order of ranks 0 .. m-1 (of workers 0 .. W-1), whatever the algorithm.
//   shared_memory, all_to_all and naive_ring always do; the others then take all_to_all's way.
// - `exact` sums floating-point numbers without any rounding but the last, so that the bits do not depend on how the
//   addends are spread over ranks, nor on their order. shared_memory and all_to_all can; the others take the latter's
//   way.
// - Counts are std::size_t; what passes an int is cut.
// - Ranks that do not agree on what they call get an error that names ranks and values (`check`; costs one exchange of
//   a few bytes for messages, nothing that shows in shared memory); a rank that does not come is named after
//   `timeout_seconds`. After an error the reducer is unusable, and says so.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/element.hpp"
#include "collectives/operation.hpp"
#include "collectives/worker_layout.hpp"
#include "core/communicator.hpp"
#include "core/datatype.hpp"
#include "core/error.hpp"

namespace collectives {

/// True in debug builds of the library.
[[nodiscard]] bool check_by_default() noexcept;

/// The same on all ranks; the constructor of AllReducer verifies that. Zero stands for a measured default.
struct AllReduceOptions {
  Algorithm algorithm = Algorithm::automatic;
  Operation operation = Operation::sum;
  bool reproducible = false;
  bool exact = false;
  bool check = check_by_default();
  double timeout_seconds = 600;              ///< of silence until a rank is given up; 0: wait for ever
  std::size_t segment_bytes = 0;             ///< of a message, in algorithms that cut vectors into segments
  int channels = 0;                          ///< messages per neighbour at a time (chunked_ring.hpp), at most 16
  std::size_t block_bytes = 0;               ///< what a rank puts into shared memory at a time
  std::size_t small_bytes = 0;               ///< vectors up to this size are folded by every rank of a node
  int pretended_node_size = 0;               ///< take this many consecutive ranks as a node (for tests); 0: ask MPI
  bool use_shared_memory = true;             ///< false: as if each rank had a node of its own
  std::shared_ptr<const TuningTable> tuning; ///< null: the built-in rules
};

/// A rank has not come within the time-out.
class SilentRankError : public core::Error {
 public:
  SilentRankError(const std::string& message, std::vector<int> ranks) : Error(message), ranks_(std::move(ranks)) {}
  /// Those not heard of, ascending.
  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }

 private:
  std::vector<int> ranks_;
};

/// `count` elements in as many chunks as there are ranks, consecutive, their lengths differing by at most one.
struct Chunk {
  std::size_t first;
  std::size_t count;
};
[[nodiscard]] Chunk chunk_of(std::size_t count, int ranks, int rank) noexcept;

namespace detail {
class Reducer;
struct Call;
} // namespace detail

/// A started all-reduce. Its buffers must stay in place, untouched, until it is complete. Not thread-safe, like its
/// reducer, which must outlive it. Move-only.
class AllReduceHandle {
 public:
  AllReduceHandle() = default;
  AllReduceHandle(AllReduceHandle&& other) noexcept;
  AllReduceHandle& operator=(AllReduceHandle&& other) noexcept;
  /// Completes it, unless an exception is passing.
  ~AllReduceHandle();

  /// True when complete (and for an empty handle). Moves all operations of the reducer on. Throws what went wrong.
  [[nodiscard]] bool test();
  void wait();

 private:
  friend class AllReducer;
  AllReduceHandle(detail::Reducer& reducer, detail::Call& call);

  detail::Reducer* reducer_ = nullptr;
  detail::Call* call_ = nullptr;
  int exceptions_ = 0;
};

/// All functions are collective unless marked Local: all ranks call the same ones in the same order, with equal counts,
/// types and operations. Not thread-safe.
class AllReducer {
 public:
  /// Duplicates `comm` and finds out who shares memory with whom. Throws on all ranks when options differ, or when the
  /// algorithm cannot run here (shared_memory across nodes; no room in /dev/shm, where `automatic` uses messages).
  explicit AllReducer(const core::Communicator& comm, AllReduceOptions options = {});
  ~AllReducer();
  AllReducer(const AllReducer&) = delete;
  AllReducer& operator=(const AllReducer&) = delete;

  // `operation` is that of the options if it is left out.

  /// In place.
  template <Element T>
  void all_reduce(std::span<T> data, std::optional<Operation> operation = {}) {
    all_reduce_erased(data.data(), data.data(), data.size(), element_type_of<T>(), operation);
  }
  /// `input` and `output` have equal lengths and are the same memory or do not overlap.
  template <Element T>
  void all_reduce(std::span<const T> input, std::span<T> output, std::optional<Operation> operation = {}) {
    require_equal_lengths(input.size(), output.size());
    all_reduce_erased(input.data(), output.data(), input.size(), element_type_of<T>(), operation);
  }
  /// By a function of the user, on any trivially copyable type.
  template <core::Transferable T>
  void all_reduce(std::span<T> data, const UserFunction& function) {
    all_reduce_erased(data.data(), data.data(), data.size(), sizeof(T), function);
  }
  template <core::Transferable T>
  void all_reduce(std::span<const T> input, std::span<T> output, const UserFunction& function) {
    require_equal_lengths(input.size(), output.size());
    all_reduce_erased(input.data(), output.data(), input.size(), sizeof(T), function);
  }

  /// The same in the background: communication advances in test() and wait() of any handle of this reducer, and in its
  /// blocking calls.
  template <Element T>
  [[nodiscard]] AllReduceHandle start_all_reduce(std::span<T> data, std::optional<Operation> operation = {}) {
    return start_all_reduce_erased(data.data(), data.data(), data.size(), element_type_of<T>(), operation);
  }
  template <Element T>
  [[nodiscard]] AllReduceHandle start_all_reduce(std::span<const T> input, std::span<T> output,
                                                 std::optional<Operation> operation = {}) {
    require_equal_lengths(input.size(), output.size());
    return start_all_reduce_erased(input.data(), output.data(), input.size(), element_type_of<T>(), operation);
  }
  template <core::Transferable T>
  [[nodiscard]] AllReduceHandle start_all_reduce(std::span<T> data, const UserFunction& function) {
    return start_all_reduce_erased(data.data(), data.data(), data.size(), sizeof(T), function);
  }

  /// Each rank gets its chunk_of() the result; `input` stays as it is.
  template <Element T>
  void reduce_scatter(std::span<const T> input, std::span<T> chunk, std::optional<Operation> operation = {}) {
    require_equal_lengths(chunk_of(input.size(), size(), rank()).count, chunk.size());
    reduce_scatter_erased(input.data(), chunk.data(), input.size(), element_type_of<T>(), operation);
  }
  /// Every rank gets all chunks: rank r brings chunk_of(all.size(), size(), r).
  template <core::Transferable T>
  void all_gather(std::span<const T> chunk, std::span<T> all) {
    require_equal_lengths(chunk_of(all.size(), size(), rank()).count, chunk.size());
    all_gather_erased(chunk.data(), all.data(), all.size(), sizeof(T));
  }

  /// The reduction of the vectors of all workers of `layout` (collectives/worker_layout.hpp), folded in the order of
  /// workers, or exactly; `addends` are those of this rank's workers. An average divides by the number of workers.
  /// The vectors must not overlap `result`.
  template <Element T>
  void all_reduce_many(const WorkerLayout& layout, std::span<const std::span<const T>> addends, std::span<T> result,
                       std::optional<Operation> operation = {}) {
    std::vector<const void*> vectors;
    for (const std::span<const T> addend : addends) {
      require_equal_lengths(addend.size(), result.size());
      vectors.push_back(addend.data());
    }
    all_reduce_many_erased(layout, vectors, result.data(), result.size(), element_type_of<T>(), operation);
  }

  /// The same for types known at run time.
  void all_reduce_erased(const void* input, void* output, std::size_t count, ElementType type,
                         std::optional<Operation> operation);
  void all_reduce_erased(const void* input, void* output, std::size_t count, std::size_t element_bytes,
                         const UserFunction& function);
  [[nodiscard]] AllReduceHandle start_all_reduce_erased(const void* input, void* output, std::size_t count,
                                                        ElementType type, std::optional<Operation> operation);
  [[nodiscard]] AllReduceHandle start_all_reduce_erased(const void* input, void* output, std::size_t count,
                                                        std::size_t element_bytes, const UserFunction& function);
  void reduce_scatter_erased(const void* input, void* chunk, std::size_t count, ElementType type,
                             std::optional<Operation> operation);
  void all_gather_erased(const void* chunk, void* all, std::size_t count, std::size_t element_bytes);
  void all_reduce_many_erased(const WorkerLayout& layout, std::span<const void* const> addends, void* result,
                              std::size_t count, ElementType type, std::optional<Operation> operation);

  /// Memory for `count` elements, zero at first, that lives as long as the reducer. Where all ranks share a node it
  /// lies in shared memory, and an in-place all_reduce() of it (or of the same part of it on all ranks) is the fastest
  /// there is: the others read it where it is. Elsewhere, and where `automatic` finds no room in /dev/shm, it is
  /// ordinary memory. Collective.
  template <core::Transferable T>
  [[nodiscard]] std::span<T> allocate(std::size_t count) {
    return {static_cast<T*>(allocate_erased(count * sizeof(T))), count};
  }

  [[nodiscard]] int rank() const noexcept; ///< Local, as all that follow.
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const AllReduceOptions& options() const noexcept;
  [[nodiscard]] const Topology& topology() const noexcept;
  /// What an all-reduce of so many elements will use.
  [[nodiscard]] Algorithm algorithm_for(std::size_t count, ElementType type) const;
  /// Bytes that this rank has sent, or put into shared memory for others, in all completed calls; and the steps in
  /// which it waited for others (a chunked ring takes 2(m-1), however many segments a step has).
  [[nodiscard]] std::size_t bytes_sent() const noexcept;
  [[nodiscard]] std::size_t steps() const noexcept;

 private:
  static void require_equal_lengths(std::size_t a, std::size_t b);
  [[nodiscard]] void* allocate_erased(std::size_t bytes);

  std::unique_ptr<detail::Reducer> reducer_;
};

} // namespace collectives
