// The five models, each a list of layers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "models/layers/convolution.hpp"
#include "models/layers/dense.hpp"
#include "models/layers/relu.hpp"
#include "models/layers/relu_max_pool.hpp"
#include "models/network.hpp"

namespace ps {
namespace {

constexpr std::string_view kKinds[] = {"ridge", "logistic", "softmax", "mlp", "cnn"};

// The convolutional network of the textbooks on Keras (Chollet 2017, chapter 5, with a narrower top).
constexpr std::size_t kFirstFilters = 32, kSecondFilters = 64, kTopWidth = 64;
constexpr std::size_t kSmallestValid = 10; // from this side on two unpadded convolutions and two poolings leave a pixel
constexpr std::size_t kSmallestImage = 4;  // with padding: 4 -> 2 -> 1

[[noreturn]] void refuse(const ModelOptions& options, const std::string& reason) {
  throw core::InputError(fmt::format("{}: {}", options.kind, reason));
}

void require_features(const ModelOptions& options) {
  if (options.shape.features == 0) refuse(options, "the data have no features");
}

void require_classes(const ModelOptions& options) {
  const std::size_t classes = options.shape.classes;
  if (classes < 2) refuse(options, fmt::format("needs at least 2 classes, the data have {}", classes));
}

/// Appends a dense layer of `width` outputs. Refuses it before its memory is asked for.
template <class T>
void add_dense(const ModelOptions& options, std::vector<NamedLayer<T>>& layers, std::string name, std::size_t inputs,
               std::size_t width) {
  if (inputs > kLargestModel / width) {
    refuse(options,
           fmt::format("{} x {} parameters in one layer; a dense model may have {}", inputs, width, kLargestModel));
  }
  layers.push_back({std::move(name), std::make_unique<Dense<T>>(inputs, width)});
}

template <class T>
std::unique_ptr<Model<T>> make_linear(const ModelOptions& options, std::size_t outputs, std::unique_ptr<Loss<T>> loss) {
  std::vector<NamedLayer<T>> layers;
  add_dense(options, layers, "", options.shape.features, outputs);
  return std::make_unique<Network<T>>(options.kind, std::move(layers), std::move(loss), options.l2, Start::zero);
}

template <class T>
std::unique_ptr<Model<T>> make_mlp(const ModelOptions& options) {
  std::vector<NamedLayer<T>> layers;
  std::size_t width = options.shape.features;
  std::size_t number = 1;
  for (const std::size_t next : options.hidden) {
    if (next == 0) refuse(options, "a hidden layer needs at least one unit");
    add_dense(options, layers, fmt::format("dense{}", number), width, next);
    layers.push_back({fmt::format("relu{}", number++), std::make_unique<Relu<T>>(next)});
    width = next;
  }
  add_dense(options, layers, fmt::format("dense{}", number), width, options.shape.classes);
  return std::make_unique<Network<T>>(options.kind, std::move(layers), make_softmax_loss<T>(), options.l2,
                                      Start::he_normal);
}

/// Appends a convolution, rectified and pooled; returns the shape of what comes out.
template <class T>
ImageShape add_convolution(std::vector<NamedLayer<T>>& layers, int number, ImageShape image, std::size_t filters,
                           Padding padding) {
  auto convolution = std::make_unique<Convolution<T>>(image, filters, padding);
  auto pool = std::make_unique<ReluMaxPool<T>>(convolution->output_shape());
  const ImageShape pooled = pool->output_shape();
  layers.push_back({fmt::format("conv{}", number), std::move(convolution)});
  layers.push_back({fmt::format("pool{}", number), std::move(pool)});
  return pooled;
}

template <class T>
std::unique_ptr<Model<T>> make_cnn(const ModelOptions& options) {
  const DataShape& shape = options.shape;
  const ImageShape image{shape.image_rows, shape.image_columns, std::max<std::size_t>(shape.channels, 1)};
  if (image.size() == 0) refuse(options, "needs images (an IDX file, digits, or synthetic:images)");
  if (image.size() != shape.features) {
    refuse(options, fmt::format("{} features are not {} x {} pixels", shape.features, image.rows, image.columns));
  }
  const std::size_t side = std::min(image.rows, image.columns);
  if (side < kSmallestImage) {
    refuse(options, fmt::format("images of {} x {} pixels are too small; {} x {} is the least", image.rows,
                                image.columns, kSmallestImage, kSmallestImage));
  }
  if (image.size() > kLargestModel / kFirstFilters) {
    refuse(options, fmt::format("images of {} x {} pixels are too large", image.rows, image.columns));
  }
  const Padding padding = side >= kSmallestValid ? Padding::valid : Padding::same;
  std::vector<NamedLayer<T>> layers;
  const ImageShape first = add_convolution(layers, 1, image, kFirstFilters, padding);
  const ImageShape second = add_convolution(layers, 2, first, kSecondFilters, padding);
  add_dense(options, layers, "dense1", second.size(), kTopWidth);
  layers.push_back({"relu1", std::make_unique<Relu<T>>(kTopWidth)});
  add_dense(options, layers, "dense2", kTopWidth, shape.classes);
  return std::make_unique<Network<T>>(options.kind, std::move(layers), make_softmax_loss<T>(), options.l2,
                                      Start::he_normal);
}

} // namespace

std::span<const std::string_view> model_kinds() noexcept {
  return kKinds;
}

bool is_linear_model(std::string_view kind) noexcept {
  return kind == "ridge" || kind == "logistic" || kind == "softmax";
}

template <class T>
std::unique_ptr<Model<T>> make_model(const ModelOptions& options) {
  if (std::find(std::begin(kKinds), std::end(kKinds), options.kind) == std::end(kKinds)) {
    throw core::InputError(fmt::format("unknown model '{}'; there are {}", options.kind, fmt::join(kKinds, ", ")));
  }
  if (!(options.l2 >= 0)) refuse(options, fmt::format("l2 is {}, it must not be negative", options.l2));
  require_features(options);
  if (options.kind == "ridge") return make_linear(options, 1, make_squared_loss<T>());
  if (options.kind == "logistic") {
    if (options.shape.classes != 2 && options.shape.classes != 0) {
      refuse(options, fmt::format("needs 2 classes, the data have {}", options.shape.classes));
    }
    return make_linear(options, 1, make_logistic_loss<T>());
  }
  require_classes(options);
  if (options.kind == "softmax") return make_linear(options, options.shape.classes, make_softmax_loss<T>());
  if (options.kind == "mlp") return make_mlp<T>(options);
  return make_cnn<T>(options);
}

template std::unique_ptr<Model<float>> make_model(const ModelOptions&);
template std::unique_ptr<Model<double>> make_model(const ModelOptions&);

} // namespace ps
