// Whole models: gradients against central differences, predictions against hand computation, and the order in which
// parts of the gradient become final.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "ps/error.hpp"
#include "ps/models/model.hpp"
#include "random_numbers.hpp"

namespace ps {
namespace {

struct Case {
  std::string name;
  ModelOptions options;
  bool sparse = false;
};

ModelOptions options_for(const std::string& kind, std::size_t features, std::size_t classes, double l2 = 0) {
  ModelOptions options;
  options.kind = kind;
  options.shape.features = features;
  options.shape.classes = classes;
  options.l2 = l2;
  return options;
}

ModelOptions image_options(std::size_t rows, std::size_t columns, std::size_t channels, std::size_t classes) {
  ModelOptions options = options_for("cnn", rows * columns * channels, classes, 0.01);
  options.shape.image_rows = rows;
  options.shape.image_columns = columns;
  options.shape.channels = channels;
  return options;
}

ModelOptions mlp_options(std::size_t features, std::vector<std::size_t> hidden) {
  ModelOptions options = options_for("mlp", features, 3, 0.01);
  options.hidden = std::move(hidden);
  return options;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const bool sparse : {false, true}) {
    const std::string suffix = sparse ? "Sparse" : "";
    cases.push_back({"Ridge" + suffix, options_for("ridge", 6, 0, 0.1), sparse});
    cases.push_back({"Logistic" + suffix, options_for("logistic", 6, 2, 0.1), sparse});
    cases.push_back({"Softmax" + suffix, options_for("softmax", 6, 4, 0.1), sparse});
    cases.push_back({"Mlp" + suffix, mlp_options(8, {7, 5}), sparse});
  }
  cases.push_back({"MlpWithoutHidden", mlp_options(8, {}), false});
  cases.push_back({"CnnPadded", image_options(4, 5, 1, 3), false});
  cases.push_back({"CnnUnpadded", image_options(10, 11, 1, 3), false});
  cases.push_back({"CnnColours", image_options(5, 4, 2, 3), false});
  return cases;
}

/// Random rows and labels that suit a model.
Examples<double> examples_for(const Case& of, std::size_t rows, std::uint64_t seed = 1) {
  const ModelOptions& options = of.options;
  Examples<double> examples;
  examples.rows = rows;
  examples.features = options.shape.features;
  examples.dense = random_numbers<double>(rows * examples.features, seed);
  core::CounterRandom random(seed, 5);
  for (std::size_t r = 0; r < rows; ++r) {
    examples.labels.push_back(options.kind == "ridge" ? 2 * random.uniform() - 1
                                                      : static_cast<double>(random.below(options.shape.classes)));
  }
  if (!of.sparse) return examples;
  examples.row_begin.push_back(0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < examples.features; ++k) {
      const double x = examples.dense[r * examples.features + k];
      if (x < 0 || r == 1) continue; // row 1 has no features
      examples.keys.push_back(k);
      examples.values.push_back(x);
    }
    examples.row_begin.push_back(examples.keys.size());
  }
  examples.dense.clear();
  return examples;
}

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

class EveryModel : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(all_cases()),
                         [](const auto& of) { return of.param.name; });

TEST_P(EveryModel, GradientEqualsCentralDifferences) {
  const auto model = make_model<double>(GetParam().options);
  const Examples<double> examples = examples_for(GetParam(), 4);
  std::vector<double> parameters(model->parameter_count()), gradient(parameters.size()), other(parameters.size());
  model->initialise(parameters, 3);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += 0.1 * random_numbers<double>(1, i)[0];
  (void)model->loss_and_gradient(parameters, examples.view(), gradient);
  // Networks have many parameters: a sample of some hundred, spread over all tensors. The step is small enough to stay
  // on one side of the kinks, and large enough for the difference of two losses of size 1 to have 10 digits.
  constexpr double kStep = 1e-6;
  const std::size_t stride = std::max<std::size_t>(1, parameters.size() / 997);
  for (std::size_t i = 0; i < parameters.size(); i += stride) {
    const double before = parameters[i];
    parameters[i] = before + kStep;
    const double up = model->loss_and_gradient(parameters, examples.view(), other);
    parameters[i] = before - kStep;
    const double down = model->loss_and_gradient(parameters, examples.view(), other);
    parameters[i] = before;
    ASSERT_NEAR(gradient[i], (up - down) / (2 * kStep), 2e-8 + 1e-6 * std::abs(gradient[i])) << "parameter " << i;
  }
}

TEST_P(EveryModel, GradientBecomesFinalOncePerParameterFromTheLastLayerToTheFirst) {
  const auto model = make_model<double>(GetParam().options);
  const Examples<double> examples = examples_for(GetParam(), 5);
  std::vector<double> parameters(model->parameter_count()), gradient(parameters.size(), 1e300), seen(parameters.size());
  model->initialise(parameters, 3);
  std::size_t end = parameters.size();
  (void)model->loss_and_gradient(parameters, examples.view(), gradient, [&](std::size_t first, std::size_t count) {
    EXPECT_EQ(first + count, end) << "ranges follow each other downwards";
    EXPECT_GT(count, 0u);
    end = first;
    std::copy_n(gradient.begin() + static_cast<std::ptrdiff_t>(first), count,
                seen.begin() + static_cast<std::ptrdiff_t>(first));
  });
  EXPECT_EQ(end, 0u);
  EXPECT_EQ(seen, gradient) << "what was announced as final has changed";
  EXPECT_LT(*std::max_element(gradient.begin(), gradient.end()), 1e300) << "old entries must be overwritten";
}

TEST_P(EveryModel, SameArgumentsGiveTheSameBits) {
  const auto model = make_model<double>(GetParam().options);
  const auto fresh = make_model<double>(GetParam().options);
  const Examples<double> examples = examples_for(GetParam(), 6), larger = examples_for(GetParam(), 9, 4);
  std::vector<double> parameters(model->parameter_count());
  model->initialise(parameters, 3);
  std::vector<double> first(parameters.size()), second(parameters.size());
  const double loss = model->loss_and_gradient(parameters, examples.view(), first);
  (void)model->loss_and_gradient(parameters, larger.view(), second); // leaves other numbers in the model's memory
  EXPECT_EQ(model->loss_and_gradient(parameters, examples.view(), second), loss);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
  EXPECT_EQ(fresh->loss_and_gradient(parameters, examples.view(), second), loss);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
}

TEST_P(EveryModel, EvaluationIsTheUnregularisedLossAndPredictionsAgreeWithIt) {
  ModelOptions options = GetParam().options;
  options.l2 = 0;
  const auto model = make_model<double>(options);
  const Examples<double> examples = examples_for(GetParam(), 150); // more rows than an evaluation takes at once
  std::vector<double> parameters(model->parameter_count()), gradient(parameters.size());
  model->initialise(parameters, 8);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += 0.1 * random_numbers<double>(1, i)[0];
  const double mean = model->loss_and_gradient(parameters, examples.view(), gradient);
  const Evaluation evaluation = model->evaluate(parameters, examples.view());
  EXPECT_EQ(evaluation.rows, 150u);
  EXPECT_NEAR(evaluation.loss_sum / 150, mean, 1e-12);

  std::vector<double> predicted(150 * model->outputs());
  model->predict(parameters, examples.view(), predicted);
  std::size_t correct = 0;
  double loss = 0;
  for (std::size_t r = 0; r < 150; ++r) {
    const double* const row = predicted.data() + r * model->outputs();
    const double label = examples.labels[r];
    if (options.kind == "ridge") {
      loss += (row[0] - label) * (row[0] - label) / 2;
    } else if (options.kind == "logistic") {
      loss -= std::log(label == 1 ? row[0] : 1 - row[0]);
      if ((row[0] > 0.5) == (label == 1)) ++correct;
    } else {
      EXPECT_NEAR(std::accumulate(row, row + model->outputs(), 0.0), 1, 1e-12);
      loss -= std::log(row[static_cast<std::size_t>(label)]);
      if (std::max_element(row, row + model->outputs()) - row == static_cast<long>(label)) ++correct;
    }
  }
  EXPECT_EQ(evaluation.correct, correct);
  EXPECT_NEAR(evaluation.loss_sum, loss, 1e-8);
}

TEST_P(EveryModel, TensorsCoverTheParametersAndStartValuesDependOnTheSeedAlone) {
  const auto model = make_model<double>(GetParam().options);
  std::size_t end = 0;
  for (const Tensor& tensor : model->tensors()) {
    EXPECT_EQ(tensor.first, end) << tensor.name;
    EXPECT_EQ(std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies<>()),
              tensor.count)
        << tensor.name;
    end += tensor.count;
  }
  EXPECT_EQ(end, model->parameter_count());
  std::vector<double> a(end, 1), b(end, 2), c(end, 3);
  model->initialise(a, 5);
  make_model<double>(GetParam().options)->initialise(b, 5);
  model->initialise(c, 6);
  EXPECT_EQ(a, b);
  if (model->tensors().size() == 2 && GetParam().options.kind != "mlp")
    EXPECT_EQ(a, std::vector<double>(end, 0)) << "linear models start at zero";
  else
    EXPECT_NE(a, c);
}

TEST_P(EveryModel, SinglePrecisionIsCloseToDouble) {
  const auto model = make_model<double>(GetParam().options);
  const auto single = make_model<float>(GetParam().options);
  const Examples<double> examples = examples_for(GetParam(), 8);
  Examples<float> rounded;
  rounded.rows = examples.rows;
  rounded.features = examples.features;
  rounded.dense.assign(examples.dense.begin(), examples.dense.end());
  rounded.row_begin = examples.row_begin;
  rounded.keys = examples.keys;
  rounded.values.assign(examples.values.begin(), examples.values.end());
  rounded.labels.assign(examples.labels.begin(), examples.labels.end());
  std::vector<double> parameters(model->parameter_count()), gradient(parameters.size());
  model->initialise(parameters, 3);
  const std::vector<float> small(parameters.begin(), parameters.end());
  std::vector<float> small_gradient(small.size());
  const double loss = model->loss_and_gradient(parameters, examples.view(), gradient);
  EXPECT_NEAR(single->loss_and_gradient(small, rounded.view(), small_gradient), loss, 1e-5);
  for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_NEAR(small_gradient[i], gradient[i], 1e-4) << i;
}

TEST(Models, HeNormalStartValues) {
  ModelOptions options = options_for("mlp", 400, 10);
  options.hidden = {300};
  const auto model = make_model<double>(options);
  std::vector<double> parameters(model->parameter_count());
  model->initialise(parameters, 1);
  const Tensor& weight = model->tensors()[0];
  ASSERT_EQ(weight.name, "dense1.weight");
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < weight.count; ++i) {
    sum += parameters[i];
    squares += parameters[i] * parameters[i];
  }
  EXPECT_NEAR(sum / 120000, 0, 1e-3);             // deviation of the mean: sqrt(2 / 400 / 120000) = 2e-4
  EXPECT_NEAR(squares / 120000, 2.0 / 400, 2e-4); // deviation: 2 / 400 · sqrt(2 / 120000) = 2e-5
  EXPECT_EQ(model->tensors()[1].name, "dense1.bias");
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(parameters[weight.count + i], 0);
}

Batch<double> batch_of(std::size_t rows, const std::vector<double>& numbers, const std::vector<double>& labels) {
  Batch<double> batch;
  batch.rows = rows;
  batch.features = numbers.size() / rows;
  batch.dense = numbers;
  batch.labels = labels;
  return batch;
}

TEST(Models, RidgeByHand) {
  const auto model = make_model<double>(options_for("ridge", 2, 0, 0.5));
  const std::vector<double> parameters{2, -1, 0.5}; // w, then b
  // Scores 2·1 - 1·3 + 0.5 = -0.5 and 2·2 - 0 + 0.5 = 4.5; distances -1.5 and 0.5.
  const std::vector<double> numbers{1, 3, 2, 0}, labels{1, 4};
  std::vector<double> gradient(3);
  // Loss (1.125 + 0.125) / 2 and 0.25 · (4 + 1) of the weights, not of the bias.
  EXPECT_NEAR(model->loss_and_gradient(parameters, batch_of(2, numbers, labels), gradient), 0.625 + 1.25, 1e-15);
  EXPECT_NEAR(gradient[0], (-1.5 * 1 + 0.5 * 2) / 2 + 0.5 * 2, 1e-15);
  EXPECT_NEAR(gradient[1], (-1.5 * 3 + 0.5 * 0) / 2 - 0.5 * 1, 1e-15);
  EXPECT_NEAR(gradient[2], (-1.5 + 0.5) / 2, 1e-15);
  const Evaluation evaluation = model->evaluate(parameters, batch_of(2, numbers, labels));
  EXPECT_NEAR(evaluation.loss_sum, 1.25, 1e-15);
  EXPECT_EQ(evaluation.correct, 0u);
  std::vector<double> predicted(2);
  model->predict(parameters, batch_of(2, numbers, labels), predicted);
  EXPECT_EQ(predicted, (std::vector<double>{-0.5, 4.5}));
}

TEST(Models, LogisticStaysFiniteForAnyScore) {
  const auto model = make_model<double>(options_for("logistic", 1, 2));
  const std::vector<double> parameters{1, 0};
  std::vector<double> gradient(2), predicted(1);
  const auto loss = [&](double score, double label) {
    return model->loss_and_gradient(parameters, batch_of(1, {score}, {label}), gradient);
  };
  EXPECT_EQ(loss(800, 1), 0);
  EXPECT_EQ(loss(800, 0), 800);
  EXPECT_NEAR(gradient[1], 1, 1e-15);
  EXPECT_EQ(loss(-800, 1), 800);
  EXPECT_NEAR(gradient[1], -1, 1e-15);
  EXPECT_NEAR(loss(40, 1), std::exp(-40), 1e-30) << "small losses are not rounded to zero";
  EXPECT_NEAR(gradient[1], -std::exp(-40), 1e-30);
  EXPECT_NEAR(loss(0, 1), std::log(2), 1e-15);
  model->predict(parameters, batch_of(1, {-800}, {0}), predicted);
  EXPECT_EQ(predicted[0], 0);
}

TEST(Models, SoftmaxByHandAndForLargeScores) {
  const auto model = make_model<double>(options_for("softmax", 1, 3));
  const std::vector<double> parameters{1, 2, -1, 0, 0, 1}; // scores x, 2x, 1 - x
  std::vector<double> gradient(6), predicted(3);
  const double e0 = std::exp(1), e1 = std::exp(2), e2 = std::exp(0), sum = e0 + e1 + e2;
  EXPECT_NEAR(model->loss_and_gradient(parameters, batch_of(1, {1}, {2}), gradient), std::log(sum), 1e-15);
  EXPECT_NEAR(gradient[3], e0 / sum, 1e-15);
  EXPECT_NEAR(gradient[4], e1 / sum, 1e-15);
  EXPECT_NEAR(gradient[5], e2 / sum - 1, 1e-15);
  EXPECT_EQ(model->loss_and_gradient(parameters, batch_of(1, {1000}, {0}), gradient), 1000);
  EXPECT_EQ(model->evaluate(parameters, batch_of(2, {1, 1}, {1, 0})).correct, 1u);
  model->predict(parameters, batch_of(1, {1000}, {0}), predicted);
  EXPECT_EQ(predicted, (std::vector<double>{0, 1, 0}));
}

TEST(Models, CnnHasTheShapesOfTheTextbook) {
  const auto model = make_model<float>(image_options(28, 28, 1, 10));
  // 9·32+32, 9·32·64+64, 1600·64+64, 64·10+10
  EXPECT_EQ(model->parameter_count(), 320u + 18496u + 102464u + 650u);
  EXPECT_EQ(model->outputs(), 10u);
  std::vector<std::string> names;
  for (const Tensor& tensor : model->tensors()) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                             "dense1.weight", "dense1.bias", "dense2.weight", "dense2.bias"}));
  const double conv1 = 2.0 * 676 * 9 * 32, rest = 2.0 * (121 * 288 * 64 + 1600 * 64 + 640);
  EXPECT_EQ(model->flops_per_row(), 2 * conv1 + 3 * rest);
  EXPECT_EQ(make_model<float>(image_options(12, 12, 1, 10))->tensors()[4].shape[0], 64u) << "1 x 1 pixels are left";
  EXPECT_EQ(make_model<float>(image_options(8, 8, 1, 10))->tensors()[4].shape[0], 256u) << "padded: 2 x 2 pixels";
  EXPECT_EQ(make_model<float>(image_options(4, 9, 1, 10))->tensors()[4].shape[0], 128u) << "padded: 1 x 2 pixels";
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Models, RefuseDataThatDoNotFit) {
  const auto refusal = [](const ModelOptions& options) {
    return message_of<core::InputError>([&] { (void)make_model<double>(options); });
  };
  EXPECT_EQ(refusal(options_for("tree", 3, 2)), "unknown model 'tree'; there are ridge, logistic, softmax, mlp, cnn");
  EXPECT_EQ(refusal(options_for("ridge", 0, 0)), "ridge: the data have no features");
  EXPECT_EQ(refusal(options_for("ridge", 3, 0, -1)), "ridge: l2 is -1, it must not be negative");
  EXPECT_EQ(refusal(options_for("ridge", 3, 0, std::nan(""))), "ridge: l2 is nan, it must not be negative");
  EXPECT_EQ(refusal(options_for("logistic", 3, 3)), "logistic: needs 2 classes, the data have 3");
  EXPECT_EQ(refusal(options_for("softmax", 3, 1)), "softmax: needs at least 2 classes, the data have 1");
  EXPECT_EQ(refusal(options_for("cnn", 3, 2)), "cnn: needs images (an IDX file, digits, or synthetic:images)");
  EXPECT_EQ(refusal(image_options(3, 8, 1, 2)), "cnn: images of 3 x 8 pixels are too small; 4 x 4 is the least");
  EXPECT_EQ(refusal(mlp_options(3, {4, 0})), "mlp: a hidden layer needs at least one unit");
  EXPECT_EQ(refusal(options_for("softmax", std::size_t{1} << 62, 10)),
            "softmax: 4611686018427387904 x 10 parameters in one layer; a dense model may have 1073741824");
}

TEST(Models, RefuseBatchesThatDoNotFit) {
  const auto model = make_model<double>(options_for("softmax", 2, 3));
  std::vector<double> parameters(9), gradient(9);
  const auto refusal = [&](const Batch<double>& batch, std::size_t count = 9) {
    return message_of<PsError>(
        [&] { (void)model->loss_and_gradient(std::span<const double>(parameters).first(count), batch, gradient); });
  };
  const std::vector<double> two{1, 2}, three{1, 2, 3}, right{1}, high{3}, low{-1}, broken{0.5}, none{};
  EXPECT_EQ(refusal(batch_of(1, two, right)), "nothing was thrown");
  EXPECT_EQ(refusal(batch_of(1, three, right)), "softmax: rows of 3 features given, the model has 2");
  EXPECT_EQ(refusal(batch_of(1, two, right), 8), "softmax: 8 parameters given, the model has 9");
  EXPECT_EQ(refusal(batch_of(1, two, high)), "label 3 is none of the classes 0 to 2");
  EXPECT_EQ(refusal(batch_of(1, two, low)), "label -1 is none of the classes 0 to 2");
  EXPECT_EQ(refusal(batch_of(1, two, broken)), "label 0.5 is none of the classes 0 to 2");
  EXPECT_EQ(refusal(batch_of(1, two, none)), "softmax: 0 labels for 1 rows, 9 gradient entries for 9 parameters");
  const std::vector<std::size_t> row_begin{0, 1};
  const std::vector<std::uint64_t> keys{2};
  const std::vector<double> values{1};
  Batch<double> sparse{1, 2, {}, row_begin, keys, values, right};
  EXPECT_EQ(refusal(sparse), "softmax: feature 2 given, the model has 2");
  const auto logistic = make_model<double>(options_for("logistic", 2, 2));
  EXPECT_EQ(message_of<PsError>(
                [&] { (void)logistic->evaluate(std::span<const double>(parameters).first(3), batch_of(1, two, low)); }),
            "logistic: label -1 is neither 0 nor 1");
  const auto cnn = make_model<double>(image_options(4, 4, 1, 2));
  std::vector<double> many(cnn->parameter_count());
  sparse.features = 16;
  EXPECT_EQ(message_of<PsError>([&] { (void)cnn->evaluate(many, sparse); }),
            "cnn: sparse rows given, the model needs images");
}

} // namespace
} // namespace ps
