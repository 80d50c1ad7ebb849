// Asynchronous and stale synchronous training of linear models on sparse rows, with the parameters in a sparse table
// (table/sparse_table.hpp): a worker pulls and pushes the weights that its batch touches, not all of them.
//
//   worker:  w = pull(keys of the batch);  g = gradient(w);  push(keys, g)
//   server:  answers pulls; applies its rule to each key that is pushed
//
// When a worker may begin is as in consistency/async.hpp and consistency/ssp.hpp; `async` is `ssp` without a bound. A
// push returns when it has been applied, so a worker reads its own writes, and its clock advances after that.
//
// The weights of features that a batch does not have get a gradient of zero in a dense table. That must mean that they
// stay where they are, or the two tables would learn different things: so it goes with plain SGD and AdaGrad, but not
// with rules that have momentum or a decay, nor with regularisation. With one worker dense and sparse give the same
// bits.
//
// A pull is answered message by message: what several pushes have changed may be seen in part, as in a dense table.
#pragma once

#include <string_view>
#include <vector>

#include "ps/consistency/served_strategy.hpp"
#include "ps/models/compact_linear.hpp"
#include "ps/table/sparse_table.hpp"

namespace ps {

/// InputError unless a sparse table can do what these options ask for. Local.
void require_sparse_table_fits(const TrainingOptions& options, std::string_view model, double l2);

template <class T>
class SparseAsync final : public ServedStrategy<T> {
 public:
  /// InputError on all ranks where a sparse table does not fit, or rows are not sparse. Collective.
  explicit SparseAsync(const TrainingSite<T>& site);
  void read_parameters(std::span<T> parameters) override;
  [[nodiscard]] core::checkpoint::Part save() override;
  void restore(std::uint64_t rounds, std::vector<core::checkpoint::Part> parts, const nlohmann::json& meta) override;

 private:
  using typename ServedStrategy<T>::Runner;
  using typename ServedStrategy<T>::Status;

  bool may_start(Runner& runner, const Status& status) override;
  void begin(Runner& runner) override;
  void compute_gradient(Runner& runner, std::uint64_t step, const GradientReady& serving) override;
  bool deliver(Runner& runner) override;
  bool serve() override;
  void stop_soon() override { this->stop_before(0); }
  [[nodiscard]] std::uint64_t gradients_at(std::int64_t version) const override {
    return static_cast<std::uint64_t>(version);
  }
  void read_for_monitor(std::span<T> parameters) override;
  void meet() override { table_.barrier(); }

  [[nodiscard]] CompactLinear<T>& compact_of(const Runner& runner) noexcept {
    return compacts_[static_cast<std::size_t>(&runner - this->runners_.data())];
  }
  /// Counts a message of the worker and the bytes that the table has moved since `before`.
  void count(const Traffic& before);

  std::size_t features_, outputs_;
  std::uint64_t bound_; // on the clock lead
  SparseTable<T> table_;
  KeyNumbers numbers_;
  std::vector<CompactLinear<T>> compacts_;  // one for each runner
  std::vector<std::uint64_t> watched_keys_; // of the monitor's sample
  std::vector<T> watched_values_;
};

} // namespace ps
