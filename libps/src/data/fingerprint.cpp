#include "ps/data/fingerprint.hpp"

#include <bit>
#include <type_traits>

#include "core/collectives.hpp"
#include "core/random.hpp"

namespace ps {
namespace {

template <class T>
std::uint64_t bits_of(T value) noexcept {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
}

/// Row r of the share, which is row `number` of the data.
template <class T>
std::uint64_t hash_of_row(const Examples<T>& share, std::size_t r, std::uint64_t number) {
  std::uint64_t hash = core::mix64(core::mix64(number) ^ bits_of(share.labels[r]));
  if (!share.is_sparse()) {
    for (std::size_t i = r * share.features; i < (r + 1) * share.features; ++i)
      hash = core::mix64(hash ^ bits_of(share.dense[i]));
    return hash;
  }
  for (std::size_t i = share.row_begin[r]; i < share.row_begin[r + 1]; ++i)
    hash = core::mix64(core::mix64(hash ^ share.keys[i]) ^ bits_of(share.values[i]));
  return hash;
}

} // namespace

template <class T>
std::uint64_t fingerprint(const core::Communicator& comm, std::span<const Examples<T>> shares,
                          std::span<const std::size_t> my_workers, std::size_t workers) {
  std::uint64_t sum = 0; // of hashes that know their rows' numbers: it does not matter who adds which
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t r = 0; r < shares[i].rows; ++r)
      sum += hash_of_row(shares[i], r, my_workers[i] + static_cast<std::uint64_t>(r) * workers);
  return core::all_reduce_value(comm, sum, core::Reduce::sum);
}

template std::uint64_t fingerprint(const core::Communicator&, std::span<const Examples<float>>,
                                   std::span<const std::size_t>, std::size_t);
template std::uint64_t fingerprint(const core::Communicator&, std::span<const Examples<double>>,
                                   std::span<const std::size_t>, std::size_t);

} // namespace ps
