// The life of an MPI program: initialise, run, turn exceptions into one line and an exit code, finalise.
#pragma once

#include <functional>

#include "core/communicator.hpp"
#include "core/error.hpp"

namespace core {

/// The body of a driver. Its return value is the process's exit code.
using DriverBody = std::function<ExitCode(const Communicator& world, int argc, char** argv)>;

/// Initialises MPI (FUNNELED), runs `body` with a duplicate of the world, prints any exception that all ranks agreed on
/// once
/// ("PROGRAM: error: LINE" by rank 0; an exception on which ranks did not agree is printed by its own rank with a rank
/// prefix and aborts the job, so that nobody hangs), finalises MPI, returns the exit code. `program` is the name in
/// messages.
int run_driver(const char* program, int argc, char** argv, const DriverBody& body);

/// Largest resident memory of this process so far, in bytes. Local.
[[nodiscard]] std::size_t peak_resident_bytes();

} // namespace core
