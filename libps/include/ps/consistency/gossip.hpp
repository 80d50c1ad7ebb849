// Decentralised training: no server, no all-reduce. Each worker has a copy x_i and talks to its neighbours only
// (D-PSGD: Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can decentralized algorithms outperform centralized algorithms?",
// NIPS 2017, algorithm 1):
//
//   g_i = gradient(x_i);   send x_i to neighbours;   x_i = rule(Σ_j w_ij x_j, g_i)
//
// with the Metropolis weights of topology.hpp. The sum is in ascending order of workers, itself included, and rounds
// are kept by the messages themselves, so the copies are the same bits in every run and on any number of ranks. What a
// round costs a worker depends on its degree, not on W; the denser the topology, the closer the copies stay together.
// What has been learnt is their mean; the curve of losses follows worker 0's copy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ps/consistency/lockstep_strategy.hpp"
#include "ps/consistency/topology.hpp"
#include "ps/training/state_tables.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

template <class T>
class Gossip final : public LockstepStrategy<T> {
 public:
  /// Throws InputError on all ranks for a topology that cannot be read or is not connected.
  explicit Gossip(const TrainingSite<T>& site);

  void read_parameters(std::span<T> parameters) override;
  [[nodiscard]] core::checkpoint::Part save() override;
  [[nodiscard]] nlohmann::json describe() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 private:
  /// A worker's copy, on the rank that carries it.
  struct Replica {
    Worker<T>* worker;
    std::vector<T> parameters, gradient, mixed;
    std::unique_ptr<UpdateRule<T>> rule;
  };

  /// What goes between this rank and another one in every round: copies of these workers, ascending.
  struct Link {
    int rank;
    std::vector<const Replica*> outgoing;
    std::vector<std::size_t> incoming;
  };

  void train_round() override;
  [[nodiscard]] std::span<const T> watched() const override { return *copy_of_[0]; }
  void plan_links();
  void compute_gradients();
  void exchange();
  void mix_and_update();
  [[nodiscard]] std::vector<CopyOfWorker<T>> copies();

  core::Communicator comm_; // its own: messages need no tags
  Topology topology_;
  std::vector<Replica> replicas_;
  std::vector<Link> links_;
  std::vector<std::vector<T>> received_;       // copies from other ranks
  std::vector<const std::vector<T>*> copy_of_; // by worker: where its copy is on this rank, if it is needed
};

} // namespace ps
