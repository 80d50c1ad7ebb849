// Non-blocking messages that cannot be forgotten: the handle of a started operation belongs to an object.
#pragma once

#include <cstddef>
#include <span>

#include <mpi.h>

#include "core/communicator.hpp"
#include "core/datatype.hpp"

namespace core {

/// Owns an MPI request. Move-only. The buffer must stay in place until wait() has returned or test() has said true.
///
/// The destructor of an object that is still active (an exception is passing) completes it: a receive is cancelled,
/// which MPI promises to do without the sender; anything else gets a grace time, because a peer that has failed will
/// never answer, and is then abandoned. All functions are local.
class Request {
 public:
  Request() = default;
  /// Starts to send `count` elements; at most INT_MAX.
  [[nodiscard]] static Request send(const Communicator& comm, const void* data, std::size_t count, MPI_Datatype type,
                                    int destination, int tag);
  /// Starts to receive at most `count` elements; at most INT_MAX.
  [[nodiscard]] static Request receive(const Communicator& comm, void* data, std::size_t count, MPI_Datatype type,
                                       int source, int tag);
  /// Takes over a request from another MPI call.
  [[nodiscard]] static Request adopt(MPI_Request handle);

  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  /// Returns when the operation is complete; at once for an empty object.
  void wait();
  /// True when the operation is complete (and for an empty object); gives MPI an opportunity to progress.
  [[nodiscard]] bool test();
  [[nodiscard]] bool active() const noexcept { return handle_ != MPI_REQUEST_NULL; }

 private:
  Request(MPI_Request handle, bool is_receive) : handle_(handle), is_receive_(is_receive) {}
  void complete_or_abandon() noexcept;

  MPI_Request handle_ = MPI_REQUEST_NULL;
  bool is_receive_ = false;
};

template <Transferable T>
[[nodiscard]] Request start_send(const Communicator& comm, std::span<const T> data, int destination, int tag) {
  return Request::send(comm, data.data(), data.size(), datatype_of<T>(), destination, tag);
}
template <Transferable T>
[[nodiscard]] Request start_receive(const Communicator& comm, std::span<T> data, int source, int tag) {
  return Request::receive(comm, data.data(), data.size(), datatype_of<T>(), source, tag);
}

/// Waits for all of them.
void wait_all(std::span<Request> requests);

} // namespace core
