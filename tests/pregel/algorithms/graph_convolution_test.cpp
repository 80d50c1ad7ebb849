// Graph convolutions against dense matrices: the adjacency matrix with its diagonal, scaled from both sides, times the
// rows, times the weights, in this order, which is not the kernel's. Sums are associated differently, so values agree
// up to rounding.
#include "pregel/algorithms/graph_convolution.hpp"

#include <cmath>
#include <numeric>

#include "structure_testing.hpp"

namespace pregel::testing_support {
namespace {

constexpr double kTolerance = 1e-12; // of the largest value: a thousand roundings
constexpr std::uint64_t kSeed = 1;   // RunOptions' default

using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b.empty() ? 0 : b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < c[i].size(); ++j)
      for (std::size_t k = b.size(); k-- > 0;) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix weights(std::uint64_t which, std::size_t width, std::size_t inputs) {
  const std::vector<double> drawn = drawn_weights(kSeed, which, inputs, width);
  Matrix w(inputs);
  for (std::size_t i = 0; i < inputs; ++i) w[i].assign(&drawn[i * width], &drawn[i * width] + width);
  return w;
}

Matrix start_rows(const oracle::Graph& graph, std::size_t width) {
  Matrix rows;
  for (const oracle::Id id : graph.vertices) rows.push_back(drawn_features(kSeed, GlobalId{id}, width));
  return rows;
}

std::size_t rows_width(const Matrix& rows) {
  return rows.empty() ? 0 : rows[0].size();
}

void rectify(Matrix& rows) {
  for (auto& row : rows)
    for (double& x : row) x = x > 0 ? x : 0;
}

/// (D+I)^-1/2 (A+I) (D+I)^-1/2
Matrix normalised_adjacency(const oracle::Graph& graph) {
  const auto neighbours = neighbour_sets(graph);
  const std::size_t n = graph.vertices.size();
  Matrix a(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] = 1;
    for (const oracle::Id u : neighbours.at(graph.vertices[i])) a[i][position(graph, u)] = 1;
  }
  std::vector<double> sums;
  for (const auto& row : a) sums.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i][j] *= std::pow(sums[i] * sums[j], -0.5);
  return a;
}

/// A row says whose mean a vertex takes in a layer that begins at `superstep`.
Matrix drawn_means(const oracle::Graph& graph, std::uint64_t sample, std::uint64_t superstep) {
  const std::size_t n = graph.vertices.size();
  Matrix a(n, std::vector<double>(n, 0.0));
  std::vector<std::uint64_t> chosen;
  for (const auto& [id, set] : neighbour_sets(graph)) {
    const std::vector<oracle::Id> list(set.begin(), set.end());
    sample_positions(core::CounterRandom(kSeed, id, superstep), list.size(), sample, chosen);
    EXPECT_EQ(chosen.size(), std::min<std::uint64_t>(sample, list.size()));
    for (const std::uint64_t i : chosen)
      a[position(graph, id)][position(graph, list[i])] = 1.0 / static_cast<double>(chosen.size());
  }
  return a;
}

class GraphConvolutionTest : public AlgorithmTest {
 protected:
  static void expect_rows(const Matrix& wanted, const oracle::Graph& graph, const AlgorithmOptions& options) {
    const AlgorithmOutcome outcome = run_algorithm("gcn", graph, GetParam(), options);
    ASSERT_EQ(outcome.columns.size(), options.width);
    if (!graph.vertices.empty()) {
      EXPECT_EQ(outcome.report.supersteps(), options.layers * ((options.width + 7) / 8) + 1);
    }
    double largest = 1;
    for (const auto& row : wanted)
      for (const double x : row) largest = std::max(largest, std::abs(x));
    for (std::size_t c = 0; c < options.width; ++c) {
      EXPECT_EQ(outcome.columns[c], "h_" + std::to_string(c + 1));
      for (const auto& [id, x] : column_of<double>(outcome, c))
        ASSERT_NEAR(x, wanted[position(graph, id)][c], kTolerance * largest) << "vertex " << id << ", column " << c;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, GraphConvolutionTest, testing::ValuesIn(settings()), setting_name);

TEST_P(GraphConvolutionTest, IsTheProductOfMatrices) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    const Matrix adjacency = normalised_adjacency(graph);
    AlgorithmOptions options;
    options.layers = 3;
    options.width = 10; // two blocks, the second not full
    Matrix rows = start_rows(graph, options.width);
    for (std::uint64_t layer = 0; layer < options.layers; ++layer) {
      if (layer > 0) rectify(rows);
      rows = product(product(adjacency, rows), weights(2 * layer, options.width, rows_width(rows)));
    }
    expect_rows(rows, graph, options);
  });
}

/// Rows wider than the layers, on several ranks, and missing for every third vertex.
TEST_P(GraphConvolutionTest, TakesStartRows) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    AlgorithmOptions options;
    options.layers = 2;
    options.width = 4;
    options.start_rows.width = 13;
    Matrix rows(graph.vertices.size(), std::vector<double>(options.start_rows.width, 0.0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % 3 == 2) continue;
      rows[i] = drawn_features(77, GlobalId{graph.vertices[i]}, options.start_rows.width);
      if (i % static_cast<std::size_t>(world().size()) != static_cast<std::size_t>(world().rank())) continue;
      options.start_rows.ids.push_back(GlobalId{graph.vertices[i]});
      options.start_rows.values.insert(options.start_rows.values.end(), rows[i].begin(), rows[i].end());
    }
    const Matrix adjacency = normalised_adjacency(graph);
    for (std::uint64_t layer = 0; layer < options.layers; ++layer) {
      if (layer > 0) rectify(rows);
      rows = product(product(adjacency, rows), weights(2 * layer, options.width, rows_width(rows)));
    }
    expect_rows(rows, graph, options);
  });
}

TEST_P(GraphConvolutionTest, MeanOfSampledNeighbours) {
  for_structure_graphs(GetParam(), [](const oracle::Graph& graph) {
    for (const std::uint64_t sample : {std::uint64_t{2}, std::uint64_t{1000}}) {
      AlgorithmOptions options;
      options.variant = "sage";
      options.width = 9; // two blocks
      options.sample = sample;
      Matrix rows = start_rows(graph, options.width);
      for (std::uint64_t layer = 0; layer < options.layers; ++layer) {
        if (layer > 0) rectify(rows);
        const Matrix near = product(product(drawn_means(graph, sample, layer * 2), rows),
                                    weights(2 * layer, options.width, rows_width(rows)));
        rows = product(rows, weights(2 * layer + 1, options.width, rows_width(rows)));
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t c = 0; c < rows[i].size(); ++c) rows[i][c] += near[i][c];
      }
      expect_rows(rows, graph, options);
    }
  });
}

/// Every pair of positions is drawn equally often, and nothing is drawn twice.
TEST(SamplePositions, AreUniform) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> seen;
  std::vector<std::uint64_t> chosen;
  constexpr int kDraws = 15000;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    sample_positions(core::CounterRandom(7, draw), 6, 2, chosen);
    ASSERT_EQ(chosen.size(), 2U);
    ASSERT_LT(chosen[0], chosen[1]);
    ASSERT_LT(chosen[1], 6U);
    ++seen[{chosen[0], chosen[1]}];
  }
  EXPECT_EQ(seen.size(), 15U);
  for (const auto& [pair, times] : seen) EXPECT_NEAR(times, kDraws / 15, 5 * std::sqrt(kDraws / 15.0));
  sample_positions(core::CounterRandom(7), 3, 5, chosen);
  EXPECT_EQ(chosen, (std::vector<std::uint64_t>{0, 1, 2}));
}

} // namespace
} // namespace pregel::testing_support
