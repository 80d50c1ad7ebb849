// Which labels may occur. Readers check each label as they meet it; what depends on all rows is checked when ranks have
// agreed on what they met.
#pragma once

#include <string>

#include "core/communicator.hpp"
#include "data/part.hpp"

namespace ps {

/// More classes than this are taken for a mistake: labels that are no class numbers.
inline constexpr std::size_t kMostClasses = 65536;

/// Empty if `label` may stand in a file with these options, else why not ("label 7: must be …"). Notes what it meets.
/// Local.
[[nodiscard]] std::string check_label(double label, const DataOptions& options, unsigned long long line,
                                      LabelRange& range);

/// Agrees on the labels of all ranks, turns -1 into 0, and returns the number of classes (0 for real targets). Throws
/// InputError on all ranks. `path` is for messages. Collective.
template <class T>
[[nodiscard]] std::size_t settle_labels(const core::Communicator& comm, const DataOptions& options,
                                        const std::string& path, Part<T>& part);

} // namespace ps
