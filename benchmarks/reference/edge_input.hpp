// Where the reference kernels get their edges: a text edge list, a binary file of pairs, or a Kronecker formula.
#pragma once

#include <cstdint>
#include <string>

#include "csr.hpp"

namespace reference {

/// Reads by the name's ending: `.el32` pairs (u, v) of uint32 and `.wel32` triples (u, v, weight), both in this
/// machine's byte order and listing each undirected edge once; anything else is text, "u v" or with `weighted` "u v w"
/// a line, where lines that start with # or % are comments. Throws std::runtime_error naming the file and the byte.
[[nodiscard]] EdgeList read_edges(const std::string& path, bool weighted);

/// Writes `.wel32` when there are weights, else `.el32`; the ending is the caller's business.
void write_edges(const std::string& path, const EdgeList& list);

/// The recursive-matrix graph of Graph500 (A, B, C = 0.57, 0.19, 0.19) with shuffled ids, 2^scale vertices and
/// degree * 2^scale edges before loops and repeats are dropped, weights uniform in 1..255 when `weighted`. Random
/// numbers depend on (seed, edge) alone, so that the number of threads does not matter.
[[nodiscard]] EdgeList kronecker_edges(unsigned scale, unsigned degree, std::uint64_t seed, bool weighted);

} // namespace reference
