// Matrix products against the definition, and the promise of equal bits wherever the matrices lie.
#include "models/products.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "random_numbers.hpp"

namespace ps {
namespace {

struct Shape {
  std::size_t rows, depth, columns;
};
// Below and above the size where Eigen takes over, single rows and columns, and depths beyond one block of the sum.
constexpr Shape kShapes[] = {{1, 1, 1},   {1, 7, 1},    {5, 1, 4},    {1, 50, 40},  {40, 50, 1},    {4, 9, 3},
                             {10, 9, 12}, {11, 10, 11}, {33, 17, 20}, {7, 2000, 5}, {130, 700, 65}, {3, 0, 2}};

template <class T>
class Products : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Numbers);

template <class T>
std::vector<T> transpose(const std::vector<T>& a, std::size_t rows, std::size_t columns) {
  std::vector<T> result(a.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = a[r * columns + c];
  }
  return result;
}

template <class T>
void expect_near_product(const Shape& s, const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& start,
                         const std::vector<T>& c) {
  const double epsilon = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  for (std::size_t r = 0; r < s.rows; ++r) {
    for (std::size_t j = 0; j < s.columns; ++j) {
      double sum = static_cast<double>(start[r * s.columns + j]);
      for (std::size_t k = 0; k < s.depth; ++k) {
        sum += static_cast<double>(a[r * s.depth + k]) * static_cast<double>(b[k * s.columns + j]);
      }
      ASSERT_NEAR(static_cast<double>(c[r * s.columns + j]), sum, epsilon * (1 + static_cast<double>(s.depth)))
          << s.rows << " x " << s.depth << " x " << s.columns << " at " << r << ", " << j;
    }
  }
}

TYPED_TEST(Products, EqualTheDefinition) {
  using T = TypeParam;
  for (const Shape& s : kShapes) {
    const auto a = random_numbers<T>(s.rows * s.depth, 1);
    const auto b = random_numbers<T>(s.depth * s.columns, 2);
    const auto start = random_numbers<T>(s.rows * s.columns, 3);
    const std::vector<T> zero(start.size());

    std::vector<T> c = start;
    add_product(s.rows, s.depth, s.columns, a.data(), b.data(), c.data());
    expect_near_product(s, a, b, start, c);

    c = start;
    add_transposed_product(s.rows, s.depth, s.columns, transpose(a, s.rows, s.depth).data(), b.data(), c.data());
    expect_near_product(s, a, b, start, c);

    c = start; // must be overwritten
    set_product_transposed(s.rows, s.depth, s.columns, a.data(), transpose(b, s.depth, s.columns).data(), c.data());
    expect_near_product(s, a, b, zero, c);
  }
}

TYPED_TEST(Products, GiveTheSameBitsAtAnyAlignment) {
  using T = TypeParam;
  for (const Shape& s : kShapes) {
    const auto a = random_numbers<T>(s.rows * s.depth, 4);
    const auto b = random_numbers<T>(s.depth * s.columns, 5);
    std::vector<std::vector<T>> results[3];
    for (std::size_t shift = 0; shift < 5; ++shift) {
      // Copies that begin `shift` elements into an allocation, each matrix with another shift.
      std::vector<T> a_moved(a.size() + 8), b_moved(b.size() + 8);
      std::copy(a.begin(), a.end(), a_moved.begin() + static_cast<std::ptrdiff_t>(shift));
      std::copy(b.begin(), b.end(), b_moved.begin() + static_cast<std::ptrdiff_t>(2 * shift % 5));
      const T* const pa = a_moved.data() + shift;
      const T* const pb = b_moved.data() + 2 * shift % 5;
      for (int kind = 0; kind < 3; ++kind) {
        std::vector<T> c(s.rows * s.columns + 8);
        T* const pc = c.data() + 3 * shift % 5;
        if (kind == 0) add_product(s.rows, s.depth, s.columns, pa, pb, pc);
        if (kind == 1) add_transposed_product(s.rows, s.depth, s.columns, pa, pb, pc);
        if (kind == 2) set_product_transposed(s.rows, s.depth, s.columns, pa, pb, pc);
        results[kind].emplace_back(pc, pc + s.rows * s.columns);
      }
    }
    for (const auto& of_kind : results) {
      for (const auto& result : of_kind) {
        ASSERT_EQ(std::memcmp(result.data(), of_kind[0].data(), result.size() * sizeof(T)), 0)
            << s.rows << " x " << s.depth << " x " << s.columns;
      }
    }
  }
}

TYPED_TEST(Products, RowsAreAddedAndSet) {
  using T = TypeParam;
  const std::vector<T> matrix{1, 2, 3, 4, 5, 6};
  std::vector<T> sums{10, 20};
  add_rows<T>(3, 2, matrix.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<T>{19, 32}));
  std::vector<T> copies(6);
  set_rows<T>(3, 2, sums.data(), copies.data());
  EXPECT_EQ(copies, (std::vector<T>{19, 32, 19, 32, 19, 32}));
}

} // namespace
} // namespace ps
