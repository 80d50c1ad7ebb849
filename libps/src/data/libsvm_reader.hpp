// Text in the format of LIBSVM: a line for each row, `label index:value index:value …`.
//
// Indices count from 1 and rise; what is left out is 0. A `#` starts a comment that ends with the line; lines with
// nothing else are no rows. A line with a label alone is a row without features.
//
// Every rank walks over all lines but takes apart only those of its own workers, so reading speeds up with the ranks. A
// wrong line is therefore seen by one rank; load_dataset() has all ranks throw the error of the first wrong line.
#pragma once

#include <string>

#include "data/part.hpp"
#include "data/worker_rows.hpp"

namespace ps {

/// Throws OrderedInputError "FILE:LINE: reason". Local.
template <class T>
[[nodiscard]] Part<T> read_libsvm(const std::string& path, const DataOptions& options, const WorkerRows& rows);

} // namespace ps
