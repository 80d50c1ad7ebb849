// One-sided communication: memory that other ranks read and write while this rank does something else.
//
// A window is locked for all ranks (MPI_Win_lock_all) from its construction to its end, and operations are completed by
// flush(): the passive-target style in which a parameter server works. Operations of one element type and one reduction
// are atomic per element, never per call; put() and get() are not atomic at all, so data that others accumulate into is
// read with atomic_get(). Do not let different reductions work on one location at the same time.
//
// Windows do not survive the death of a rank. While an exception is passing, a window is abandoned, not freed: freeing
// is collective and would wait for ranks that may never come.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/datatype.hpp"
#include "core/request.hpp"

namespace core {

/// What an accumulate operation does to the target: replace is an atomic put, keep (MPI_NO_OP) an atomic read. Take min
/// and max of signed integers or reals: several MPIs compare unsigned integers wrongly (collectives.hpp).
enum class RmaOperation { sum, min, max, replace, keep };

namespace detail {

/// The window without its element type.
class RawWindow {
 public:
  RawWindow(const Communicator& comm, std::size_t bytes, std::size_t element_bytes, bool shared);
  ~RawWindow();
  RawWindow(const RawWindow&) = delete;
  RawWindow& operator=(const RawWindow&) = delete;

  [[nodiscard]] void* base() const noexcept { return base_; }
  [[nodiscard]] MPI_Win native() const noexcept { return handle_; }

  void put(const void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset);
  void get(void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset);
  void accumulate(const void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset,
                  RmaOperation operation);
  void get_accumulate(const void* data, void* previous, std::size_t count, MPI_Datatype type, int target,
                      std::size_t offset, RmaOperation operation);
  void fetch_and_op(const void* value, void* previous, MPI_Datatype type, int target, std::size_t offset,
                    RmaOperation operation);
  std::vector<Request> start_get(void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset);
  std::vector<Request> start_accumulate(const void* data, std::size_t count, MPI_Datatype type, int target,
                                        std::size_t offset, RmaOperation operation);
  std::vector<Request> start_get_accumulate(void* previous, std::size_t count, MPI_Datatype type, int target,
                                            std::size_t offset, RmaOperation operation);
  void flush(int target);
  void flush_all();
  void flush_local(int target);
  void flush_local_all();
  void sync();
  /// Where another rank's part of a shared window begins.
  [[nodiscard]] void* part_of(int rank) const;

 private:
  std::size_t element_bytes_;
  int exceptions_at_construction_;
  void* base_ = nullptr;
  MPI_Win handle_ = MPI_WIN_NULL;
};

} // namespace detail

/// `count` elements of T on each rank (the counts may differ), zero at first. Offsets and counts are in elements. Not
/// movable, because operations hold its address. Construction and destruction are collective, all else is local.
template <class T>
requires std::is_arithmetic_v<T>
class Window {
 public:
  /// Throws on all ranks when this needs more shared memory than some node has left.
  Window(const Communicator& comm, std::size_t count) : size_(count), raw_(comm, count * sizeof(T), sizeof(T), false) {}

  /// This rank's own elements. Stores are seen by others, and theirs by this rank, after sync().
  [[nodiscard]] std::span<T> local() const noexcept { return {static_cast<T*>(raw_.base()), size_}; }
  [[nodiscard]] MPI_Win native() const noexcept { return raw_.native(); }

  /// Starts to write `data` to `target`; the buffer may be reused after flush_local(), is in place after flush().
  void put(std::span<const T> data, int target, std::size_t offset) {
    raw_.put(data.data(), data.size(), datatype_of<T>(), target, offset);
  }
  /// Starts to read; `data` is there after flush().
  void get(std::span<T> data, int target, std::size_t offset) {
    raw_.get(data.data(), data.size(), datatype_of<T>(), target, offset);
  }
  /// Starts to combine `data` into the target's elements, each of them atomically. With `replace` an atomic put.
  void accumulate(std::span<const T> data, int target, std::size_t offset, RmaOperation operation) {
    raw_.accumulate(data.data(), data.size(), datatype_of<T>(), target, offset, operation);
  }
  /// Starts to read elements that others may be accumulating into, each of them atomically.
  void atomic_get(std::span<T> data, int target, std::size_t offset) {
    raw_.get_accumulate(nullptr, data.data(), data.size(), datatype_of<T>(), target, offset, RmaOperation::keep);
  }
  /// Combines `value` into one element and returns what was there before. Waits for the answer.
  T fetch_and_op(T value, int target, std::size_t offset, RmaOperation operation) {
    T previous{};
    raw_.fetch_and_op(&value, &previous, datatype_of<T>(), target, offset, operation);
    raw_.flush(target);
    return previous;
  }

  /// get(), atomic_get() and accumulate() that are completed (locally) by their requests instead of a flush.
  [[nodiscard]] std::vector<Request> start_get(std::span<T> data, int target, std::size_t offset) {
    return raw_.start_get(data.data(), data.size(), datatype_of<T>(), target, offset);
  }
  [[nodiscard]] std::vector<Request> start_atomic_get(std::span<T> data, int target, std::size_t offset) {
    return raw_.start_get_accumulate(data.data(), data.size(), datatype_of<T>(), target, offset, RmaOperation::keep);
  }
  [[nodiscard]] std::vector<Request> start_accumulate(std::span<const T> data, int target, std::size_t offset,
                                                      RmaOperation operation) {
    return raw_.start_accumulate(data.data(), data.size(), datatype_of<T>(), target, offset, operation);
  }

  /// Completes this rank's operations at `target`, or everywhere, at both ends.
  void flush(int target) { raw_.flush(target); }
  void flush_all() { raw_.flush_all(); }
  /// Completes them at this end only: buffers may be reused.
  void flush_local(int target) { raw_.flush_local(target); }
  void flush_local_all() { raw_.flush_local_all(); }
  /// Memory barrier between this rank's loads and stores and the operations of others.
  void sync() { raw_.sync(); }

 private:
  std::size_t size_;
  detail::RawWindow raw_;
};

/// Memory that the ranks of one node share: everyone loads and stores everyone's elements. `node` comes from
/// Communicator::split_shared. Zero at first; each rank's part begins on its own page. Use sync() and messages (or
/// std::atomic_ref) to order accesses. Construction and destruction are collective, all else is local.
template <class T>
requires std::is_trivially_copyable_v<T>
class SharedWindow {
 public:
  /// Throws on all ranks when the node's shared memory is too small.
  SharedWindow(const Communicator& node, std::size_t count) : raw_(node, count * sizeof(T), sizeof(T), true) {
    // The sizes that MPI tells are rounded up to pages.
    const std::vector<std::size_t> counts = all_gather(node, count);
    for (int rank = 0; rank < node.size(); ++rank)
      parts_.emplace_back(static_cast<T*>(raw_.part_of(rank)), counts[static_cast<std::size_t>(rank)]);
    local_ = parts_[static_cast<std::size_t>(node.rank())];
  }
  [[nodiscard]] std::span<T> local() const noexcept { return local_; }
  /// The elements of another rank of the node.
  [[nodiscard]] std::span<T> of(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] MPI_Win native() const noexcept { return raw_.native(); }
  void sync() { raw_.sync(); }

 private:
  detail::RawWindow raw_;
  std::vector<std::span<T>> parts_;
  std::span<T> local_;
};

} // namespace core
