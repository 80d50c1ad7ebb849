// The options that say what a graph file is and what is made of it: the same for every program that reads one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/thread_team.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/readers.hpp"
#include "pregel/prepare/prepare.hpp"

namespace CLI {
class App;
} // namespace CLI

namespace drivers {

/// As typed.
struct GraphFileOptions {
  std::string vertices, format = "auto", ids = "number", columns;
  bool directed = false, undirected = false, weighted = false;
  std::string self_loops = "auto", multi_edges = "auto", relabel = "none", old_ids;
  bool symmetrise = false, largest_component = false;

  /// What the user says of the direction.
  [[nodiscard]] std::optional<bool> asked_direction() const;
};

/// Adds the options to the group "Input", all but --vertices, which not every program has.
void add_graph_file_options(CLI::App& app, GraphFileOptions& options);

/// InputError for options that do not go together, and for --old-ids where it cannot be written. `numbers_from_one`: as
/// in prepare(). Local.
void check_graph_file_options(const GraphFileOptions& options, bool numbers_from_one = false);

/// NAME.v, for the NAME.e that it lies beside; empty for graphs of other names. Local.
[[nodiscard]] std::string vertex_file_beside(const std::string& graph);

/// How to read `graph`. InputError for impossible values. Local.
[[nodiscard]] pregel::ReadOptions read_options_of(const GraphFileOptions& options, const std::string& graph);

/// Whether edges have a direction: what the user says, else what the file says or the properties beside it, else yes.
/// Local.
[[nodiscard]] bool direction_of(const GraphFileOptions& options, const std::string& graph,
                                const pregel::GraphInput& input);

/// Merges, leaves out and renumbers what the options ask for. `old_ids` becomes the table for --old-ids, if that is
/// given. `numbers_from_one`: vertices without names must be 1, 2, ... Collective.
[[nodiscard]] pregel::GraphInput prepare(const core::Communicator& comm, const GraphFileOptions& options,
                                         pregel::GraphInput&& input, bool directed, core::ThreadTeam& team,
                                         pregel::OldIds& old_ids, bool numbers_from_one = false);

/// What the builder does with loops and repeats; `loops` and `repeats` are the defaults. Local.
void set_policies(const GraphFileOptions& options, pregel::SelfLoops loops, pregel::MultiEdges repeats,
                  pregel::BuildOptions& build);

} // namespace drivers
