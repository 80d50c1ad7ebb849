// From C++ types to MPI datatypes. Arithmetic types map to MPI's own (they can be reduced); any other trivially
// copyable type travels as a contiguous type of its bytes (made once per type, freed when MPI ends).
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <mpi.h>

namespace core {

template <class T>
concept Transferable = std::is_trivially_copyable_v<T>;

/// A contiguous datatype of `bytes` bytes, made once and cached. Local; call it from one thread.
[[nodiscard]] MPI_Datatype bytes_datatype(std::size_t bytes);

/// The MPI datatype of T.
template <Transferable T>
[[nodiscard]] MPI_Datatype datatype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::same_as<U, double>)
    return MPI_DOUBLE;
  else if constexpr (std::same_as<U, float>)
    return MPI_FLOAT;
  else if constexpr (std::same_as<U, bool>)
    return MPI_CXX_BOOL;
  else if constexpr (std::same_as<U, long double>)
    return MPI_LONG_DOUBLE;
  else if constexpr (std::same_as<U, std::byte>)
    return MPI_BYTE;
  else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) {
    if constexpr (sizeof(U) == 1)
      return MPI_INT8_T;
    else if constexpr (sizeof(U) == 2)
      return MPI_INT16_T;
    else if constexpr (sizeof(U) == 4)
      return MPI_INT32_T;
    else
      return MPI_INT64_T;
  } else if constexpr (std::is_integral_v<U>) {
    if constexpr (sizeof(U) == 1)
      return MPI_UINT8_T;
    else if constexpr (sizeof(U) == 2)
      return MPI_UINT16_T;
    else if constexpr (sizeof(U) == 4)
      return MPI_UINT32_T;
    else
      return MPI_UINT64_T;
  } else if constexpr (std::is_enum_v<U>)
    return datatype_of<std::underlying_type_t<U>>();
  else
    return bytes_datatype(sizeof(U));
}

} // namespace core
