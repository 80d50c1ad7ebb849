// How close does training the convolutional network come to Eigen's matrix product? One rank, one thread, float.
//
//   cnn_throughput [--batch 32] [--size 28] [--rounds 15] [--json FILE]
//
// A step is a forward and a backward pass over one batch. Its floating-point operations (Model::flops_per_row) over its
// time are compared with those of Eigen's products of the same layer shapes: for each layer the output, the gradient of
// the weights and (but for the first) the gradient of the input, on matrices that hold the whole batch's patches
// already. Eigen's time so leaves out what a network does besides: copying patches, adding gradients up, biases,
// pooling, loss. Both are measured in turns, so that other load hits both; the ratio is the median of the turns'
// ratios. Eigen runs with the block sizes that it finds itself, the network with the fixed ones that the library sets.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "ps/models/model.hpp"

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct CacheSizes {
  std::ptrdiff_t first, second, third;
  static CacheSizes now() { return {Eigen::l1CacheSize(), Eigen::l2CacheSize(), Eigen::l3CacheSize()}; }
  void set() const { Eigen::setCpuCacheSizes(first, second, third); }
};

/// One layer's three products.
class LayerProducts {
 public:
  LayerProducts(Eigen::Index rows, Eigen::Index depth, Eigen::Index columns, bool input_gradient)
      : input_(Matrix::Random(rows, depth)),
        weights_(Matrix::Random(depth, columns)),
        output_(rows, columns),
        weight_gradient_(depth, columns),
        input_gradient_(input_gradient ? rows : 0, depth) {}

  void forward() { output_.noalias() = input_ * weights_; }
  void backward() {
    weight_gradient_.noalias() = input_.transpose() * output_;
    if (input_gradient_.size() != 0) input_gradient_.noalias() = output_ * weights_.transpose();
  }
  [[nodiscard]] double flops() const {
    const double one = 2.0 * static_cast<double>(input_.size()) * static_cast<double>(weights_.cols());
    return one * (input_gradient_.size() != 0 ? 3 : 2);
  }
  [[nodiscard]] float sample() const { return weight_gradient_(0, 0); } ///< so that nothing is optimised away

 private:
  Matrix input_, weights_, output_, weight_gradient_, input_gradient_;
};

/// The products of the model's layers, read off its weights: a weight of a x b applied at n places of an image.
std::vector<LayerProducts> products_of(const ps::Model<float>& model, std::size_t size, std::size_t batch) {
  std::vector<LayerProducts> layers;
  const std::size_t ring = size >= 10 ? 0 : 2; // padding adds a pixel on each side
  std::size_t side = size;
  for (const ps::Tensor& tensor : model.tensors()) {
    if (tensor.shape.size() == 1) continue; // a bias
    const auto columns = static_cast<Eigen::Index>(tensor.shape.back());
    const auto depth = static_cast<Eigen::Index>(tensor.count) / columns;
    std::size_t places = 1;
    if (tensor.shape.size() == 4) {
      side = side + ring - 2;
      places = side * side;
      side /= 2;
    }
    layers.emplace_back(static_cast<Eigen::Index>(batch * places), depth, columns, !layers.empty());
  }
  return layers;
}

template <class F>
double seconds_of(F&& work) {
  const core::Stopwatch clock;
  work();
  return clock.seconds();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Settings {
  std::size_t batch = 32, size = 28;
  int rounds = 15, steps = 10;
  std::string json;
};

ps::Examples<float> random_images(const Settings& settings, std::size_t classes) {
  ps::Examples<float> images;
  images.rows = settings.batch;
  images.features = settings.size * settings.size;
  core::CounterRandom random(1);
  for (std::size_t i = 0; i < images.rows * images.features; ++i) {
    images.dense.push_back(static_cast<float>(random.uniform()));
  }
  for (std::size_t r = 0; r < images.rows; ++r) images.labels.push_back(static_cast<float>(random.below(classes)));
  return images;
}

nlohmann::json measure(const Settings& settings) {
  const CacheSizes found = CacheSizes::now();
  ps::ModelOptions options;
  options.kind = "cnn";
  options.shape.features = settings.size * settings.size;
  options.shape.image_rows = options.shape.image_columns = settings.size;
  options.shape.channels = 1;
  options.shape.classes = 10;
  const auto model = ps::make_model<float>(options);
  const ps::Examples<float> images = random_images(settings, options.shape.classes);
  std::vector<float> parameters(model->parameter_count()), gradient(parameters.size());
  model->initialise(parameters, 1);
  std::vector<LayerProducts> layers = products_of(*model, settings.size, settings.batch);
  double eigen_flops = 0;
  for (const LayerProducts& layer : layers) eigen_flops += layer.flops();

  float sink = 0;
  const auto train = [&] {
    for (int step = 0; step < settings.steps; ++step) {
      sink += static_cast<float>(model->loss_and_gradient(parameters, images.view(), gradient));
    }
  };
  const auto multiply = [&] {
    for (int step = 0; step < settings.steps; ++step) {
      for (LayerProducts& layer : layers) layer.forward();
      for (LayerProducts& layer : layers) layer.backward();
      sink += layers.front().sample();
    }
  };
  train();
  const CacheSizes fixed = CacheSizes::now();
  std::vector<double> rates, eigen_rates, ratios;
  const double rows = static_cast<double>(settings.batch) * settings.steps;
  for (int round = 0; round < settings.rounds; ++round) {
    fixed.set();
    rates.push_back(model->flops_per_row() * rows / seconds_of(train));
    found.set();
    if (round == 0) multiply(); // touches its memory
    eigen_rates.push_back(eigen_flops * settings.steps / seconds_of(multiply));
    ratios.push_back(rates.back() / eigen_rates.back());
  }
  if (sink == 0.125F) std::puts(""); // never; keeps the sums
  const double rate = median(rates);
  return {{"batch", settings.batch},
          {"size", settings.size},
          {"samples_per_second", rate / model->flops_per_row()},
          {"gflops", rate / 1e9},
          {"eigen_gflops", median(eigen_rates) / 1e9},
          {"ratio", median(ratios)}};
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Training speed of the convolutional network beside Eigen's matrix products of the same shapes");
  app.add_option("--batch", settings.batch, "Rows of a batch")->check(CLI::Range(1, 4096))->capture_default_str();
  app.add_option("--size", settings.size, "Pixels on a side of an image")
      ->check(CLI::Range(4, 256))
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "Turns of network and Eigen")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "Batches in a turn")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--json", settings.json, "Write the figures here too");
  CLI11_PARSE(app, argc, argv);
  const nlohmann::json result = measure(settings);
  fmt::print(
      "batch {}, {} x {} pixels: {:.0f} samples/s, {:.1f} GFLOP/s; Eigen's products {:.1f} GFLOP/s; ratio {:.2f}\n",
      settings.batch, settings.size, settings.size, result["samples_per_second"].get<double>(),
      result["gflops"].get<double>(), result["eigen_gflops"].get<double>(), result["ratio"].get<double>());
  if (!settings.json.empty()) std::ofstream(settings.json) << result.dump(2) << '\n';
  return 0;
}
