#include "pregel_identity.hpp"

#include "core/atomic_file.hpp"

namespace drivers {

pregel::AlgorithmOptions algorithm_options_of(const AlgorithmChoice& o) {
  pregel::AlgorithmOptions options;
  options.variant = o.variant;
  options.iterations = o.iterations;
  options.damping = o.damping.value_or(options.damping);
  options.tolerance = o.tolerance.value_or(options.tolerance);
  options.parents = o.parents;
  options.walk_p = o.walk_p.value_or(options.walk_p);
  options.walk_q = o.walk_q.value_or(options.walk_q);
  options.layers = o.layers.value_or(options.layers);
  options.width = o.width.value_or(options.width);
  options.sample = o.sample.value_or(options.sample);
  return options;
}

nlohmann::json identity_of(const PregelOptions& o) {
  const pregel::AlgorithmOptions a = algorithm_options_of(o);
  return {{"algorithm", o.algorithm},
          {"--variant", o.variant},
          {"--source", o.source},
          {"--iterations", a.iterations ? nlohmann::json(*a.iterations) : nlohmann::json("not given")},
          {"--damping", a.damping},
          {"--tolerance", a.tolerance},
          {"--parents", a.parents},
          {"--p", a.walk_p},
          {"--q", a.walk_q},
          {"--layers", a.layers},
          {"--width", a.width},
          {"--sample", a.sample},
          {"--values", o.values_file},
          {"--combiner", o.combiner},
          {"--seed", o.seed}};
}

nlohmann::json graph_source_of(const PregelOptions& o) {
  if (o.graph.empty() && o.generate.empty()) return nlohmann::json::object();
  return {{"--graph", o.graph.empty() ? "" : core::file_identity(o.graph)},
          {"--vertices", o.vertices.empty() ? "" : core::file_identity(o.vertices)},
          {"--generate", o.generate},
          {"--format", o.format},
          {"--columns", o.columns},
          {"--ids", o.ids},
          {"--directed", o.directed},
          {"--undirected", o.undirected},
          {"--weighted", o.weighted},
          {"--self-loops", o.self_loops},
          {"--multi-edges", o.multi_edges},
          {"--symmetrise", o.symmetrise},
          {"--largest-component", o.largest_component},
          {"--relabel", o.relabel}};
}

} // namespace drivers
