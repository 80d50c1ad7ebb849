// The options that say what a graph file is and what is made of it: the same for every program that reads one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "pregel/io/readers.hpp"

namespace drivers {

/// As typed.
struct GraphFileOptions {
  std::string vertices, format = "auto", ids = "number", columns;
  bool directed = false, undirected = false, weighted = false;
  std::string self_loops = "auto", multi_edges = "auto";

  /// What the user says of the direction.
  [[nodiscard]] std::optional<bool> asked_direction() const;
};

/// Adds the options to the group "Input".
void add_graph_file_options(CLI::App& app, GraphFileOptions& options);

/// InputError for options that do not go together. Local.
void check_graph_file_options(const GraphFileOptions& options);

/// How to read `graph`. InputError for impossible values. Local.
[[nodiscard]] pregel::ReadOptions read_options_of(const GraphFileOptions& options, const std::string& graph);

} // namespace drivers
