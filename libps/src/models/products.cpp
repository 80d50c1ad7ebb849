#include "models/products.hpp"

#include <algorithm>

#include <Eigen/Core>

namespace ps {
namespace {

constexpr std::size_t kLanes = 16; // running sums of a dot product: one register of floats where they are widest
constexpr std::size_t kTiny = 32;  // rows + depth + columns below which loops are used; Eigen's own limit is 20

/// Sizes that today's processors have at least: first level 32 KiB, second 1 MiB, third 4 MiB.
void fix_block_sizes() {
  static const bool fixed = [] {
    Eigen::setCpuCacheSizes(32 << 10, 1 << 20, 4 << 20);
    return true;
  }();
  (void)fixed;
}

bool suits_loops(std::size_t rows, std::size_t depth, std::size_t columns) {
  return rows <= 1 || depth <= 1 || columns <= 1 || rows + depth + columns < kTiny;
}

template <class T>
T dot(std::size_t count, const T* a, const T* b) {
  T lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t lane = 0; i + lane < count; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  for (std::size_t half = kLanes / 2; half != 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const RowMajor<T>> matrix(const T* data, std::size_t rows, std::size_t columns) {
  return {data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}
template <class T>
Eigen::Map<RowMajor<T>> matrix(T* data, std::size_t rows, std::size_t columns) {
  return {data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

} // namespace

template <class T>
void add_product(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c) {
  if (!suits_loops(rows, depth, columns)) {
    fix_block_sizes();
    matrix(c, rows, columns).noalias() += matrix(a, rows, depth) * matrix(b, depth, columns);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (columns == 1) {
      c[r] += dot(depth, a + r * depth, b);
      continue;
    }
    for (std::size_t k = 0; k < depth; ++k) add_multiple(columns, a[r * depth + k], b + k * columns, c + r * columns);
  }
}

template <class T>
void add_transposed_product(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c) {
  if (!suits_loops(rows, depth, columns)) {
    fix_block_sizes();
    matrix(c, rows, columns).noalias() += matrix(a, depth, rows).transpose() * matrix(b, depth, columns);
    return;
  }
  for (std::size_t k = 0; k < depth; ++k) {
    if (columns == 1) {
      add_multiple(rows, b[k], a + k * rows, c);
      continue;
    }
    for (std::size_t r = 0; r < rows; ++r) add_multiple(columns, a[k * rows + r], b + k * columns, c + r * columns);
  }
}

template <class T>
void set_product_transposed(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c) {
  if (!suits_loops(rows, depth, columns)) {
    fix_block_sizes();
    matrix(c, rows, columns).noalias() = matrix(a, rows, depth) * matrix(b, columns, depth).transpose();
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < columns; ++j) c[r * columns + j] = dot(depth, a + r * depth, b + j * depth);
  }
}

template <class T>
void add_rows(std::size_t rows, std::size_t columns, const T* matrix, T* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < columns; ++j) sums[j] += matrix[r * columns + j];
  }
}

template <class T>
void set_rows(std::size_t rows, std::size_t columns, const T* row, T* matrix) {
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(row, columns, matrix + r * columns);
}

#define PS_INSTANTIATE(T)                                                                              \
  template void add_product(std::size_t, std::size_t, std::size_t, const T*, const T*, T*);            \
  template void add_transposed_product(std::size_t, std::size_t, std::size_t, const T*, const T*, T*); \
  template void set_product_transposed(std::size_t, std::size_t, std::size_t, const T*, const T*, T*); \
  template void add_rows(std::size_t, std::size_t, const T*, T*);                                      \
  template void set_rows(std::size_t, std::size_t, const T*, T*);
PS_INSTANTIATE(float)
PS_INSTANTIATE(double)
#undef PS_INSTANTIATE

} // namespace ps
