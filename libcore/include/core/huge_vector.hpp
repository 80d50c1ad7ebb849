// Vectors on huge pages. The engine reads messages in random order from arrays of many megabytes; with 4 KiB pages most
// of these reads also miss the TLB (measured on PageRank, Kronecker scale 20, 2 ranks: 0.38 s with small pages, 0.33 s
// with huge ones).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace core {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

namespace detail {

/// Anonymous memory on a 2 MiB boundary, straight from the kernel: blocks of one huge page and more are few, and what
/// is freed is given back at once, where a heap would keep it in pieces. nullptr when there is none. Local.
[[nodiscard]] inline void* map_huge(std::size_t bytes) noexcept {
  const auto map = [](std::size_t size) -> std::byte* {
    void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? nullptr : static_cast<std::byte*>(block);
  };
  const auto excess = [](const std::byte* block) { return reinterpret_cast<std::uintptr_t>(block) % kHugePage; };
  std::byte* block = map(bytes); // kernels from 6.7 on place it well themselves
  if (block != nullptr && excess(block) != 0) {
    munmap(block, bytes);
    block = map(bytes + kHugePage);
    if (block == nullptr) return nullptr;
    const std::size_t before = (kHugePage - excess(block)) % kHugePage;
    if (before != 0) munmap(block, before);
    munmap(block + before + bytes, kHugePage - before);
    block += before;
  }
  return block;
}

} // namespace detail

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
    void* block = detail::map_huge(mapped_bytes(count));
    if (block == nullptr) throw std::bad_alloc();
    // Whole pages only: the tail must not grow the process. A kernel that refuses leaves small pages, which work too.
    (void)madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept {
    if (count * sizeof(T) < kHugePage)
      ::operator delete (block, std::align_val_t{alignof(T)});
    else
      (void)munmap(block, mapped_bytes(count));
  }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) noexcept { return true; }

 private:
  static std::size_t mapped_bytes(std::size_t count) noexcept {
    return (count * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

/// The same, but elements of a trivial type that are given no value get none.
template <class T>
struct UntouchedPageAllocator : HugePageAllocator<T> {
  UntouchedPageAllocator() = default;
  template <class U>
  explicit UntouchedPageAllocator(const UntouchedPageAllocator<U>&) noexcept {}

  template <class U>
  void construct(U* place) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A vector whose resize() writes nothing: its new elements must be filled, and whoever fills a page touches it first
/// (first_touch.hpp).
template <class T>
using UntouchedVector = std::vector<T, UntouchedPageAllocator<T>>;

/// Room for `count` trivial elements on huge pages, which are not written before the owner does: what
/// std::make_unique_for_overwrite is to std::make_unique.
template <class T>
class HugeArray {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  HugeArray() = default;
  explicit HugeArray(std::size_t count) : block_(HugePageAllocator<T>().allocate(count)), count_(count) {}
  HugeArray(HugeArray&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  HugeArray& operator=(HugeArray&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(count_, other.count_);
    return *this;
  }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;
  ~HugeArray() {
    if (block_ != nullptr) HugePageAllocator<T>().deallocate(block_, count_);
  }

  [[nodiscard]] T* data() const noexcept { return block_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return block_[i]; }

 private:
  T* block_ = nullptr;
  std::size_t count_ = 0;
};

} // namespace core
