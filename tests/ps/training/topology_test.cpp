// Topologies of gossip: degrees, Metropolis weights, files, and what is refused.
#include "ps/consistency/topology.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "training_testing.hpp"

namespace ps {
namespace {

using testing_support::error_of;
using testing_support::world;

/// Symmetric, no weight below zero, rows (and so columns) sum to one.
void expect_doubly_stochastic(const Topology& topology) {
  std::map<std::pair<std::size_t, std::size_t>, double> weights;
  for (std::size_t worker = 0; worker < topology.workers(); ++worker) {
    double sum = 0;
    bool itself = false;
    for (const Topology::Neighbour& neighbour : topology.neighbourhood(worker)) {
      sum += neighbour.weight;
      EXPECT_GE(neighbour.weight, -1e-15);
      itself = itself || neighbour.worker == worker;
      weights[{worker, neighbour.worker}] = neighbour.weight;
    }
    EXPECT_TRUE(itself);
    EXPECT_NEAR(sum, 1, 1e-12) << "worker " << worker;
  }
  for (const auto& [edge, weight] : weights) {
    const auto back = weights.find({edge.second, edge.first});
    ASSERT_TRUE(back != weights.end()) << edge.first << " - " << edge.second;
    EXPECT_EQ(back->second, weight);
  }
}

TEST(Topology, WeightsAreDoublyStochasticForEverySize) {
  for (std::size_t workers = 1; workers <= 17; ++workers) {
    for (const auto& make : {Topology::ring, Topology::torus, Topology::complete}) {
      const Topology topology = make(workers);
      expect_doubly_stochastic(topology);
      EXPECT_EQ(error_of([&] { topology.require_connected("it"); }), "no error");
    }
  }
  expect_doubly_stochastic(Topology::parse("0 1\n0 2\n0 3\n3 4\n", "star", 5));
}

TEST(Topology, DegreesAreThoseOfTheShape) {
  EXPECT_EQ(Topology::ring(8).degree(3), 2U);
  EXPECT_EQ(Topology::ring(2).degree(0), 1U);
  EXPECT_EQ(Topology::ring(1).degree(0), 0U);
  EXPECT_EQ(Topology::torus(16).degree(5), 4U);
  EXPECT_EQ(Topology::torus(7).degree(5), 2U) << "a prime makes a ring";
  EXPECT_EQ(Topology::complete(9).degree(4), 8U);
}

TEST(Topology, MetropolisWeightsByHand) {
  // A star of three leaves: 1 / (1 + 3) to each leaf, the leaves keep 3/4.
  const Topology star = Topology::parse("0 1 # a comment\n\n 0 2\r\n3 0\n3 0\n", "star", 4);
  ASSERT_EQ(star.neighbourhood(0).size(), 4U);
  for (const Topology::Neighbour& neighbour : star.neighbourhood(0)) EXPECT_DOUBLE_EQ(neighbour.weight, 0.25);
  ASSERT_EQ(star.neighbourhood(2).size(), 2U);
  EXPECT_DOUBLE_EQ(star.neighbourhood(2)[0].weight, 0.25);
  EXPECT_DOUBLE_EQ(star.neighbourhood(2)[1].weight, 0.75);
}

TEST(Topology, AveragingGoesToTheMeanTheFasterTheDenser) {
  const auto distance_after = [](const Topology& topology, int rounds) {
    std::vector<double> x(topology.workers());
    x[0] = 1;
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> next(x.size());
      for (std::size_t worker = 0; worker < x.size(); ++worker)
        for (const auto& neighbour : topology.neighbourhood(worker))
          next[worker] += neighbour.weight * x[neighbour.worker];
      x = next;
    }
    double squares = 0;
    for (const double value : x) squares += std::pow(value - 1.0 / static_cast<double>(x.size()), 2);
    return std::sqrt(squares);
  };
  const double ring = distance_after(Topology::ring(16), 20), torus = distance_after(Topology::torus(16), 20);
  EXPECT_LT(torus, ring / 10);
  EXPECT_LT(distance_after(Topology::complete(16), 1), 1e-12);
}

TEST(Topology, FilesAreReadOrRefusedOnAllRanks) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "superstep-topology-test.txt";
  const auto outcome = [&](const std::string& text) {
    if (world().rank() == 0) std::ofstream(path) << text;
    core::barrier(world());
    const std::string error = error_of([&] { (void)Topology::named(world(), path.string(), 4); });
    core::barrier(world());
    return error;
  };
  EXPECT_EQ(outcome("0 1\n1 2\n2 3\n"), "no error");
  EXPECT_NE(outcome("0 1\n2 3\n").find("not connected: worker 2 cannot be reached"), std::string::npos);
  EXPECT_NE(outcome("").find("not connected: worker 1 cannot be reached"), std::string::npos);
  EXPECT_NE(outcome("0 1\n1 x\n").find(path.string() + ":2: 'x' is not a worker"), std::string::npos);
  EXPECT_NE(outcome("0 1\n\n1 4\n").find(":3: there is no worker 4"), std::string::npos);
  EXPECT_NE(outcome("0 1 2\n").find(":1: '2' is too much"), std::string::npos);
  EXPECT_NE(outcome("0\n").find(":1: '' is not a worker"), std::string::npos);
  if (world().rank() == 0) std::filesystem::remove(path);
  core::barrier(world());
  EXPECT_NE(error_of([&] { (void)Topology::named(world(), path.string(), 4); }).find("nor a file"), std::string::npos);
}

} // namespace
} // namespace ps
