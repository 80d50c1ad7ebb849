// Every update rule against steps computed by hand, with numbers that are exact in binary wherever the formula allows,
// so that most comparisons are for equality.
#include "ps/update/update_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

template <class T>
class UpdateRules : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(UpdateRules, Types);

UpdateOptions options_of(const std::string& rule, double learning_rate) {
  UpdateOptions options;
  options.rule = rule;
  options.learning_rate = learning_rate;
  return options;
}

/// A few significant units of T.
template <class T>
double tolerance() {
  return 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

TYPED_TEST(UpdateRules, Sgd) {
  using T = TypeParam;
  const auto rule = make_update_rule<T>(options_of("sgd", 0.5), 3);
  std::vector<T> w{1, -2, 0};
  rule->apply(w, std::vector<T>{2, 1, -4});
  EXPECT_EQ(w, (std::vector<T>{0, -2.5, 2})); // 1 - 0.5*2, -2 - 0.5*1, 0 + 0.5*4
  rule->apply(w, std::vector<T>{1, 1, 1});
  EXPECT_EQ(w, (std::vector<T>{-0.5, -3, 1.5}));
  EXPECT_EQ(rule->steps(), 2U);
  EXPECT_TRUE(rule->state().empty());
}

TYPED_TEST(UpdateRules, Momentum) {
  using T = TypeParam;
  UpdateOptions options = options_of("momentum", 0.25);
  options.momentum = 0.5;
  const auto rule = make_update_rule<T>(options, 2);
  std::vector<T> w{1, 0};
  rule->apply(w, std::vector<T>{4, -2}); // v = 4, -2;  w = 1 - 1, 0 + 0.5
  EXPECT_EQ(w, (std::vector<T>{0, 0.5}));
  rule->apply(w, std::vector<T>{2, 1}); // v = 0.5*4 + 2 = 4, 0.5*-2 + 1 = 0;  w = 0 - 1, 0.5 - 0
  EXPECT_EQ(w, (std::vector<T>{-1, 0.5}));
  rule->apply(w, std::vector<T>{0, 8}); // v = 2, 8;  w = -1 - 0.5, 0.5 - 2
  EXPECT_EQ(w, (std::vector<T>{-1.5, -1.5}));
  ASSERT_EQ(rule->state().size(), 1U);
  EXPECT_EQ(rule->state()[0].name, "velocity");
  EXPECT_EQ(rule->state()[0].values[1], T{8});
}

TYPED_TEST(UpdateRules, AdaGrad) {
  using T = TypeParam;
  UpdateOptions options = options_of("adagrad", 0.5);
  options.epsilon = 1; // so that it counts
  const auto rule = make_update_rule<T>(options, 2);
  std::vector<T> w{1, 1};
  rule->apply(w, std::vector<T>{3, 0}); // a = 9, 0;  w = 1 - 0.5*3/(3+1) = 0.625, 1 - 0
  EXPECT_EQ(w, (std::vector<T>{0.625, 1}));
  rule->apply(w, std::vector<T>{4, -7}); // a = 25, 49;  w = 0.625 - 0.5*4/(5+1) = 7/24, 1 + 0.5*7/(7+1) = 1.4375
  EXPECT_NEAR(w[0], 7.0 / 24, tolerance<T>());
  EXPECT_EQ(w[1], T{1.4375});
}

TYPED_TEST(UpdateRules, RmsProp) {
  using T = TypeParam;
  UpdateOptions options = options_of("rmsprop", 0.5);
  options.decay = 0.75;
  options.epsilon = 1;
  const auto rule = make_update_rule<T>(options, 2);
  std::vector<T> w{1, 0};
  rule->apply(w, std::vector<T>{2, -6}); // a = 0.25*4 = 1, 0.25*36 = 9;  w = 1 - 0.5*2/2 = 0.5, 0.5*6/4 = 0.75
  EXPECT_EQ(w, (std::vector<T>{0.5, 0.75}));
  rule->apply(w, std::vector<T>{0, 3}); // a = 0.75, 6.75 + 2.25 = 9;  w = 0.5, 0.75 - 0.5*3/4 = 0.375
  EXPECT_EQ(w, (std::vector<T>{0.5, 0.375}));
  ASSERT_EQ(rule->state().size(), 1U);
  EXPECT_EQ(rule->state()[0].values[0], T{0.75});
}

TYPED_TEST(UpdateRules, Adam) {
  using T = TypeParam;
  UpdateOptions options = options_of("adam", 0.5);
  options.beta1 = 0.5;
  options.beta2 = 0.75;
  options.epsilon = 1;
  const auto rule = make_update_rule<T>(options, 1);
  std::vector<T> w{1};
  // m = 0.5*4 = 2, v = 0.25*16 = 4;  m/(1-0.5) = 4, v/(1-0.75) = 16;  w = 1 - 0.5*4/(4+1) = 0.6
  rule->apply(w, std::vector<T>{4});
  EXPECT_NEAR(w[0], 0.6, tolerance<T>());
  // m = 1 + 0.5*-2 = 0, so only the state moves: v = 3 + 0.25*4 = 4
  rule->apply(w, std::vector<T>{-2});
  EXPECT_NEAR(w[0], 0.6, tolerance<T>());
  // m = 3.5, v = 3 + 0.25*49 = 15.25;  m/(1-1/8) = 4, v/(1-27/64) = 976/37;  w = 0.6 - 0.5*4/(sqrt(976/37)+1)
  rule->apply(w, std::vector<T>{7});
  EXPECT_NEAR(w[0], 0.6 - 2 / (std::sqrt(976.0 / 37) + 1), tolerance<T>());
  ASSERT_EQ(rule->state().size(), 2U);
  EXPECT_EQ(rule->state()[0].name, "mean");
  EXPECT_EQ(rule->state()[1].name, "variance");
  EXPECT_EQ(rule->state()[0].values[0], T{3.5});
  EXPECT_EQ(rule->state()[1].values[0], T{15.25});
}

// The first step of Adam and (nearly) of RMSProp does not depend on the size of the gradient: what bias correction is
// for.
TYPED_TEST(UpdateRules, FirstStepOfAdamIsTheLearningRate) {
  using T = TypeParam;
  const auto rule = make_update_rule<T>(options_of("adam", 0.125), 3);
  std::vector<T> w(3);
  rule->apply(w, std::vector<T>{100, T(-1e-3), 1});
  const double inexact = 1e-4; // epsilon against the gradient of 1e-3
  EXPECT_NEAR(w[0], -0.125, inexact);
  EXPECT_NEAR(w[1], 0.125, inexact);
  EXPECT_NEAR(w[2], -0.125, inexact);
}

template <class T>
std::vector<T> random_vector(std::size_t size, std::uint64_t seed) {
  core::CounterRandom random(seed);
  std::vector<T> values(size);
  for (T& x : values) x = static_cast<T>(random.uniform() * 4 - 2);
  return values;
}

// 37 elements: vector instructions leave a remainder, and shards begin at odd places.
TYPED_TEST(UpdateRules, ShardsGiveTheBitsOfTheWhole) {
  using T = TypeParam;
  constexpr std::size_t kSize = 37;
  for (const std::string_view name : update_rule_names()) {
    SCOPED_TRACE(name);
    const UpdateOptions options = options_of(std::string(name), 0.1);
    std::vector<T> whole = random_vector<T>(kSize, 1);
    std::vector<T> in_parts = whole;
    const auto rule = make_update_rule<T>(options, kSize);
    const std::vector<std::size_t> ends{0, 1, 1, 14, 30, kSize}; // an empty shard among them
    std::vector<std::unique_ptr<UpdateRule<T>>> rules;
    for (std::size_t i = 1; i < ends.size(); ++i) rules.push_back(make_update_rule<T>(options, ends[i] - ends[i - 1]));
    for (std::uint64_t step = 0; step < 20; ++step) {
      const std::vector<T> gradient = random_vector<T>(kSize, 100 + step);
      rule->apply(whole, gradient);
      for (std::size_t i = 1; i < ends.size(); ++i) {
        const std::size_t length = ends[i] - ends[i - 1];
        rules[i - 1]->apply(std::span<T>(in_parts).subspan(ends[i - 1], length),
                            std::span<const T>(gradient).subspan(ends[i - 1], length));
      }
    }
    EXPECT_EQ(whole, in_parts);
  }
}

TYPED_TEST(UpdateRules, StateSavedAndRestoredGivesTheSameBits) {
  using T = TypeParam;
  constexpr std::size_t kSize = 11;
  for (const std::string_view name : update_rule_names()) {
    SCOPED_TRACE(name);
    const UpdateOptions options = options_of(std::string(name), 0.1);
    const auto first = make_update_rule<T>(options, kSize);
    std::vector<T> w = random_vector<T>(kSize, 7);
    for (std::uint64_t step = 0; step < 5; ++step) first->apply(w, random_vector<T>(kSize, step));

    const auto second = make_update_rule<T>(options, kSize);
    std::vector<T> w2 = w;
    const auto from = first->state(), to = second->state();
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      EXPECT_EQ(from[i].name, to[i].name);
      ASSERT_EQ(from[i].values.size(), kSize);
      std::copy(from[i].values.begin(), from[i].values.end(), to[i].values.begin());
    }
    second->set_steps(first->steps());
    for (std::uint64_t step = 5; step < 10; ++step) {
      first->apply(w, random_vector<T>(kSize, step));
      second->apply(w2, random_vector<T>(kSize, step));
    }
    EXPECT_EQ(w, w2);
    EXPECT_EQ(second->steps(), 10U);
  }
}

TYPED_TEST(UpdateRules, WrongLengthsAreRefused) {
  using T = TypeParam;
  for (const std::string_view name : update_rule_names()) {
    const auto rule = make_update_rule<T>(options_of(std::string(name), 0.1), 2);
    std::vector<T> two(2), three(3);
    EXPECT_THROW(rule->apply(two, three), PsError);
    EXPECT_THROW(rule->apply(three, two), PsError);
    EXPECT_EQ(rule->steps(), 0U);
    EXPECT_NO_THROW(make_update_rule<T>(options_of(std::string(name), 0.1), 0)->apply({}, {}));
  }
}

std::string refusal(const UpdateOptions& options) {
  try {
    (void)make_update_rule<double>(options, 1);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(UpdateOptionsRefused, EveryImpossibleValue) {
  UpdateOptions options;
  options.rule = "sdg";
  EXPECT_EQ(refusal(options), "no update rule is called 'sdg': choose from sgd, momentum, adagrad, rmsprop, adam");
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -1.0, nan, infinity}) {
    options = {};
    options.learning_rate = rate;
    EXPECT_NE(refusal(options).find("learning rate must be positive and finite"), std::string::npos) << rate;
  }
  const auto refused_fraction = [&](double UpdateOptions::*member, const std::string& text) {
    for (const double value : {-0.1, 1.0, nan}) {
      UpdateOptions changed;
      changed.*member = value;
      EXPECT_NE(refusal(changed).find(text), std::string::npos) << value;
    }
    UpdateOptions zero;
    zero.*member = 0;
    EXPECT_EQ(refusal(zero), "accepted");
  };
  refused_fraction(&UpdateOptions::momentum, "momentum must be at least 0 and below 1");
  refused_fraction(&UpdateOptions::decay, "decay of rmsprop must be");
  refused_fraction(&UpdateOptions::beta1, "beta1 of adam must be");
  refused_fraction(&UpdateOptions::beta2, "beta2 of adam must be");
  for (const double epsilon : {0.0, -1e-8, nan, infinity}) {
    options = {};
    options.epsilon = epsilon;
    EXPECT_NE(refusal(options).find("epsilon must be positive and finite"), std::string::npos) << epsilon;
  }
}

} // namespace
} // namespace ps
