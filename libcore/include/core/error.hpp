// Errors that users see. Every exception of the project derives from core::Error; a driver turns it into one line on
// rank 0 and an exit code (core/runtime.hpp).
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace core {

/// What a process returns to the shell.
enum class ExitCode : int {
  success = 0,
  failure = 1,   ///< a run failed: MPI error, a rank died, disk full while writing
  bad_input = 2, ///< options, files or values that the user can mend
  requeue = 75,  ///< stopped on request after a checkpoint; run again with --resume
};

/// Base of all errors. `what()` is the line a user reads, without a trailing newline.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::failure);

  [[nodiscard]] ExitCode exit_code() const noexcept { return exit_code_; }

  /// The rank on which the error began, once ranks have agreed on it (core/agreement.hpp).
  [[nodiscard]] std::optional<int> rank() const noexcept { return rank_; }
  void set_rank(int rank) noexcept { rank_ = rank; }

 private:
  ExitCode exit_code_;
  std::optional<int> rank_;
};

/// Something in the command line or in a file that the user can mend: exit code 2.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message);
};

/// An MPI call returned an error code. `what()` carries the call's name, the error class and MPI's own text.
class MpiError : public Error {
 public:
  MpiError(const char* call, int mpi_code);
  [[nodiscard]] int mpi_code() const noexcept { return mpi_code_; }
  [[nodiscard]] int mpi_class() const noexcept { return mpi_class_; }
  /// A peer has died (ULFM's MPIX_ERR_PROC_FAILED or MPIX_ERR_REVOKED); false where the MPI has no ULFM.
  [[nodiscard]] bool is_process_failure() const noexcept;

 private:
  int mpi_code_;
  int mpi_class_;
};

/// Throws MpiError unless `mpi_code` is MPI_SUCCESS. `call` names the MPI function.
void check_mpi(int mpi_code, const char* call);

} // namespace core
