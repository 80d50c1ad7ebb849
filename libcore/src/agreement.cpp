// How one rank's failure becomes the failure of all: a reduction finds the winner, broadcasts carry its words.
#include "core/agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "core/collectives.hpp"

namespace core {

LocalFailure describe_current_exception() {
  try {
    throw;
  } catch (const OrderedInputError& error) {
    return {error.what(), error.exit_code(), error.order(), error.rank()};
  } catch (const Error& error) {
    return {error.what(), error.exit_code(), 0, error.rank()};
  } catch (const std::bad_alloc&) {
    return {"out of memory"};
  } catch (const std::exception& error) {
    return {error.what()};
  } catch (...) {
    return {"unknown exception"};
  }
}

namespace {

/// What travels beside the message.
struct FailureHeader {
  std::int32_t code;
  std::int32_t rank; // -1: not agreed on before
};

template <class E>
[[noreturn]] void throw_as(E error, int rank) {
  error.set_rank(rank);
  throw error;
}

} // namespace

void agree_on_failure(const Communicator& comm, const std::optional<LocalFailure>& failure) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t order = failure ? std::min<std::uint64_t>(failure->order, kNone - 1) : kNone;
  const std::uint64_t first = all_reduce_value(comm, order, Reduce::min);
  if (first == kNone) return;

  const int winner = all_reduce_value(comm, order == first ? comm.rank() : comm.size(), Reduce::min);
  FailureHeader header{};
  if (failure) header = {static_cast<std::int32_t>(failure->code), failure->rank.value_or(-1)};
  header = broadcast_value(comm, header, winner);
  std::string message = broadcast_string(comm, failure ? failure->message : std::string(), winner);

  const int rank = header.rank >= 0 ? header.rank : winner;
  const auto code = static_cast<ExitCode>(header.code);
  if (code == ExitCode::bad_input) throw_as(InputError(message), rank);
  if (header.rank < 0 && comm.size() > 1) message += fmt::format(" (on rank {})", winner);
  throw_as(Error(message, code), rank);
}

} // namespace core
