// How a gradient changes parameters. A rule owns its state (momentum, squared gradients), one entry a parameter, and
// works on any part of the vector on its own: a server has a rule for its shard.
//
//   sgd       w -= e g
//   momentum  v = m v + g;  w -= e v                                       (Polyak 1964)
//   adagrad   a += g²;  w -= e g / (sqrt(a) + eps)                         (Duchi, Hazan, Singer 2011)
//   rmsprop   a = r a + (1-r) g²;  w -= e g / (sqrt(a) + eps)              (Tieleman, Hinton 2012)
//   adam      m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g²;  bias-corrected  (Kingma, Ba 2015, algorithm 1)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ps {

struct UpdateOptions {
  std::string rule = "sgd";
  double learning_rate = 0.1;
  double momentum = 0.9; ///< momentum's m
  double decay = 0.9;    ///< rmsprop's r
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
};

/// All functions are local.
template <class T>
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  /// Applies one gradient; both spans have the length given to make_update_rule. Counts a step.
  virtual void apply(std::span<T> parameters, std::span<const T> gradient) = 0;

  struct State {
    std::string name; ///< "velocity", "mean", "variance"
    std::span<T> values;
  };
  /// For checkpoints: everything but the step count. Writable. A state's names depend on the rule only.
  [[nodiscard]] virtual std::vector<State> state() = 0;
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  void set_steps(std::uint64_t steps) noexcept { steps_ = steps; }

 protected:
  std::uint64_t steps_ = 0;
};

/// Throws InputError for an unknown rule or an impossible value (learning rate not positive, momentum not in [0, 1),
/// …).
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_update_rule(const UpdateOptions& options, std::size_t parameters);

/// sgd, momentum, adagrad, rmsprop, adam. Local.
[[nodiscard]] std::span<const std::string_view> update_rule_names() noexcept;

} // namespace ps
