// IDX files, the format of MNIST: a big-endian header, then one byte a number.
//
//   byte 0-1  zero      byte 2  8, unsigned bytes      byte 3  the number of dimensions D
//   then D sizes of four bytes, the first of which counts the rows; then the numbers, row by row
//
// D = 3 are images (2051 as one number), D = 4 images with channels last, D = 2 rows of features. Labels have D = 1
// (2049) and lie in a second file, whose name is that of the first with `images` for `labels` and `idxD` for `idx1`,
// with or without .gz.
//
// Numbers are divided by the largest possible one: 255, or 16 or 1 when no number of the whole file is greater than
// that (digits of 8 x 8 pixels have 17 grey levels). Every rank unpacks the whole file, so all see the same greatest
// number.
#pragma once

#include <string>

#include "data/part.hpp"
#include "data/worker_rows.hpp"

namespace ps {

/// Is it one, by its first bytes or by a name like `train-images-idx3-ubyte.gz`? Local.
[[nodiscard]] bool looks_like_idx(const std::string& path);

/// Throws InputError "FILE: byte N: reason", N counted in the unpacked file. Local.
template <class T>
[[nodiscard]] Part<T> read_idx(const std::string& path, const DataOptions& options, const WorkerRows& rows);

} // namespace ps
