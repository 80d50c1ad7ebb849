// Checks that tables share. A wrong list of servers would show as a crash inside MPI, or as ranks that wait for each
// other.
#include "servers.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/random.hpp"
#include "ps/error.hpp"

namespace ps::detail {
namespace {

void require_sensible(const core::Communicator& comm, const char* what, std::size_t size,
                      const std::vector<int>& servers) {
  constexpr std::size_t kMostElements = std::size_t{1} << 48; // beyond any memory, and safe to multiply
  if (servers.empty()) throw PsError(fmt::format("{} needs at least one server", what));
  if (size > kMostElements) throw PsError(fmt::format("{} of {} elements fits into no memory", what, size));
  std::vector<int> sorted = servers;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0 || sorted.back() >= comm.size())
    throw PsError(fmt::format("{} cannot have rank {} as a server: the job has ranks 0 to {}", what,
                              sorted.front() < 0 ? sorted.front() : sorted.back(), comm.size() - 1));
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw PsError(fmt::format("{} names rank {} twice as a server", what, *twice));
}

std::int64_t fingerprint(std::size_t size, const std::vector<int>& servers, std::uint64_t options) {
  std::uint64_t mixed = core::mix64(core::mix64(size) ^ options);
  for (const int server : servers) mixed = core::mix64(mixed ^ static_cast<std::uint64_t>(server));
  return static_cast<std::int64_t>(mixed >> 1);
}

} // namespace

std::vector<int> checked_servers(const core::Communicator& comm, const char* what, std::size_t size,
                                 std::vector<int> servers, std::uint64_t options) {
  core::agree(comm, [&] { require_sensible(comm, what, size, servers); });
  const std::int64_t mine = fingerprint(size, servers, options);
  std::int64_t extremes[2] = {mine, -mine};
  core::all_reduce(comm, std::span<std::int64_t>(extremes), core::Reduce::max);
  core::agree(comm, [&] {
    if (extremes[0] != -extremes[1])
      throw PsError(fmt::format("{} was given different sizes, servers or options on different ranks", what));
  });
  return servers;
}

std::size_t shard_index_of(const std::vector<int>& servers, int rank) noexcept {
  return static_cast<std::size_t>(std::find(servers.begin(), servers.end(), rank) - servers.begin());
}

void require_range(const char* what, std::size_t first, std::size_t count, std::size_t size) {
  if (first > size || count > size - first)
    throw PsError(fmt::format("{} has {} elements: [{}, {} + {}) is out of range", what, size, first, first, count));
}

} // namespace ps::detail
