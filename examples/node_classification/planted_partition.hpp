// Data with a known truth: a graph whose communities are the classes, and features that say too little about them.
//
// A planted partition: vertex v has class v mod C. It draws so many partners of its own class and so many of any class
// (Condon, Karp, "Algorithms for graph partitioning on the planted partition model", RSA 2001, with degrees in place of
// probabilities, so that each rank draws the edges of its share of the vertices in linear time). A feature is a small
// signal, +s or -s by class and column, under noise of variance 1. Who looks at the features of one vertex alone is
// often wrong; the neighbourhood averages the noise away.
//
// Everything is a function of the seed and the vertex: no rank needs another one's data.
#pragma once

#include <cstdint>
#include <vector>

#include "pregel/pregel.hpp"

namespace node_classification {

struct PlantedPartition {
  std::uint64_t vertices = 2000, classes = 4, features = 16;
  std::uint64_t inside = 4, across = 2; ///< edges that each vertex draws: to its own class, to any
  double signal = 0.3;                  ///< size of the signal in a feature
  double training = 0.1;                ///< share of the vertices whose label is known; the others are the test
  std::uint64_t seed = 1;

  [[nodiscard]] std::uint64_t class_of(pregel::GlobalId id) const { return pregel::number(id) % classes; }
  [[nodiscard]] bool trains(pregel::GlobalId id) const;
  [[nodiscard]] std::vector<double> features_of(pregel::GlobalId id) const;
  /// This rank's share of the edges. Local.
  [[nodiscard]] pregel::GraphInput edges(const core::Communicator& comm) const;
};

/// InputError for what cannot be drawn. Local.
void check(const PlantedPartition& data);

} // namespace node_classification
