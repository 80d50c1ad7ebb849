// Rows from a formula, with the parameters that they were made from.
//
//   ridge      y = x·w + b + noise · normal                          best parameters: about (w, b)
//   logistic   y = [x·w + b + noise · logistic > 0]                  (w, b) / noise
//   softmax    y = argmax_c (x·w_c + b_c + noise · Gumbel)           (w, b) / noise
//   images     a class is a picture of four blobs; a row is its class's picture, moved by up to a pixel, with noise
//
// x is normal. Noise of these kinds makes the labels follow the model of the same name exactly (McFadden 1974), so the
// parameters given as optimum minimise the expected loss; without noise classes are separable and there is no optimum.
// A row is a function of (seed, number of the row): any rank makes any row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/part.hpp"
#include "data/worker_rows.hpp"

namespace ps {

struct SyntheticSpec {
  std::string kind;
  std::size_t rows = 10000;
  std::size_t test = 0;      ///< rows of the held-out part; 0 means a fifth of `rows`
  std::size_t features = 20; ///< size² for images
  std::size_t nonzeros = 0;  ///< if not 0: rows are sparse, with that many entries
  std::size_t classes = 10;
  std::size_t size = 12;
  double noise = 0;
  std::uint64_t seed = 1;
};

/// Takes `synthetic:KIND,key=value,…` apart. Throws InputError "data 'SPEC': reason". Local.
[[nodiscard]] SyntheticSpec parse_synthetic(std::string_view text);

/// This rank's rows. Throws InputError for options that contradict the specification. Local.
template <class T>
[[nodiscard]] Part<T> make_synthetic(const SyntheticSpec& spec, const DataOptions& options, const WorkerRows& rows);

} // namespace ps
