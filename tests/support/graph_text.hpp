// Graphs of the oracles as text, and back: what a test writes for a reader of the library, or reads from tests/data.
#pragma once

#include <string>

#include "support/oracles.hpp"

namespace oracle {

/// "source target" a line, with weights "source target weight".
[[nodiscard]] std::string edge_list_text(const Graph& graph);

/// One vertex a line: the content of a `.v` file, needed where isolated vertices matter.
[[nodiscard]] std::string vertex_list_text(const Graph& graph);

/// Reads an edge list; a third column is the weight. Lines that start with # are comments. `vertex_file`, if not empty,
/// lists further vertices. Throws std::runtime_error when a file cannot be read or a line is not understood.
[[nodiscard]] Graph read_graph_text(const std::string& edge_file, bool directed, const std::string& vertex_file = {});

} // namespace oracle
