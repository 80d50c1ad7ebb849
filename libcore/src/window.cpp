// Windows of MPI, with counts above an int cut into pieces.
#include "core/window.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace core::detail {
namespace {

/// Where Open MPI and MPICH keep the memory that processes of a node share.
constexpr const char* kSharedMemoryDirectory = "/dev/shm";

MPI_Op native_operation(RmaOperation operation) {
  switch (operation) {
    case RmaOperation::sum: return MPI_SUM;
    case RmaOperation::min: return MPI_MIN;
    case RmaOperation::max: return MPI_MAX;
    case RmaOperation::replace: return MPI_REPLACE;
    case RmaOperation::keep: return MPI_NO_OP;
  }
  throw Error("unknown one-sided operation");
}

/// A page of a file in /dev/shm that does not fit any more kills the process with SIGBUS when it is first touched, long
/// after the allocation has succeeded. So ask first.
void require_shared_memory(const Communicator& comm, std::size_t bytes) {
  const Communicator node = comm.split_shared();
  const auto needed = all_reduce_value<std::uint64_t>(node, bytes, Reduce::sum);
  agree(comm, [&] {
    struct statvfs status {};
    if (node.rank() != 0 || statvfs(kSharedMemoryDirectory, &status) != 0) return;
    const std::uint64_t available = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
    if (needed <= available) return;
    constexpr double kMebibyte = 1 << 20;
    throw Error(fmt::format(
        "{} has {:.1f} MiB left, but the ranks of this node need {:.1f} MiB of shared memory: "
        "enlarge it (containers: --shm-size) or use more nodes",
        kSharedMemoryDirectory, static_cast<double>(available) / kMebibyte, static_cast<double>(needed) / kMebibyte));
  });
}

MPI_Info separate_pages() {
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  check_mpi(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");
  return info;
}

/// Throws on all ranks, and no MpiError, where MPI cannot share memory: callers have another way then.
void require_shared_window(const Communicator& comm, int result) {
  if (result != MPI_SUCCESS && MpiError("MPI_Win_allocate_shared", result).is_process_failure())
    check_mpi(result, "MPI_Win_allocate_shared");
  agree(comm, [&] {
    if (result != MPI_SUCCESS)
      throw Error(
          "MPI has no memory that ranks share here: MPI_Win_allocate_shared failed (Open MPI: --mca osc must not leave "
          "out the component sm)");
  });
}

/// Throws on all ranks where no one-sided component of Open MPI reaches from each rank to all others, of which it only
/// says that the window is invalid. Debian's settings of version 4 leave out the two that go over TCP.
void require_window(const Communicator& comm, int result) {
  const bool unreachable = result != MPI_SUCCESS && MpiError("MPI_Win_allocate", result).mpi_class() == MPI_ERR_WIN;
  if (!unreachable) check_mpi(result, "MPI_Win_allocate");
  agree(comm, [&] {
    if (unreachable)
      throw InputError(
          "MPI has no one-sided communication between these ranks: MPI_Win_allocate failed (Open MPI: ask for a "
          "component that reaches them all, mpirun --mca osc ucx or, in version 4, pt2pt)");
  });
}

/// Calls transfer(buffer offset in bytes, count, displacement) for consecutive pieces that fit into one call.
template <class F>
void for_each_transfer(std::size_t count, std::size_t element_bytes, std::size_t offset, F&& transfer) {
  for_each_piece(count, [&](std::size_t first, int length) {
    transfer(first * element_bytes, length, static_cast<MPI_Aint>(offset + first));
  });
}

/// An MPI that accumulates in software locks the whole target for the length of a call, so one long call keeps all
/// others out. In pieces of this size several origins take turns (a piece holds the lock for some 25 microseconds), and
/// one alone is as fast as with a single call: 4 MiB of floats, ratio of medians 0.97 to 1.09 through Open MPI's sm and
/// rdma. Pieces of 256 KiB cost about a tenth there, and up to a third through pt2pt, which sends messages; pieces of
/// 16 KiB cost a factor of four through pt2pt.
constexpr std::size_t kAtomicPieceBytes = 1024 << 10;

/// The same for operations that are atomic.
template <class F>
void for_each_atomic_transfer(std::size_t count, std::size_t element_bytes, std::size_t offset, F&& transfer) {
  const std::size_t longest = std::min(count_limit(), kAtomicPieceBytes / element_bytes);
  for (std::size_t first = 0; first < count; first += longest) {
    transfer(first * element_bytes, static_cast<int>(std::min(longest, count - first)),
             static_cast<MPI_Aint>(offset + first));
  }
}

const std::byte* advance(const void* data, std::size_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}
std::byte* advance(void* data, std::size_t bytes) {
  return static_cast<std::byte*>(data) + bytes;
}

} // namespace

RawWindow::RawWindow(const Communicator& comm, std::size_t bytes, std::size_t element_bytes, bool shared)
    : element_bytes_(element_bytes), exceptions_at_construction_(std::uncaught_exceptions()) {
  require_shared_memory(comm, bytes);
  const auto size = static_cast<MPI_Aint>(bytes);
  const auto unit = static_cast<int>(element_bytes);
  if (shared) {
    MPI_Info info = separate_pages();
    const int result = MPI_Win_allocate_shared(size, unit, info, comm.native(), &base_, &handle_);
    MPI_Info_free(&info);
    require_shared_window(comm, result);
  } else {
    require_window(comm, MPI_Win_allocate(size, unit, MPI_INFO_NULL, comm.native(), &base_, &handle_));
  }
  check_mpi(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_), "MPI_Win_lock_all");
  if (bytes > 0) std::memset(base_, 0, bytes); // by its owner: the pages come to lie in its memory
  sync();
  barrier(comm);
}

RawWindow::~RawWindow() {
  if (std::uncaught_exceptions() > exceptions_at_construction_) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  MPI_Win_unlock_all(handle_);
  MPI_Win_free(&handle_);
}

void RawWindow::put(const void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset) {
  for_each_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    check_mpi(MPI_Put(advance(data, at), length, type, target, displacement, length, type, handle_), "MPI_Put");
  });
}

void RawWindow::get(void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset) {
  for_each_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    check_mpi(MPI_Get(advance(data, at), length, type, target, displacement, length, type, handle_), "MPI_Get");
  });
}

void RawWindow::accumulate(const void* data, std::size_t count, MPI_Datatype type, int target, std::size_t offset,
                           RmaOperation operation) {
  const MPI_Op op = native_operation(operation);
  for_each_atomic_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    check_mpi(MPI_Accumulate(advance(data, at), length, type, target, displacement, length, type, op, handle_),
              "MPI_Accumulate");
  });
}

void RawWindow::get_accumulate(const void* data, void* previous, std::size_t count, MPI_Datatype type, int target,
                               std::size_t offset, RmaOperation operation) {
  const MPI_Op op = native_operation(operation);
  for_each_atomic_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    const void* const origin = data != nullptr ? advance(data, at) : nullptr;
    const int origin_length = data != nullptr ? length : 0;
    check_mpi(MPI_Get_accumulate(origin, origin_length, type, advance(previous, at), length, type, target, displacement,
                                 length, type, op, handle_),
              "MPI_Get_accumulate");
  });
}

void RawWindow::fetch_and_op(const void* value, void* previous, MPI_Datatype type, int target, std::size_t offset,
                             RmaOperation operation) {
  check_mpi(MPI_Fetch_and_op(value, previous, type, target, static_cast<MPI_Aint>(offset), native_operation(operation),
                             handle_),
            "MPI_Fetch_and_op");
}

std::vector<Request> RawWindow::start_get(void* data, std::size_t count, MPI_Datatype type, int target,
                                          std::size_t offset) {
  std::vector<Request> requests;
  for_each_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Rget(advance(data, at), length, type, target, displacement, length, type, handle_, &request),
              "MPI_Rget");
    requests.push_back(Request::adopt(request));
  });
  return requests;
}

std::vector<Request> RawWindow::start_accumulate(const void* data, std::size_t count, MPI_Datatype type, int target,
                                                 std::size_t offset, RmaOperation operation) {
  const MPI_Op op = native_operation(operation);
  std::vector<Request> requests;
  for_each_atomic_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(
        MPI_Raccumulate(advance(data, at), length, type, target, displacement, length, type, op, handle_, &request),
        "MPI_Raccumulate");
    requests.push_back(Request::adopt(request));
  });
  return requests;
}

std::vector<Request> RawWindow::start_get_accumulate(void* previous, std::size_t count, MPI_Datatype type, int target,
                                                     std::size_t offset, RmaOperation operation) {
  const MPI_Op op = native_operation(operation);
  std::vector<Request> requests;
  for_each_atomic_transfer(count, element_bytes_, offset, [&](std::size_t at, int length, MPI_Aint displacement) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Rget_accumulate(nullptr, 0, type, advance(previous, at), length, type, target, displacement, length,
                                  type, op, handle_, &request),
              "MPI_Rget_accumulate");
    requests.push_back(Request::adopt(request));
  });
  return requests;
}

void RawWindow::flush(int target) {
  check_mpi(MPI_Win_flush(target, handle_), "MPI_Win_flush");
}
void RawWindow::flush_all() {
  check_mpi(MPI_Win_flush_all(handle_), "MPI_Win_flush_all");
}
void RawWindow::flush_local(int target) {
  check_mpi(MPI_Win_flush_local(target, handle_), "MPI_Win_flush_local");
}
void RawWindow::flush_local_all() {
  check_mpi(MPI_Win_flush_local_all(handle_), "MPI_Win_flush_local_all");
}
void RawWindow::sync() {
  check_mpi(MPI_Win_sync(handle_), "MPI_Win_sync");
}

void* RawWindow::part_of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  check_mpi(MPI_Win_shared_query(handle_, rank, &bytes, &unit, &base), "MPI_Win_shared_query");
  return base;
}

} // namespace core::detail
