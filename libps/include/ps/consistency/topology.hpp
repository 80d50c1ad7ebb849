// Who talks to whom in decentralised training, and with what weight.
//
// Metropolis weights (Xiao, Boyd, "Fast linear iterations for distributed averaging", 2004):
//
//   w_ij = 1 / (1 + max(d_i, d_j)) for neighbours,   w_ii = 1 - Σ_j w_ij
//
// need only the degrees d and make rows and columns sum to one, so that averaging neither creates nor loses anything:
// repeated, it brings all copies to their mean, faster the better the graph is connected.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/communicator.hpp"

namespace ps {

/// An undirected graph of workers. All functions are local unless said otherwise.
class Topology {
 public:
  struct Neighbour {
    std::size_t worker;
    double weight;
  };

  [[nodiscard]] static Topology ring(std::size_t workers);
  /// A grid whose sides are as equal as possible and whose borders are joined; a ring when `workers` is a prime.
  [[nodiscard]] static Topology torus(std::size_t workers);
  [[nodiscard]] static Topology complete(std::size_t workers);
  /// Lines of two workers each; `#` begins a comment. InputError "NAME:LINE: reason" for anything else.
  [[nodiscard]] static Topology parse(const std::string& text, const std::string& name, std::size_t workers);
  /// The one that `word` names: ring, torus, complete, or a file, which rank 0 reads. InputError on all ranks when it
  /// cannot be read or is not connected. Collective.
  [[nodiscard]] static Topology named(const core::Communicator& comm, const std::string& word, std::size_t workers);

  [[nodiscard]] std::size_t workers() const noexcept { return neighbours_.size(); }
  /// Neighbours of a worker and the worker itself, ascending, with their weights.
  [[nodiscard]] std::span<const Neighbour> neighbourhood(std::size_t worker) const noexcept {
    return neighbours_[worker];
  }
  /// Without the worker itself.
  [[nodiscard]] std::size_t degree(std::size_t worker) const noexcept { return neighbours_[worker].size() - 1; }
  /// InputError unless every worker can be reached from worker 0. `name` is for the message.
  void require_connected(const std::string& name) const;

 private:
  /// `adjacent`: for each worker the others it is joined to, in any order, also several times, on one side or both.
  explicit Topology(std::vector<std::vector<std::size_t>> adjacent);

  std::vector<std::vector<Neighbour>> neighbours_;
};

} // namespace ps
