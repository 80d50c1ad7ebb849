#include "data/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "models/normal.hpp"

namespace ps {
namespace {

// Streams of random numbers: rows count from 0, held-out rows from kTestRows, the rest is beyond both.
constexpr std::uint64_t kTestRows = std::uint64_t{1} << 62;
constexpr std::uint64_t kParameters = std::uint64_t{1} << 63;

/// A standard Gumbel number; the difference of two is logistic.
double gumbel(core::CounterRandom& random) {
  return -std::log(-std::log((static_cast<double>(random.next() >> 12) + 0.5) * 0x1.0p-52));
}

template <class T>
class RowMaker {
 public:
  virtual ~RowMaker() = default;
  /// Appends the row made from `random`.
  virtual void append(core::CounterRandom random, Examples<T>& rows) const = 0;
  [[nodiscard]] virtual std::vector<T> optimum() const { return {}; }
};

/// Rows whose label follows from scores x·w + b, one for each output, and noise.
template <class T>
class LinearRows final : public RowMaker<T> {
 public:
  explicit LinearRows(const SyntheticSpec& spec) : spec_(spec), outputs_(spec.kind == "softmax" ? spec.classes : 1) {
    core::CounterRandom random(spec.seed, kParameters);
    const std::size_t used = spec.nonzeros != 0 ? spec.nonzeros : spec.features;
    // Targets of ridge have weights of size 1; scores of classes have a deviation of 3, so that most rows are clear.
    const double scale = spec.kind == "ridge" ? 1 : 3 / std::sqrt(static_cast<double>(used));
    parameters_.resize((spec.features + 1) * outputs_);
    for (double& w : parameters_) w = scale * standard_normal(random);
  }

  void append(core::CounterRandom random, Examples<T>& rows) const override {
    std::vector<double> scores(parameters_.end() - static_cast<std::ptrdiff_t>(outputs_), parameters_.end());
    const std::size_t entries = spec_.nonzeros != 0 ? spec_.nonzeros : spec_.features;
    for (std::size_t i = 0; i < entries; ++i) {
      const std::size_t key = spec_.nonzeros != 0 ? sparse_key(i, random) : i;
      const T x = static_cast<T>(standard_normal(random));
      if (spec_.nonzeros != 0) rows.keys.push_back(key);
      (spec_.nonzeros != 0 ? rows.values : rows.dense).push_back(x);
      for (std::size_t c = 0; c < outputs_; ++c) {
        scores[c] += static_cast<double>(x) * parameters_[key * outputs_ + c];
      }
    }
    if (spec_.nonzeros != 0) rows.row_begin.push_back(rows.keys.size());
    rows.labels.push_back(static_cast<T>(label(scores, random)));
  }

  [[nodiscard]] std::vector<T> optimum() const override {
    if (spec_.kind == "ridge") return {parameters_.begin(), parameters_.end()};
    std::vector<T> best;
    if (spec_.noise == 0) return best; // the larger the parameters the better
    for (const double w : parameters_) best.push_back(static_cast<T>(w / spec_.noise));
    return best;
  }

 private:
  /// One key from each of `nonzeros` equal stretches of the features: they rise and never meet.
  [[nodiscard]] std::size_t sparse_key(std::size_t i, core::CounterRandom& random) const {
    const auto border = [this](std::size_t n) {
      return static_cast<std::size_t>(static_cast<core::Uint128>(n) * spec_.features / spec_.nonzeros);
    };
    return border(i) + random.below(border(i + 1) - border(i));
  }

  [[nodiscard]] double label(std::vector<double>& scores, core::CounterRandom& random) const {
    if (spec_.kind == "ridge") return scores[0] + spec_.noise * standard_normal(random);
    if (spec_.kind == "logistic") {
      const double first = gumbel(random);
      return scores[0] + spec_.noise * (first - gumbel(random)) > 0 ? 1 : 0;
    }
    for (double& score : scores) score += spec_.noise * gumbel(random);
    return static_cast<double>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }

  const SyntheticSpec& spec_;
  std::size_t outputs_;
  std::vector<double> parameters_; ///< as the models lay them out: features x outputs, then the biases
};

/// Pictures of classes.
template <class T>
class ImageRows final : public RowMaker<T> {
 public:
  explicit ImageRows(const SyntheticSpec& spec) : spec_(spec) {
    constexpr int kBlobs = 4;
    const auto side = static_cast<double>(spec.size);
    for (std::size_t c = 0; c < spec.classes; ++c) {
      core::CounterRandom random(spec.seed, kParameters, c);
      for (int b = 0; b < kBlobs; ++b) {
        const double y = side * (0.15 + 0.7 * random.uniform());
        const double x = side * (0.15 + 0.7 * random.uniform());
        blobs_.push_back({y, x});
      }
    }
    radius_ = 0.12 * side;
    per_class_ = kBlobs;
  }

  void append(core::CounterRandom random, Examples<T>& rows) const override {
    const std::uint64_t label = random.below(spec_.classes);
    const double down = static_cast<double>(random.below(3)) - 1;
    const double right = static_cast<double>(random.below(3)) - 1;
    for (std::size_t y = 0; y < spec_.size; ++y) {
      for (std::size_t x = 0; x < spec_.size; ++x) {
        double pixel = spec_.noise == 0 ? 0 : spec_.noise * standard_normal(random);
        for (std::size_t b = label * per_class_; b < (label + 1) * per_class_; ++b) {
          const double dy = static_cast<double>(y) + 0.5 - down - blobs_[b].y;
          const double dx = static_cast<double>(x) + 0.5 - right - blobs_[b].x;
          pixel += std::exp(-(dy * dy + dx * dx) / (2 * radius_ * radius_));
        }
        rows.dense.push_back(static_cast<T>(std::clamp(pixel, 0.0, 1.0)));
      }
    }
    rows.labels.push_back(static_cast<T>(label));
  }

 private:
  struct Blob {
    double y, x;
  };
  const SyntheticSpec& spec_;
  std::vector<Blob> blobs_;
  std::size_t per_class_ = 0;
  double radius_ = 1;
};

void check_options(const SyntheticSpec& spec, const DataOptions& options) {
  const std::size_t classes = spec.kind == "ridge" ? 0 : spec.kind == "logistic" ? 2 : spec.classes;
  const auto fail = [&options](const std::string& reason) {
    throw core::InputError(fmt::format("data '{}': {}", options.source, reason));
  };
  if (options.labels != LabelKind::real && classes == 0) fail("targets are real numbers, not classes");
  if (options.labels == LabelKind::binary && classes != 2) fail(fmt::format("{} classes, the model has 2", classes));
  if (options.features != 0 && spec.features != options.features) {
    fail(fmt::format("{} features, the model has {}", spec.features, options.features));
  }
  if (options.labels == LabelKind::classes && options.classes != 0 && classes > options.classes) {
    fail(fmt::format("{} classes, the model has {}", classes, options.classes));
  }
}

} // namespace

template <class T>
Part<T> make_synthetic(const SyntheticSpec& spec, const DataOptions& options, const WorkerRows& rows) {
  check_options(spec, options);
  const bool images = spec.kind == "images";
  Part<T> part;
  part.name = "synthetic " + spec.kind;
  part.rows = options.test_part ? spec.test : spec.rows;
  if (options.max_rows != 0) part.rows = std::min(part.rows, options.max_rows);
  part.features = spec.features;
  if (images) {
    part.image_rows = part.image_columns = spec.size;
    part.channels = 1;
  }
  part.labels.greatest = spec.kind == "logistic" ? 1 : static_cast<double>(spec.classes - 1);
  part.shares.resize(rows.shares());
  std::unique_ptr<RowMaker<T>> maker;
  if (images)
    maker = std::make_unique<ImageRows<T>>(spec);
  else
    maker = std::make_unique<LinearRows<T>>(spec);
  part.optimum = maker->optimum();
  for (Examples<T>& share : part.shares) {
    if (spec.nonzeros != 0) share.row_begin.push_back(0);
  }
  for (std::size_t r = 0; r < part.rows; ++r) {
    const std::size_t share = rows.share_of(r);
    if (share == WorkerRows::kNotMine) continue;
    maker->append(core::CounterRandom(spec.seed, r + (options.test_part ? kTestRows : 0)), part.shares[share]);
    ++part.shares[share].rows;
  }
  return part;
}

template Part<float> make_synthetic(const SyntheticSpec&, const DataOptions&, const WorkerRows&);
template Part<double> make_synthetic(const SyntheticSpec&, const DataOptions&, const WorkerRows&);

} // namespace ps
