// Every layer alone: its output against the definition, its gradients against central differences.
//
// The loss of these tests is Σ c_i y_i with random c, so the gradient by the output is c, and the derivative of the
// loss by any input or parameter is found by moving that number up and down. In double with a step of 1e-6 a central
// difference of a function that is linear within the step is right to about 1e-9; inputs keep away from the kinks of
// relu and of the maximum by more than the step.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/layers/convolution.hpp"
#include "models/layers/dense.hpp"
#include "models/layers/relu.hpp"
#include "models/layers/relu_max_pool.hpp"
#include "random_numbers.hpp"

namespace ps {
namespace {

constexpr double kStep = 1e-6;
constexpr double kTolerance = 1e-7;

std::size_t parameters_of(const Layer<double>& layer) {
  std::size_t count = 0;
  for (const LayerTensor& tensor : layer.tensors()) count += tensor.count;
  return count;
}

Batch<double> dense_batch(std::size_t rows, const std::vector<double>& numbers) {
  Batch<double> batch;
  batch.rows = rows;
  batch.features = numbers.size() / rows;
  batch.dense = numbers;
  return batch;
}

/// Numbers whose differences are far larger than the step, in a random order.
std::vector<double> distinct_numbers(std::size_t count, std::uint64_t seed) {
  core::CounterRandom random(seed);
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(count) - 0.5;
  for (std::size_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
  return numbers;
}

void check_gradients(Layer<double>& layer, std::size_t rows, std::vector<double> input) {
  ASSERT_EQ(input.size(), rows * layer.inputs());
  std::vector<double> parameters = random_numbers<double>(parameters_of(layer), 11);
  const std::vector<double> c = random_numbers<double>(rows * layer.outputs(), 12);
  std::vector<double> output(c.size());
  const auto loss = [&] {
    layer.forward(parameters, dense_batch(rows, input), output);
    double sum = 0;
    for (std::size_t i = 0; i < c.size(); ++i) sum += c[i] * output[i];
    return sum;
  };
  (void)loss();
  std::vector<double> parameter_gradient(parameters.size(), 0.25); // backward() adds to it
  std::vector<double> input_gradient(input.size(), 99);            // and overwrites this
  layer.backward(parameters, dense_batch(rows, input), output, c, parameter_gradient, input_gradient);

  const auto slope = [&](double& x) {
    const double before = x;
    x = before + kStep;
    const double up = loss();
    x = before - kStep;
    const double down = loss();
    x = before;
    return (up - down) / (2 * kStep);
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ASSERT_NEAR(parameter_gradient[i] - 0.25, slope(parameters[i]), kTolerance) << "parameter " << i;
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    ASSERT_NEAR(input_gradient[i], slope(input[i]), kTolerance) << "input " << i;
  }

  // The first layer of a network is not asked for its input's gradient.
  std::vector<double> again(parameters.size(), 0.25);
  (void)loss();
  layer.backward(parameters, dense_batch(rows, input), output, c, again, {});
  EXPECT_EQ(again, parameter_gradient);
}

TEST(Layers, DenseGradients) {
  for (const auto& [rows, inputs, outputs] : {std::array<std::size_t, 3>{1, 3, 2}, {5, 4, 1}, {7, 20, 30}, {3, 1, 1}}) {
    Dense<double> layer(inputs, outputs);
    check_gradients(layer, rows, random_numbers<double>(rows * inputs, 3));
  }
}

TEST(Layers, DenseOnSparseRowsIsDenseOnDenseRows) {
  constexpr std::size_t kRows = 6, kInputs = 9, kOutputs = 4;
  std::vector<double> numbers = random_numbers<double>(kRows * kInputs, 5);
  Examples<double> sparse;
  sparse.row_begin.push_back(0);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = 0; k < kInputs; ++k) {
      double& x = numbers[r * kInputs + k];
      if (r == 2 || x < 0.2) { // row 2 is empty
        x = 0;
        continue;
      }
      sparse.keys.push_back(k);
      sparse.values.push_back(x);
    }
    sparse.row_begin.push_back(sparse.keys.size());
  }
  sparse.rows = kRows;
  sparse.features = kInputs;
  Dense<double> layer(kInputs, kOutputs);
  const auto parameters = random_numbers<double>(parameters_of(layer), 6);
  const auto c = random_numbers<double>(kRows * kOutputs, 7);
  std::vector<double> output[2], gradient[2];
  const Batch<double> batches[2] = {dense_batch(kRows, numbers), sparse.view()};
  for (int kind = 0; kind < 2; ++kind) {
    output[kind].resize(c.size());
    gradient[kind].resize(parameters.size());
    layer.forward(parameters, batches[kind], output[kind]);
    layer.backward(parameters, batches[kind], output[kind], c, gradient[kind], {});
  }
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(output[0][i], output[1][i], 1e-14);
  for (std::size_t i = 0; i < parameters.size(); ++i) EXPECT_NEAR(gradient[0][i], gradient[1][i], 1e-14);
}

TEST(Layers, ReluGradients) {
  Relu<double> layer(12);
  check_gradients(layer, 3, distinct_numbers(36, 4));
}

TEST(Layers, ReluByHand) {
  Relu<double> layer(4);
  const std::vector<double> input{-1, 0, 2, -0.0};
  std::vector<double> output(4), gradient(4);
  layer.forward({}, dense_batch(1, input), output);
  EXPECT_EQ(output, (std::vector<double>{0, 0, 2, 0}));
  layer.backward({}, dense_batch(1, input), output, std::vector<double>{5, 6, 7, 8}, {}, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{0, 0, 7, 0}));
}

/// The definition of a 3x3 convolution, with zeros around the image as far as padding wants them.
std::vector<double> convolve(const std::vector<double>& images, std::size_t rows, ImageShape in, std::size_t filters,
                             Padding padding, const std::vector<double>& parameters) {
  const long ring = padding == Padding::same ? 1 : 0;
  const long height = static_cast<long>(in.rows) - 2 + 2 * ring, width = static_cast<long>(in.columns) - 2 + 2 * ring;
  std::vector<double> output;
  for (std::size_t i = 0; i < rows; ++i) {
    for (long y = 0; y < height; ++y) {
      for (long x = 0; x < width; ++x) {
        for (std::size_t f = 0; f < filters; ++f) {
          double sum = parameters[9 * in.channels * filters + f];
          for (long dy = 0; dy < 3; ++dy) {
            for (long dx = 0; dx < 3; ++dx) {
              const long iy = y + dy - ring, ix = x + dx - ring;
              if (iy < 0 || ix < 0 || iy >= static_cast<long>(in.rows) || ix >= static_cast<long>(in.columns)) continue;
              for (std::size_t c = 0; c < in.channels; ++c) {
                const std::size_t pixel = static_cast<std::size_t>(iy) * in.columns + static_cast<std::size_t>(ix);
                const std::size_t tap = static_cast<std::size_t>(3 * dy + dx);
                sum +=
                    images[i * in.size() + pixel * in.channels + c] * parameters[(tap * in.channels + c) * filters + f];
              }
            }
          }
          output.push_back(sum);
        }
      }
    }
  }
  return output;
}

struct ConvolutionCase {
  ImageShape image;
  std::size_t filters, rows;
};
// One channel and several; a single output pixel; more images than fit into one group of patches.
const ConvolutionCase kConvolutions[] = {{{3, 3, 1}, 1, 1}, {{5, 4, 1}, 3, 2}, {{6, 5, 2}, 4, 3}, {{4, 7, 3}, 2, 2}};

TEST(Layers, ConvolutionEqualsTheDefinition) {
  std::vector<ConvolutionCase> cases(std::begin(kConvolutions), std::end(kConvolutions));
  cases.push_back({{13, 13, 32}, 64, 5});
  cases.push_back({{28, 28, 1}, 32, 23});
  for (const auto& [image, filters, rows] : cases) {
    for (const Padding padding : {Padding::valid, Padding::same}) {
      Convolution<double> layer(image, filters, padding);
      const auto images = random_numbers<double>(rows * image.size(), 8);
      const auto parameters = random_numbers<double>(parameters_of(layer), 9);
      std::vector<double> output(rows * layer.outputs());
      layer.forward(parameters, dense_batch(rows, images), output);
      const std::vector<double> expected = convolve(images, rows, image, filters, padding, parameters);
      ASSERT_EQ(output.size(), expected.size());
      for (std::size_t i = 0; i < output.size(); ++i) ASSERT_NEAR(output[i], expected[i], 1e-12) << i;
    }
  }
}

TEST(Layers, ConvolutionGradients) {
  for (const auto& [image, filters, rows] : kConvolutions) {
    for (const Padding padding : {Padding::valid, Padding::same}) {
      Convolution<double> layer(image, filters, padding);
      check_gradients(layer, rows, random_numbers<double>(rows * image.size(), 10));
    }
  }
}

TEST(Layers, ConvolutionGradientsOverSeveralGroupsOfImages) {
  const ImageShape image{13, 13, 32};
  constexpr std::size_t kRows = 5, kFilters = 16;
  Convolution<double> layer(image, kFilters, Padding::valid);
  const auto images = random_numbers<double>(kRows * image.size(), 21);
  const auto parameters = random_numbers<double>(parameters_of(layer), 22);
  const auto c = random_numbers<double>(kRows * layer.outputs(), 23);
  std::vector<double> together(parameters.size()), one_by_one(parameters.size());
  std::vector<double> below(images.size()), below_alone(images.size());
  layer.backward(parameters, dense_batch(kRows, images), {}, c, together, below);
  for (std::size_t r = 0; r < kRows; ++r) {
    Batch<double> alone = dense_batch(kRows, images);
    alone.rows = 1;
    alone.dense = alone.dense.subspan(r * image.size(), image.size());
    layer.backward(parameters, alone, {}, std::span<const double>(c).subspan(r * layer.outputs(), layer.outputs()),
                   one_by_one, std::span<double>(below_alone).subspan(r * image.size(), image.size()));
  }
  for (std::size_t i = 0; i < together.size(); ++i) ASSERT_NEAR(together[i], one_by_one[i], 1e-11) << i;
  for (std::size_t i = 0; i < below.size(); ++i) ASSERT_NEAR(below[i], below_alone[i], 1e-12) << i;
}

TEST(Layers, ReluMaxPoolGradients) {
  for (const ImageShape image : {ImageShape{2, 2, 1}, {4, 6, 3}, {5, 4, 2}, {4, 5, 1}, {7, 7, 16}, {3, 3, 5}}) {
    ReluMaxPool<double> layer(image);
    check_gradients(layer, 2, distinct_numbers(2 * image.size(), 14));
  }
}

TEST(Layers, ReluMaxPoolByHand) {
  // 3 x 3 pixels, one channel: the last row and column are left out. Equal pixels: the first takes the gradient.
  ReluMaxPool<double> layer(ImageShape{3, 3, 1});
  const std::vector<double> images{1, 3, 9, 3, 2, 9, 9, 9, 9, /*second:*/ -1, -2, 9, -3, -4, 9, 9, 9, 9};
  std::vector<double> output(2), gradient(18, 77);
  layer.forward({}, dense_batch(2, images), output);
  EXPECT_EQ(output, (std::vector<double>{3, 0}));
  layer.backward({}, dense_batch(2, images), output, std::vector<double>{5, 6}, {}, gradient);
  std::vector<double> expected(18, 0);
  expected[1] = 5;
  EXPECT_EQ(gradient, expected);
}

} // namespace
} // namespace ps
