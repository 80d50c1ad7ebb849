// Owning MPI requests.
#include "core/request.hpp"

#include <chrono>
#include <climits>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace core {
namespace {

constexpr double kGraceSeconds = 2;

int checked_count(std::size_t count) {
  if (count > static_cast<std::size_t>(INT_MAX))
    throw Error(fmt::format("a message of {} elements is too long for one MPI call", count));
  return static_cast<int>(count);
}

} // namespace

Request Request::send(const Communicator& comm, const void* data, std::size_t count, MPI_Datatype type, int destination,
                      int tag) {
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, checked_count(count), type, destination, tag, comm.native(), &handle), "MPI_Isend");
  return {handle, false};
}

Request Request::receive(const Communicator& comm, void* data, std::size_t count, MPI_Datatype type, int source,
                         int tag) {
  MPI_Request handle = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, checked_count(count), type, source, tag, comm.native(), &handle), "MPI_Irecv");
  return {handle, true};
}

Request Request::adopt(MPI_Request handle) {
  return {handle, false};
}

Request::Request(Request&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)), is_receive_(other.is_receive_) {}

Request& Request::operator=(Request&& other) noexcept {
  if (this != &other) {
    complete_or_abandon();
    handle_ = std::exchange(other.handle_, MPI_REQUEST_NULL);
    is_receive_ = other.is_receive_;
  }
  return *this;
}

Request::~Request() {
  complete_or_abandon();
}

void Request::wait() {
  // MPI_Wait sets the handle to null even where it reports an error of the operation.
  check_mpi(MPI_Wait(&handle_, MPI_STATUS_IGNORE), "MPI_Wait");
}

bool Request::test() {
  int done = 0;
  check_mpi(MPI_Test(&handle_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void Request::complete_or_abandon() noexcept {
  if (handle_ == MPI_REQUEST_NULL) return;
  if (is_receive_) MPI_Cancel(&handle_);
  const Stopwatch watch;
  while (watch.seconds() < kGraceSeconds) {
    int done = 0;
    if (MPI_Test(&handle_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void wait_all(std::span<Request> requests) {
  for (Request& request : requests) request.wait();
}

} // namespace core
