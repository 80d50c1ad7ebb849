#include "planted_partition.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"

namespace node_classification {
namespace {

/// What is drawn: streams of random numbers that have nothing to do with each other.
enum class Stream : std::uint64_t { edges = 1, centre, noise, split };

core::CounterRandom random_of(const PlantedPartition& data, Stream stream, std::uint64_t which) {
  return core::CounterRandom(data.seed, which, static_cast<std::uint64_t>(stream));
}

/// Mean 0, variance 1, nearly normal; a sum, so that no library's logarithm can change a bit.
double noise(core::CounterRandom& random) {
  const double sum = random.uniform() + random.uniform() + random.uniform() + random.uniform();
  return (sum - 2) * std::sqrt(3.0);
}

} // namespace

bool PlantedPartition::trains(pregel::GlobalId id) const {
  return random_of(*this, Stream::split, pregel::number(id)).uniform() < training;
}

std::vector<double> PlantedPartition::features_of(pregel::GlobalId id) const {
  core::CounterRandom centre = random_of(*this, Stream::centre, class_of(id));
  core::CounterRandom random = random_of(*this, Stream::noise, pregel::number(id));
  std::vector<double> row(features);
  for (double& x : row) {
    const double sign = centre.below(2) == 0 ? -1 : 1;
    x = sign * signal + noise(random);
  }
  return row;
}

pregel::GraphInput PlantedPartition::edges(const core::Communicator& comm) const {
  pregel::GraphInput input;
  input.contiguous_vertices = vertices;
  input.directed = false;
  input.description = "planted partition";
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  for (auto v = static_cast<std::uint64_t>(comm.rank()); v < vertices; v += ranks) {
    core::CounterRandom random = random_of(*this, Stream::edges, v);
    const std::uint64_t home = v % classes;
    for (std::uint64_t i = 0; i < inside; ++i) // a member of the class: loops and repeats are dropped with the graph
      input.edges.append({pregel::GlobalId{v}, pregel::GlobalId{home + classes * random.below(vertices / classes)}});
    for (std::uint64_t i = 0; i < across; ++i)
      input.edges.append({pregel::GlobalId{v}, pregel::GlobalId{random.below(vertices)}});
  }
  return input;
}

void check(const PlantedPartition& data) {
  if (data.classes < 2 || data.vertices < data.classes)
    throw core::InputError("--vertices and --classes: there must be two classes or more, and a vertex in each");
  if (data.features == 0) throw core::InputError("--features 0: there must be something to learn from");
}

} // namespace node_classification
