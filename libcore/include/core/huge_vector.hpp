// Vectors on huge pages. The engine reads messages in random order from arrays of many megabytes; with 4 KiB pages most
// of these reads also miss the TLB (measured on PageRank, Kronecker scale 20, 2 ranks: 0.38 s with small pages, 0.33 s
// with huge ones).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace core {

/// Allocates blocks of 2 MiB and more on 2 MiB boundaries and asks the kernel for huge pages (where transparent huge
/// pages are `madvise` or `always`; elsewhere the advice has no effect). Smaller blocks come from the ordinary heap.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)}));
    void* block = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
    if (block == nullptr) throw std::bad_alloc();
    // Whole pages only: the tail must not grow the process. A kernel that refuses leaves small pages, which work too.
    (void)madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept {
    if (count * sizeof(T) < kHugePage)
      ::operator delete (block, std::align_val_t{alignof(T)});
    else
      std::free(block);
  }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) noexcept { return true; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

} // namespace core
