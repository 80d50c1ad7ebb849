// When one rank throws, all ranks throw the same error. Without this a rank that found a bad line would leave the
// others waiting in the next collective for ever.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/communicator.hpp"
#include "core/error.hpp"

namespace core {

/// What went wrong on this rank, in a form that can travel. `order` decides which error wins when several ranks fail
/// (smallest first, then lowest rank): readers pass the line number, so that every number of ranks reports the same
/// line.
struct LocalFailure {
  std::string message;
  ExitCode code = ExitCode::failure;
  unsigned long long order = 0;
  std::optional<int> rank{}; ///< where it began, when ranks have agreed on it before
};

/// Translates the exception being handled. Local; call it inside a catch block.
[[nodiscard]] LocalFailure describe_current_exception();

/// An error that knows its place in the input, so that ranks agree on the first one.
class OrderedInputError : public InputError {
 public:
  OrderedInputError(const std::string& message, unsigned long long order) : InputError(message), order_(order) {}
  [[nodiscard]] unsigned long long order() const noexcept { return order_; }

 private:
  unsigned long long order_;
};

/// Throws on all ranks if any rank passes a failure: the failure with the smallest order, then the lowest rank.
/// InputError when its exit code is bad_input, with the message as it is, because a user's mistake should read the same
/// on any number of ranks; Error otherwise, with " (on rank R)" appended once when there are several ranks. `rank()`
/// names where it began. Costs one MPI_Allreduce of a word when nobody failed. Collective.
void agree_on_failure(const Communicator& comm, const std::optional<LocalFailure>& failure);

/// Runs the local work `f` on every rank and returns its result, or throws the same error everywhere. `f` must not
/// communicate: a rank that threw before its communication would leave the others waiting. Collective.
template <class F>
auto agree(const Communicator& comm, F&& f) -> std::invoke_result_t<F> {
  using Result = std::invoke_result_t<F>;
  std::optional<LocalFailure> failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      std::forward<F>(f)();
    } catch (...) {
      failure = describe_current_exception();
    }
    agree_on_failure(comm, failure);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(std::forward<F>(f)());
    } catch (...) {
      failure = describe_current_exception();
    }
    agree_on_failure(comm, failure);
    return std::move(*result);
  }
}

} // namespace core
