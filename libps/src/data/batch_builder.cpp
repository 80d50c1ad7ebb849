#include <algorithm>

#include "ps/data/examples.hpp"

namespace ps {

template <class T>
Batch<T> BatchBuilder<T>::gather(const Examples<T>& examples, std::span<const std::size_t> which) {
  rows_.rows = which.size();
  rows_.features = examples.features;
  rows_.labels.clear();
  rows_.dense.clear();
  rows_.row_begin.clear();
  rows_.keys.clear();
  rows_.values.clear();
  if (examples.is_sparse()) rows_.row_begin.push_back(0);
  for (const std::size_t row : which) {
    rows_.labels.push_back(examples.labels[row]);
    if (examples.is_sparse()) {
      const auto first = static_cast<std::ptrdiff_t>(examples.row_begin[row]);
      const auto last = static_cast<std::ptrdiff_t>(examples.row_begin[row + 1]);
      rows_.keys.insert(rows_.keys.end(), examples.keys.begin() + first, examples.keys.begin() + last);
      rows_.values.insert(rows_.values.end(), examples.values.begin() + first, examples.values.begin() + last);
      rows_.row_begin.push_back(rows_.keys.size());
    } else {
      const auto first = examples.dense.begin() + static_cast<std::ptrdiff_t>(row * examples.features);
      rows_.dense.insert(rows_.dense.end(), first, first + static_cast<std::ptrdiff_t>(examples.features));
    }
  }
  return rows_.view();
}

template class BatchBuilder<float>;
template class BatchBuilder<double>;

} // namespace ps
