// First touch: where memory lies that several threads share. Linux gives a page its place when it is first written, in
// the NUMA domain of the thread that writes; an array that one thread fills lies in one domain, and the threads of the
// others read it over the link between the sockets for as long as the job runs. So big arrays that live long are
// touched by the threads that will work on them, each its own share, before anybody fills them; or the threads fill
// them themselves, and that is the touch (UntouchedVector, huge_vector.hpp).
//
// A page goes to one thread: with huge pages, up to 2 MiB at each border between two shares lie with either. The kernel
// also clears a page at its first touch, which for a big array takes as long as filling it: a team clears side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/huge_vector.hpp"
#include "core/thread_team.hpp"

namespace core {

/// Borders of `parts` equal shares of `count` items, parts + 1 of them: for what no thread owns, so that at least all
/// domains serve it. Local.
[[nodiscard]] std::vector<std::size_t> even_bounds(std::size_t count, int parts);

namespace detail {

/// Writes a byte of each page of begin .. end-1; the page of the last byte too. Local.
void touch_pages(std::byte* begin, std::byte* end) noexcept;

} // namespace detail

/// Lets thread t write to each page of items bounds[t] .. bounds[t+1]-1 of `room`: memory that was reserved, but that
/// holds nothing yet. Does nothing for one thread, or for a block that came from the heap (HugePageAllocator), whose
/// pages have been written before. Local.
template <class T, class Bound>
void first_touch(ThreadTeam& team, T* room, std::span<const Bound> bounds) {
  if (team.size() == 1 || static_cast<std::size_t>(bounds.back() - bounds.front()) * sizeof(T) < kHugePage) return;
  auto* bytes = reinterpret_cast<std::byte*>(room);
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    detail::touch_pages(bytes + static_cast<std::size_t>(bounds[t]) * sizeof(T),
                        bytes + static_cast<std::size_t>(bounds[t + 1]) * sizeof(T));
  });
}

} // namespace core
