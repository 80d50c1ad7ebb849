// The first lines of a text file, plain or compressed: headers, and what tells one format from another. One rank's
// view; a header is small, so every rank reads it itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "compressed_stream.hpp"
#include "input_file.hpp"

namespace pregel {

/// A line of the head, without its line end.
struct HeadLine {
  std::string text;
  std::uint64_t number = 0; ///< from 1
  std::uint64_t end = 0;    ///< the byte of the (inflated) text at which the next line begins
};

class TextHead {
 public:
  /// InputError if the file cannot be opened. Local.
  explicit TextHead(const std::string& path);

  /// Up to `count` first bytes of the text, after a byte order mark. Local.
  [[nodiscard]] std::string first_bytes(std::size_t count);
  /// The next line; nothing at the end of the text. FileError for data that are damaged, and for lines that nobody
  /// would call lines. Local.
  [[nodiscard]] std::optional<HeadLine> next();

 private:
  /// Appends more of the text; false at its end, also where that comes too early.
  bool read_more();

  InputFile file_;
  std::unique_ptr<CompressedStream> stream_; // null for a plain file
  std::string text_;
  std::size_t begin_ = 0; // of the next line in text_
  std::uint64_t number_ = 0;
};

} // namespace pregel
