// The five update rules. Each is one loop over parameters, gradient and state in which every element is on its own: so
// the compiler makes vector instructions of it, and a vector cut into shards gets the same bits as the whole one (IEEE
// addition, multiplication, division and square root round alike in vector and scalar instructions, and nothing is
// contracted).
//
// All arithmetic is in T. Only Adam's powers of beta are computed in double: they are one number a step.
#include "ps/update/update_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"sgd", "momentum", "adagrad", "rmsprop", "adam"};

/// What the rules share: the options in T, and the refusal of vectors of a wrong length.
template <class T>
class RuleBase : public UpdateRule<T> {
 public:
  RuleBase(const UpdateOptions& options, std::size_t parameters)
      : rate_(static_cast<T>(options.learning_rate)), parameters_(parameters) {}

  void apply(std::span<T> parameters, std::span<const T> gradient) final {
    if (parameters.size() != parameters_ || gradient.size() != parameters_)
      throw PsError(fmt::format("an update rule for {} parameters was given {} parameters and a gradient of {}",
                                parameters_, parameters.size(), gradient.size()));
    ++this->steps_;
    update(parameters.data(), gradient.data());
  }
  [[nodiscard]] std::vector<typename UpdateRule<T>::State> state() override { return {}; }

 protected:
  virtual void update(T* __restrict w, const T* __restrict g) = 0;
  [[nodiscard]] std::size_t size() const noexcept { return parameters_; }

  T rate_;

 private:
  std::size_t parameters_;
};

template <class T>
class Sgd final : public RuleBase<T> {
 public:
  using RuleBase<T>::RuleBase;

 private:
  void update(T* __restrict w, const T* __restrict g) override {
    const T rate = this->rate_;
    for (std::size_t i = 0; i < this->size(); ++i) w[i] -= rate * g[i];
  }
};

template <class T>
class Momentum final : public RuleBase<T> {
 public:
  Momentum(const UpdateOptions& options, std::size_t parameters)
      : RuleBase<T>(options, parameters), momentum_(static_cast<T>(options.momentum)), velocity_(parameters) {}
  [[nodiscard]] std::vector<typename UpdateRule<T>::State> state() override { return {{"velocity", velocity_}}; }

 private:
  void update(T* __restrict w, const T* __restrict g) override {
    const T rate = this->rate_, momentum = momentum_;
    T* __restrict v = velocity_.data();
    for (std::size_t i = 0; i < this->size(); ++i) {
      v[i] = momentum * v[i] + g[i];
      w[i] -= rate * v[i];
    }
  }

  T momentum_;
  std::vector<T> velocity_;
};

template <class T>
class AdaGrad final : public RuleBase<T> {
 public:
  AdaGrad(const UpdateOptions& options, std::size_t parameters)
      : RuleBase<T>(options, parameters), epsilon_(static_cast<T>(options.epsilon)), squares_(parameters) {}
  [[nodiscard]] std::vector<typename UpdateRule<T>::State> state() override { return {{"squares", squares_}}; }

 private:
  void update(T* __restrict w, const T* __restrict g) override {
    const T rate = this->rate_, epsilon = epsilon_;
    T* __restrict a = squares_.data();
    for (std::size_t i = 0; i < this->size(); ++i) {
      a[i] += g[i] * g[i];
      w[i] -= rate * g[i] / (std::sqrt(a[i]) + epsilon);
    }
  }

  T epsilon_;
  std::vector<T> squares_;
};

template <class T>
class RmsProp final : public RuleBase<T> {
 public:
  RmsProp(const UpdateOptions& options, std::size_t parameters)
      : RuleBase<T>(options, parameters),
        decay_(static_cast<T>(options.decay)),
        epsilon_(static_cast<T>(options.epsilon)),
        squares_(parameters) {}
  [[nodiscard]] std::vector<typename UpdateRule<T>::State> state() override { return {{"squares", squares_}}; }

 private:
  void update(T* __restrict w, const T* __restrict g) override {
    const T rate = this->rate_, decay = decay_, rest = T{1} - decay_, epsilon = epsilon_;
    T* __restrict a = squares_.data();
    for (std::size_t i = 0; i < this->size(); ++i) {
      a[i] = decay * a[i] + rest * (g[i] * g[i]);
      w[i] -= rate * g[i] / (std::sqrt(a[i]) + epsilon);
    }
  }

  T decay_, epsilon_;
  std::vector<T> squares_;
};

template <class T>
class Adam final : public RuleBase<T> {
 public:
  Adam(const UpdateOptions& options, std::size_t parameters)
      : RuleBase<T>(options, parameters), options_(options), mean_(parameters), variance_(parameters) {}
  [[nodiscard]] std::vector<typename UpdateRule<T>::State> state() override {
    return {{"mean", mean_}, {"variance", variance_}};
  }

 private:
  void update(T* __restrict w, const T* __restrict g) override {
    const auto step = static_cast<double>(this->steps_); // 1 in the first
    const T mean_correction = static_cast<T>(1 - std::pow(options_.beta1, step));
    const T variance_correction = static_cast<T>(1 - std::pow(options_.beta2, step));
    const T rate = this->rate_, epsilon = static_cast<T>(options_.epsilon);
    const T beta1 = static_cast<T>(options_.beta1), beta2 = static_cast<T>(options_.beta2);
    const T rest1 = T{1} - beta1, rest2 = T{1} - beta2;
    T* __restrict m = mean_.data();
    T* __restrict v = variance_.data();
    for (std::size_t i = 0; i < this->size(); ++i) {
      m[i] = beta1 * m[i] + rest1 * g[i];
      v[i] = beta2 * v[i] + rest2 * (g[i] * g[i]);
      w[i] -= rate * (m[i] / mean_correction) / (std::sqrt(v[i] / variance_correction) + epsilon);
    }
  }

  UpdateOptions options_;
  std::vector<T> mean_, variance_;
};

void require(bool sensible, const char* what, const char* range, double value) {
  if (!sensible) throw core::InputError(fmt::format("the {} must be {}, not {}", what, range, value));
}

void require_sensible(const UpdateOptions& options) {
  const auto in_unit = [](double x) { return x >= 0 && x < 1; };
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate), "learning rate", "positive and finite",
          options.learning_rate);
  require(in_unit(options.momentum), "momentum", "at least 0 and below 1", options.momentum);
  require(in_unit(options.decay), "decay of rmsprop", "at least 0 and below 1", options.decay);
  require(in_unit(options.beta1), "beta1 of adam", "at least 0 and below 1", options.beta1);
  require(in_unit(options.beta2), "beta2 of adam", "at least 0 and below 1", options.beta2);
  // Without it the first zero gradient is divided by zero.
  require(options.epsilon > 0 && std::isfinite(options.epsilon), "epsilon", "positive and finite", options.epsilon);
}

} // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_update_rule(const UpdateOptions& options, std::size_t parameters) {
  require_sensible(options);
  if (options.rule == "sgd") return std::make_unique<Sgd<T>>(options, parameters);
  if (options.rule == "momentum") return std::make_unique<Momentum<T>>(options, parameters);
  if (options.rule == "adagrad") return std::make_unique<AdaGrad<T>>(options, parameters);
  if (options.rule == "rmsprop") return std::make_unique<RmsProp<T>>(options, parameters);
  if (options.rule == "adam") return std::make_unique<Adam<T>>(options, parameters);
  throw core::InputError(
      fmt::format("no update rule is called '{}': choose from {}", options.rule, fmt::join(kNames, ", ")));
}
template std::unique_ptr<UpdateRule<float>> make_update_rule<float>(const UpdateOptions&, std::size_t);
template std::unique_ptr<UpdateRule<double>> make_update_rule<double>(const UpdateOptions&, std::size_t);

std::span<const std::string_view> update_rule_names() noexcept {
  return kNames;
}

} // namespace ps
