// Errors and the translation of MPI's error codes into them.
#include "core/error.hpp"

#include <array>

#include <fmt/format.h>
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h> // MPIX_ERR_PROC_FAILED where Open MPI has ULFM
#endif

namespace core {
namespace {

int class_of(int mpi_code) noexcept {
  int mpi_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(mpi_code, &mpi_class);
  return mpi_class;
}

std::string describe(const char* call, int mpi_code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(mpi_code, text.data(), &length) != MPI_SUCCESS) length = 0;
  return fmt::format("{} failed: {} (error class {})", call,
                     length > 0 ? std::string_view(text.data(), static_cast<std::size_t>(length)) : "unknown error",
                     class_of(mpi_code));
}

} // namespace

Error::Error(const std::string& message, ExitCode code) : std::runtime_error(message), exit_code_(code) {}

InputError::InputError(const std::string& message) : Error(message, ExitCode::bad_input) {}

MpiError::MpiError(const char* call, int mpi_code)
    : Error(describe(call, mpi_code)), mpi_code_(mpi_code), mpi_class_(class_of(mpi_code)) {}

bool MpiError::is_process_failure() const noexcept {
#if defined(OPEN_MPI) && defined(MPIX_ERR_PROC_FAILED)
  return mpi_class_ == MPIX_ERR_PROC_FAILED || mpi_class_ == MPIX_ERR_PROC_FAILED_PENDING ||
         mpi_class_ == MPIX_ERR_REVOKED;
#else
  return false;
#endif
}

void check_mpi(int mpi_code, const char* call) {
  if (mpi_code != MPI_SUCCESS) [[unlikely]]
    throw MpiError(call, mpi_code);
}

} // namespace core
