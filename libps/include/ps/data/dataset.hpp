// Where training data comes from: libsvm text, IDX images, or generators with a known optimum.
//
//   FILE                 libsvm text (`label index:value …`, also .gz), or an IDX image file with its label file beside
//   it digits               MNIST-like IDX files in $SUPERSTEP_DIGITS, ../shared/data/digits or ./digits
//   synthetic:ridge,rows=N,features=D,noise=S,seed=K      y = x·w* + noise, w* known
//   synthetic:logistic,…   synthetic:softmax,classes=C,…  synthetic:images,rows=N,size=12,classes=C,seed=K
//
// Rows are dealt to W logical workers: worker w gets the rows r with r mod W = w, counted over the whole file without
// blank and comment lines. So what a worker sees does not depend on how many ranks carry the workers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "ps/data/examples.hpp"

namespace ps {

/// What a model must know of its input.
struct DataShape {
  std::size_t rows = 0;     ///< over all workers
  std::size_t features = 0; ///< agreed over all ranks: the greatest index of the file, or of the generator
  std::size_t classes = 0;  ///< greatest label + 1 for integral labels, 2 for ±1; 0 for real targets
  std::size_t image_rows = 0, image_columns = 0, channels = 0; ///< of IDX images, else 0
};

/// What labels must be, so that wrong ones are refused with file and line.
enum class LabelKind { real, binary, classes };

struct DataOptions {
  std::string source;                 ///< as above
  LabelKind labels = LabelKind::real; ///< binary maps -1 to 0
  bool test_part = false;             ///< of `digits` and generators: the held-out rows
  std::size_t features = 0;           ///< if not 0: the model's; a file with more is refused, with fewer is widened
  std::size_t classes = 0;            ///< the same for classes
  std::size_t max_rows = 0;           ///< if not 0: only the first rows of the file
  bool empty_shares = false;          ///< workers may be left without a row: for what is only evaluated
};

template <class T>
struct Dataset {
  DataShape shape;
  std::vector<Examples<T>> shares; ///< one for each of this rank's workers, in their order
  std::vector<T> optimum;          ///< the generator's true parameters, if there are such
  std::string description;         ///< "a9a: 32561 rows, 123 features, sparse"
};

/// Each rank reads the shares of `my_workers`, out of `workers` in all. Throws InputError on all ranks for a wrong file
/// ("FILE:LINE: reason", "FILE: byte N: reason"), a wrong label, no rows, more workers than rows. Collective.
template <class T>
[[nodiscard]] Dataset<T> load_dataset(const core::Communicator& comm, const DataOptions& options,
                                      std::span<const std::size_t> my_workers, std::size_t workers);

} // namespace ps
