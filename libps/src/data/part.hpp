// What a reader hands to load_dataset(): the rows of this rank's workers, and what is still to be agreed with the
// others.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ps/data/dataset.hpp"

namespace ps {

/// The labels a rank has met. Signs are settled when all ranks' labels are known: -1 is class 0 where the only other
/// label is +1, else an error.
struct LabelRange {
  static constexpr unsigned long long kNever = std::numeric_limits<unsigned long long>::max();
  double greatest = 0;
  unsigned long long minus_one_line = kNever; ///< first line with label -1
  bool zero = false;                          ///< some label is 0
};

template <class T>
struct Part {
  std::vector<Examples<T>> shares;
  std::size_t rows = 0;     ///< of all workers; 0 on a rank without workers, which reads nothing
  std::size_t features = 0; ///< the greatest that this rank has met
  std::size_t image_rows = 0, image_columns = 0, channels = 0;
  LabelRange labels;
  std::vector<T> optimum;
  std::string name;
};

} // namespace ps
