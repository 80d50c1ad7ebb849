#include "data/labels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/collectives.hpp"
#include "core/error.hpp"

namespace ps {

std::string check_label(double label, const DataOptions& options, unsigned long long line, LabelRange& range) {
  if (options.labels == LabelKind::real) return {};
  if (options.labels == LabelKind::binary && label != -1 && label != 0 && label != 1) {
    return fmt::format("label {}: two classes are +1 and -1, or 1 and 0", label);
  }
  if (label < -1 || label != std::floor(label)) {
    return fmt::format("label {}: classes are 0, 1, 2, …, or +1 and -1", label);
  }
  const std::size_t limit = options.classes != 0 ? options.classes : kMostClasses;
  if (label >= static_cast<double>(limit)) {
    return options.classes != 0 ? fmt::format("label {}: the model has the classes 0 to {}", label, limit - 1)
                                : fmt::format("label {}: more than {} classes", label, limit);
  }
  range.greatest = std::max(range.greatest, label);
  if (label == 0) range.zero = true;
  if (label == -1) range.minus_one_line = std::min(range.minus_one_line, line);
  return {};
}

template <class T>
std::size_t settle_labels(const core::Communicator& comm, const DataOptions& options, const std::string& path,
                          Part<T>& part) {
  if (options.labels == LabelKind::real) return 0;
  const double greatest = core::all_reduce_value(comm, part.labels.greatest, core::Reduce::max);
  const int zero = core::all_reduce_value(comm, part.labels.zero ? 1 : 0, core::Reduce::max);
  const auto minus_one = core::all_reduce_value(comm, part.labels.minus_one_line, core::Reduce::min);
  if (minus_one != LabelRange::kNever) {
    if (zero != 0 || greatest > 1) {
      throw core::InputError(fmt::format("{}:{}: label -1, but other lines have label {}; with -1 goes only +1", path,
                                         minus_one, zero != 0 ? 0 : static_cast<long long>(greatest)));
    }
    for (Examples<T>& share : part.shares) {
      for (T& label : share.labels) label = std::max(label, T{0});
    }
  }
  if (options.labels == LabelKind::binary) return 2;
  if (options.classes != 0) return options.classes;
  return minus_one != LabelRange::kNever ? 2 : static_cast<std::size_t>(greatest) + 1;
}

template std::size_t settle_labels(const core::Communicator&, const DataOptions&, const std::string&, Part<float>&);
template std::size_t settle_labels(const core::Communicator&, const DataOptions&, const std::string&, Part<double>&);

} // namespace ps
