// The lines of a text file, in large blocks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace ps {

class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  /// The next line without its end (LF or CR LF); false after the last one. The view is valid until the next call, and
  /// line.data()[line.size()] may be read: it ends the line. Throws OrderedInputError for a line that is too
  /// long and for a damaged file.
  [[nodiscard]] bool next(std::string_view& line);
  /// Number of the line that next() gave, from 1.
  [[nodiscard]] unsigned long long number() const noexcept { return number_; }

 private:
  /// Moves the begun line to the front of the buffer and fills up behind it. False at the end of the file.
  bool refill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0; ///< of the bytes not yet given out
  unsigned long long number_ = 0;
  bool at_end_ = false;
};

} // namespace ps
