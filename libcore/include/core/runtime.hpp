// The life of an MPI program: initialise, run, turn exceptions into one line and an exit code, finalise.
#pragma once

#include <cstddef>
#include <functional>

#include "core/communicator.hpp"
#include "core/error.hpp"
#include "core/session.hpp"

namespace core {

/// The body of a driver. Its return value is the process's exit code.
using DriverBody = std::function<ExitCode(const Communicator& world, int argc, char** argv)>;

/// Initialises MPI (FUNNELED), runs `body` with a duplicate of the world, finalises MPI and returns the exit code.
/// `program` is the name in messages. An exception that leaves the body becomes one line on standard error:
///
/// - Ranks agreed on it (it is a core::Error with `rank()` set, or every rank left the body with the same line, as a
///   wrong option makes them do): "PROGRAM: error: LINE", by rank 0.
/// - Otherwise "[rank N] PROGRAM: error: LINE" by the rank that threw it. When the other ranks do not leave the body
///   within a few seconds, because they wait for this one, the job is aborted: nobody hangs.
int run_driver(const char* program, int argc, char** argv, const DriverBody& body);

/// The body of a driver that goes on when ranks die.
using SessionBody = std::function<ExitCode(Session& session, int argc, char** argv)>;
/// The same for such a driver. An error with ExitCode::requeue is no error: its line is printed without that word.
int run_session(const char* program, int argc, char** argv, const SessionBody& body);

/// Resident memory of this process now, in bytes; 0 where the system does not say. Local.
[[nodiscard]] std::size_t resident_bytes();

/// Largest resident memory of this process so far, in bytes. Local.
[[nodiscard]] std::size_t peak_resident_bytes();

} // namespace core
