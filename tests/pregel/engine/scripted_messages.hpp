// What the vertices of a test send in superstep 0, written down as a function of their ids; and what must therefore
// arrive, found by walking the list of edges.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "pregel/support/pregel_testing.hpp"

namespace pregel::testing_support {

struct Script {
  std::function<bool(std::uint64_t id)> publishes = [](std::uint64_t) { return false; };
  std::function<std::vector<std::uint64_t>(std::uint64_t id)> targets = [](std::uint64_t) {
    return std::vector<std::uint64_t>();
  };
};

/// The senders of the messages that reach each vertex, ascending. A vertex that nobody writes to is not listed.
[[nodiscard]] inline std::map<std::uint64_t, std::vector<std::uint64_t>> deliveries(const oracle::Graph& graph,
                                                                                    const Script& script) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> senders;
  for (const auto& [source, target] : graph.edges) {
    if (script.publishes(source)) senders[target].push_back(source);
    if (!graph.directed && source != target && script.publishes(target)) senders[source].push_back(target);
  }
  for (const std::uint64_t id : graph.vertices) {
    for (const std::uint64_t target : script.targets(id)) senders[target].push_back(id);
  }
  for (auto& [target, list] : senders) std::sort(list.begin(), list.end());
  return senders;
}

[[nodiscard]] inline std::uint64_t count_sent(const oracle::Graph& graph, const Script& script) {
  std::uint64_t count = 0;
  for (const auto& [target, senders] : deliveries(graph, script)) count += senders.size();
  return count;
}

/// Scripts with neighbours' messages only, direct ones only, and both, from few vertices and from all. Direct messages
/// go to several vertices, some more than once, near and far.
struct NamedScript {
  const char* name;
  Script script;
};
[[nodiscard]] inline std::vector<NamedScript> scripts(const oracle::Graph& graph) {
  const std::vector<std::uint64_t> ids = graph.vertices;
  const auto everybody = [](std::uint64_t) { return true; };
  const auto nobody = [](std::uint64_t) { return false; };
  const auto few = [](std::uint64_t id) { return id % 11 == 3; };
  const auto some_targets = [ids](std::uint64_t id) {
    const auto at = [&](std::uint64_t i) { return ids[i % ids.size()]; };
    return std::vector<std::uint64_t>{at(id * 7 + 1), at(id + 1), at(id * 7 + 1), at(0)};
  };
  const auto few_targets = [few, some_targets](std::uint64_t id) {
    return few(id) ? some_targets(id) : std::vector<std::uint64_t>();
  };
  return {{"nothing", {}},
          {"all publish", {.publishes = everybody}},
          {"few publish", {.publishes = few}},
          {"all send directly", {nobody, some_targets}},
          {"few send directly", {nobody, few_targets}},
          {"all publish and send directly", {everybody, some_targets}},
          {"all publish, few send directly", {everybody, few_targets}},
          {"few publish and send directly", {few, few_targets}}};
}

} // namespace pregel::testing_support
