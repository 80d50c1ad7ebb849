#include "core/first_touch.hpp"

namespace core {

std::vector<std::size_t> even_bounds(std::size_t count, int parts) {
  const auto n = static_cast<std::size_t>(parts);
  std::vector<std::size_t> bounds{0};
  for (std::size_t part = 0; part < n; ++part) bounds.push_back(bounds.back() + count / n + (part < count % n ? 1 : 0));
  return bounds;
}

void detail::touch_pages(std::byte* begin, std::byte* end) noexcept {
  constexpr std::size_t kPage = 4096; // the smallest there is: larger ones are written more than once
  const auto write = [](std::byte* at) { *static_cast<volatile std::byte*>(at) = std::byte{0}; };
  if (begin == end) return;
  for (std::byte* at = begin; at < end; at += kPage) write(at);
  write(end - 1);
}

} // namespace core
