#include "ps/training/roles.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace ps {
namespace {

std::vector<int> consecutive(int first, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

} // namespace

Roles::Roles(std::size_t workers, int worker_ranks, std::vector<int> servers)
    : placement_(workers == 0 ? static_cast<std::size_t>(worker_ranks) : workers,
                 static_cast<std::size_t>(worker_ranks)),
      worker_ranks_(worker_ranks),
      servers_(std::move(servers)) {
  if (workers > kMostWorkers)
    throw core::InputError(fmt::format("--workers {}: at most {} are possible", workers, kMostWorkers));
}

Roles Roles::dedicated(int ranks, std::size_t workers, std::size_t servers) {
  if (servers >= static_cast<std::size_t>(ranks)) {
    throw core::InputError(fmt::format("--servers {} leaves no rank for workers: there {} {} rank{}", servers,
                                       ranks == 1 ? "is" : "are", ranks, ranks == 1 ? "" : "s"));
  }
  const int server_ranks = static_cast<int>(servers);
  return {workers, ranks - server_ranks, consecutive(ranks - server_ranks, server_ranks)};
}

Roles Roles::colocated(int ranks, std::size_t workers) {
  return {workers, ranks, consecutive(0, ranks)};
}

Roles Roles::parse(const std::string& servers, int ranks, std::size_t workers) {
  if (servers == "all") return colocated(ranks, workers);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(servers.data(), servers.data() + servers.size(), count);
  if (error != std::errc{} || end != servers.data() + servers.size())
    throw core::InputError(fmt::format("--servers {}: a number of ranks, or all", servers));
  return dedicated(ranks, workers, count);
}

std::vector<std::size_t> Roles::workers_of(int rank) const {
  if (rank >= worker_ranks_) return {};
  const auto place = static_cast<std::size_t>(rank);
  std::vector<std::size_t> workers(placement_.length(place));
  std::iota(workers.begin(), workers.end(), placement_.begin(place));
  return workers;
}

bool Roles::is_server(int rank) const noexcept {
  return std::ranges::binary_search(servers_, rank);
}

int Roles::monitor_rank() const noexcept {
  return servers_.empty() || servers_.front() == 0 ? 0 : servers_.back();
}

} // namespace ps
