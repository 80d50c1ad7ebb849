// Rows from a formula: any rank makes any row, parts do not overlap, and what is impossible is refused.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data_testing.hpp"

namespace ps {
namespace {

DataOptions source(const std::string& text, LabelKind labels = LabelKind::real) {
  DataOptions options;
  options.source = text;
  options.labels = labels;
  return options;
}

TEST(Synthetic, RowsDoNotDependOnTheNumberOfWorkers) {
  for (const std::string kind : {"ridge,features=3", "logistic,features=5,nonzeros=2", "softmax,features=2,classes=3",
                                 "images,size=4,classes=2"}) {
    const DataOptions options = source("synthetic:" + kind + ",rows=11,seed=5");
    const auto alone = all_rows(load(options, 1), 1);
    EXPECT_EQ(alone.size(), 11u);
    EXPECT_EQ(std::set<std::string>(alone.begin(), alone.end()).size(), 11u) << "no row twice";
    for (const std::size_t workers : {2, 3, 7}) EXPECT_EQ(all_rows(load(options, workers), workers), alone) << kind;
    EXPECT_NE(all_rows(load(source("synthetic:" + kind + ",rows=11,seed=6"), 1), 1), alone) << "another seed";
  }
}

TEST(Synthetic, TheHeldOutPartHasOtherRowsOfTheSameParameters) {
  DataOptions options = source("synthetic:ridge,rows=50,features=4,seed=5");
  const auto train = load(options, 2);
  options.test_part = true;
  const auto test = load(options, 2);
  EXPECT_EQ(test.shape.rows, 10u) << "a fifth";
  EXPECT_EQ(test.optimum, train.optimum);
  const auto train_rows = all_rows(train, 2);
  for (const std::string& row : all_rows(test, 2)) EXPECT_EQ(std::count(train_rows.begin(), train_rows.end(), row), 0);
  options.source += ",test=7";
  EXPECT_EQ(load(options, 2).shape.rows, 7u);
}

TEST(Synthetic, TargetsFollowTheOptimumUpToTheNoise) {
  const auto data = load(source("synthetic:ridge,rows=3000,features=4,noise=0.5,seed=9"), 1);
  ASSERT_EQ(data.optimum.size(), 5u);
  if (data.shares.empty()) return;
  const Examples<double>& rows = data.shares[0];
  double sum = 0, squares = 0;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    double score = data.optimum[4];
    for (std::size_t k = 0; k < 4; ++k) score += rows.dense[r * 4 + k] * data.optimum[k];
    sum += rows.labels[r] - score;
    squares += (rows.labels[r] - score) * (rows.labels[r] - score);
  }
  EXPECT_NEAR(sum / 3000, 0, 0.04);        // deviation 0.5 / sqrt(3000) = 0.009
  EXPECT_NEAR(squares / 3000, 0.25, 0.03); // deviation 0.25 · sqrt(2 / 3000) = 0.006
}

TEST(Synthetic, ClassesFollowTheOptimum) {
  // With the noise of the logistic model the share of ones among rows of score s is 1 / (1 + exp(-s)).
  const auto data = load(source("synthetic:logistic,rows=20000,features=4,noise=2,seed=9", LabelKind::binary), 1);
  EXPECT_EQ(data.shape.classes, 2u);
  EXPECT_TRUE(load(source("synthetic:logistic,rows=10,noise=0", LabelKind::binary), 1).optimum.empty());
  if (data.shares.empty()) return;
  const Examples<double>& rows = data.shares[0];
  double ones = 0, expected = 0;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    double score = data.optimum[4];
    for (std::size_t k = 0; k < 4; ++k) score += rows.dense[r * 4 + k] * data.optimum[k];
    if (score < 0.5 || score > 1.5) continue;
    ones += rows.labels[r];
    expected += 1 / (1 + std::exp(-score));
  }
  ASSERT_GT(expected, 500);
  EXPECT_NEAR(ones / expected, 1, 0.06);
}

TEST(Synthetic, SparseRowsHaveRisingKeys) {
  const auto data = load(source("synthetic:ridge,rows=200,features=1000003,nonzeros=9"), 2);
  EXPECT_EQ(data.shape.features, 1000003u);
  EXPECT_TRUE(data.description.ends_with("sparse")) << data.description;
  for (const auto& share : data.shares) {
    for (std::size_t r = 0; r < share.rows; ++r) {
      const auto first = share.keys.begin() + static_cast<long>(share.row_begin[r]);
      EXPECT_EQ(share.row_begin[r + 1] - share.row_begin[r], 9u);
      EXPECT_TRUE(std::is_sorted(first, first + 9) && std::adjacent_find(first, first + 9) == first + 9);
      EXPECT_LT(first[8], 1000003u);
    }
  }
}

TEST(Synthetic, ImagesAreImages) {
  const auto data = load(source("synthetic:images,rows=60,size=9,classes=3", LabelKind::classes), 3);
  EXPECT_EQ(data.shape.image_rows, 9u);
  EXPECT_EQ(data.shape.image_columns, 9u);
  EXPECT_EQ(data.shape.channels, 1u);
  EXPECT_EQ(data.shape.features, 81u);
  EXPECT_EQ(data.shape.classes, 3u);
  for (const auto& share : data.shares) {
    for (const double pixel : share.dense) EXPECT_TRUE(pixel >= 0 && pixel <= 1);
  }
}

TEST(Synthetic, WhatIsOnlyEvaluatedMayHaveFewerRowsThanWorkers) {
  DataOptions options;
  options.source = "synthetic:ridge,rows=5,features=2";
  EXPECT_NE(refusal(options, 7).find("5 rows for 7 workers; each needs at least one"), std::string::npos);
  options.empty_shares = true;
  const Dataset<double> data = load(options, 7);
  EXPECT_EQ(data.shape.rows, 5U);
  ASSERT_EQ(data.shares.size(), my_workers(7).size());
  for (std::size_t i = 0; i < data.shares.size(); ++i) EXPECT_EQ(data.shares[i].rows, my_workers(7)[i] < 5 ? 1U : 0U);
}

TEST(Synthetic, ImpossibleSpecificationsAreRefused) {
  const auto complaint = [](const std::string& text, LabelKind labels = LabelKind::real) {
    return refusal(source("synthetic:" + text, labels));
  };
  EXPECT_EQ(complaint("tree"),
            "data 'synthetic:tree': unknown kind 'tree'; there are ridge, logistic, softmax and images");
  EXPECT_EQ(complaint("ridge,rows"), "data 'synthetic:ridge,rows': 'rows' is not of the form key=value");
  EXPECT_EQ(complaint("ridge,rows=2x"), "data 'synthetic:ridge,rows=2x': rows=2x is no number");
  EXPECT_EQ(complaint("ridge,rows=0"), "data 'synthetic:ridge,rows=0': rows must lie between 1 and 1099511627776");
  EXPECT_EQ(complaint("ridge,rows=3,rows=3"), "data 'synthetic:ridge,rows=3,rows=3': rows is given twice");
  EXPECT_EQ(
      complaint("ridge,classes=3"),
      "data 'synthetic:ridge,classes=3': unknown key 'classes' (known: rows, test, noise, seed, features, nonzeros)");
  EXPECT_EQ(complaint("ridge,"), "data 'synthetic:ridge,': '' is not of the form key=value");
  EXPECT_EQ(complaint("ridge,noise=nan"), "data 'synthetic:ridge,noise=nan': noise must lie between 0 and 1000000");
  EXPECT_EQ(complaint("ridge,features=5,nonzeros=6"),
            "data 'synthetic:ridge,features=5,nonzeros=6': nonzeros must lie between 1 and 5");
  EXPECT_EQ(complaint("softmax,features=100000000"),
            "data 'synthetic:softmax,features=100000000': more than 134217728 parameters");
  EXPECT_EQ(complaint("images,size=3"), "data 'synthetic:images,size=3': size must lie between 4 and 1024");
  EXPECT_EQ(complaint("ridge,rows=5", LabelKind::classes),
            "data 'synthetic:ridge,rows=5': targets are real numbers, not classes");
  EXPECT_EQ(complaint("softmax,rows=5", LabelKind::binary),
            "data 'synthetic:softmax,rows=5': 10 classes, the model has 2");
  EXPECT_EQ(complaint("ridge,rows=2"), "synthetic:ridge,rows=2: 2 rows for 3 workers; each needs at least one");
  DataOptions options = source("synthetic:ridge,features=4");
  options.features = 5;
  EXPECT_EQ(refusal(options), "data 'synthetic:ridge,features=4': 4 features, the model has 5");
}

} // namespace
} // namespace ps
