// The matrix products behind every layer. All matrices are row-major and lie anywhere in memory.
//
// Large products are Eigen's. Three rules keep the bits the same for the same arguments:
//
// - Eigen sums along the depth in blocks that it derives from the sizes of the processor's caches. They are set to
//   fixed sizes instead, so that two machines with different caches agree.
// - Eigen evaluates tiny products entry by entry, and how it adds there depends on the alignment of the result. They
//   are left to plain loops here, and so is whatever has a single row or column.
// - The plain loops add in an order that is written down (sixteen running sums for a dot product), so one-output models
//   give the same bits in every build. Eigen's large products do not: a native build has wider registers and fused
//   multiply-add.
#pragma once

#include <cstddef>

namespace ps {

/// c += a · b, where a is rows x depth and b depth x columns.
template <class T>
void add_product(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c);

/// c += aᵀ · b, where a is depth x rows and b depth x columns.
template <class T>
void add_transposed_product(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c);

/// c = a · bᵀ, where a is rows x depth and b columns x depth.
template <class T>
void set_product_transposed(std::size_t rows, std::size_t depth, std::size_t columns, const T* a, const T* b, T* c);

/// y += factor · x.
template <class T>
inline void add_multiple(std::size_t count, T factor, const T* x, T* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] += factor * x[i];
}

/// Adds each row of `matrix` to `sums`, from the first to the last.
template <class T>
void add_rows(std::size_t rows, std::size_t columns, const T* matrix, T* sums);

/// Makes every row of `matrix` a copy of `row`.
template <class T>
void set_rows(std::size_t rows, std::size_t columns, const T* row, T* matrix);

} // namespace ps
