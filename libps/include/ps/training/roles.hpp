// Who does what: which ranks hold parameters, which carry workers, and which rank carries which worker.
//
// Dedicated servers are the last ranks; workers live on the others, in blocks, so that neighbours in a ring mostly
// share a rank. With `--servers all` every rank is both. The W workers are logical: what a worker computes does not
// depend on the rank that carries it, so a run has the same numbers on any number of ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ps/table/shard_map.hpp"

namespace ps {

/// Each has a clock, a mailbox and a share of the rows: more are a slip of the keyboard, such as -1.
inline constexpr std::size_t kMostWorkers = 1'000'000;

class Roles {
 public:
  /// `workers` on `ranks` ranks (0: one for each rank that carries any), of which the last `servers` are servers and
  /// nothing else. Throws InputError when no rank is left for workers, or there are more than kMostWorkers. Local.
  [[nodiscard]] static Roles dedicated(int ranks, std::size_t workers, std::size_t servers);
  /// Every rank is a server and may carry workers. Local.
  [[nodiscard]] static Roles colocated(int ranks, std::size_t workers);
  /// What the word after --servers means: a number, or `all`. Local.
  [[nodiscard]] static Roles parse(const std::string& servers, int ranks, std::size_t workers);

  [[nodiscard]] std::size_t workers() const noexcept { return placement_.parameters(); }
  [[nodiscard]] int rank_of(std::size_t worker) const noexcept {
    return static_cast<int>(placement_.server_of(worker));
  }
  /// Ascending; none for a dedicated server, nor for the last ranks when workers are fewer than ranks.
  [[nodiscard]] std::vector<std::size_t> workers_of(int rank) const;

  /// Ascending; empty when parameters are not kept by servers.
  [[nodiscard]] const std::vector<int>& servers() const noexcept { return servers_; }
  [[nodiscard]] bool is_server(int rank) const noexcept;
  /// The rank that evaluates the loss now and then: the last dedicated server, because it has the most time; else 0.
  [[nodiscard]] int monitor_rank() const noexcept;

 private:
  Roles(std::size_t workers, int worker_ranks, std::vector<int> servers);

  ShardMap placement_; // of workers on ranks: blocks, as of parameters on servers
  int worker_ranks_;
  std::vector<int> servers_;
};

} // namespace ps
