// Strategies with servers whose parameters live in a dense table: whoever needs parameters pulls the whole vector, and
// every gradient is as long as it. Every rank's runners have room for both.
#pragma once

#include <memory>
#include <vector>

#include "ps/consistency/served_strategy.hpp"
#include "ps/table/dense_table.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

template <class T>
class DenseStrategy : public ServedStrategy<T> {
 public:
  void read_parameters(std::span<T> parameters) final;
  [[nodiscard]] core::checkpoint::Part save() override;
  [[nodiscard]] nlohmann::json describe() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 protected:
  using typename ServedStrategy<T>::Runner;
  using typename ServedStrategy<T>::Status;

  /// Servers' shards hold the model's start values. `steps_per_round`: gradients. Collective.
  DenseStrategy(const TrainingSite<T>& site, std::size_t steps_per_round);

  void begin(Runner& runner) override { pull(runner); }
  void read_for_monitor(std::span<T> parameters) final { table_.pull(0, parameters); }
  /// The server's rule, for checkpoints; null for none. Local.
  [[nodiscard]] virtual UpdateRule<T>* rule() noexcept = 0;

  /// The rule that this server applies to its shard. Local.
  [[nodiscard]] std::unique_ptr<UpdateRule<T>> make_shard_rule() const;
  /// The parameters of all servers into the runner's copy. Local.
  void pull(Runner& runner, bool racy = false);
  /// Has sent something of the parameters' size. Local.
  void count_push();

  DenseTable<T> table_;
};

} // namespace ps
