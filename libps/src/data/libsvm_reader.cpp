#include "data/libsvm_reader.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "data/byte_source.hpp"
#include "data/labels.hpp"
#include "data/line_reader.hpp"
#include "data/number_field.hpp"

namespace ps {
namespace {

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

/// A row's text: the line without its comment and the blanks around it.
std::string_view strip(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// Is there a row on this line? Cheaper than strip(), for lines that belong to others.
bool has_row(std::string_view line) {
  for (const char c : line) {
    if (!is_blank(c)) return c != '#';
  }
  return false;
}

/// Takes rows apart, one after the other.
template <class T>
class RowParser {
 public:
  RowParser(const std::string& path, const DataOptions& options) : path_(path), options_(options) {}

  /// Appends the row to `share`. `text` is stripped and not empty.
  void parse(std::string_view text, unsigned long long line, Examples<T>& share) {
    line_ = line;
    p_ = text.data();
    end_ = p_ + text.size();
    share.labels.push_back(label());
    std::uint64_t before = 0;
    while (p_ != end_) {
      while (is_blank(*p_)) ++p_; // stripped text does not end in a blank
      before = entry(before, share);
    }
    share.row_begin.push_back(share.keys.size());
    ++share.rows;
    if (before > features) features = before;
  }

  std::size_t features = 0; ///< greatest index so far
  LabelRange labels;

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw core::OrderedInputError(fmt::format("{}:{}: {}", path_, line_, reason), line_);
  }
  /// The text from `from` to the next blank.
  [[nodiscard]] std::string_view field(const char* from) const {
    const char* to = from;
    while (to != end_ && !is_blank(*to)) ++to;
    return {from, static_cast<std::size_t>(to - from)};
  }

  /// A number that ends at a blank or at the end of the line, and fits T.
  T real(const char* what) {
    double value = 0;
    const char* const begin = p_;
    p_ = read_real(begin, end_, value);
    if (p_ == nullptr || (p_ != end_ && !is_blank(*p_))) {
      fail(fmt::format("{}{}", what, why_not_a_number(field(begin))));
    }
    if (std::abs(value) > static_cast<double>(std::numeric_limits<T>::max())) {
      fail(fmt::format("{}{} is too large for single precision", what, quoted(field(begin))));
    }
    return static_cast<T>(value);
  }

  T label() {
    const std::string_view text = field(p_);
    if (text.find(':') != std::string_view::npos) fail(fmt::format("starts with {} instead of a label", quoted(text)));
    const T value = real("label ");
    const std::string reason = check_label(static_cast<double>(value), options_, line_, labels);
    if (!reason.empty()) fail(reason);
    return value;
  }

  /// One `index:value`; returns the index.
  std::uint64_t entry(std::uint64_t before, Examples<T>& share) {
    const char* const begin = p_;
    std::uint64_t index = 0;
    const char* const colon = read_index(p_, index);
    if (colon == nullptr || *colon != ':') refuse_index(begin, colon);
    if (index <= before) {
      fail(index == 0 ? std::string("index 0: indices start at 1")
                      : fmt::format("index {} follows {}: indices must rise", index, before));
    }
    if (options_.features != 0 && index > options_.features) {
      fail(fmt::format("index {}: the model has {} features", index, options_.features));
    }
    p_ = colon + 1;
    share.values.push_back(real("value "));
    share.keys.push_back(index - 1);
    return index;
  }

  [[noreturn]] void refuse_index(const char* begin, const char* digits_end) const {
    const std::string_view text = field(begin);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) fail(fmt::format("{} has no colon: index:value is meant", quoted(text)));
    const std::string_view index = text.substr(0, colon);
    const bool digits = !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits && digits_end == nullptr) fail(fmt::format("index {} does not fit into 64 bits", quoted(index)));
    fail(fmt::format("index {} is not a whole number", quoted(index)));
  }

  const std::string& path_;
  const DataOptions& options_;
  unsigned long long line_ = 0;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
};

} // namespace

template <class T>
Part<T> read_libsvm(const std::string& path, const DataOptions& options, const WorkerRows& rows) {
  ByteSource source(path);
  LineReader lines(source);
  RowParser<T> parser(path, options);
  Part<T> part;
  part.name = name_of(path);
  part.shares.resize(rows.shares());
  for (Examples<T>& share : part.shares) share.row_begin.push_back(0);
  std::string_view line;
  while ((options.max_rows == 0 || part.rows < options.max_rows) && lines.next(line)) {
    if (!has_row(line)) continue;
    const std::size_t share = rows.share_of(part.rows++);
    if (share != WorkerRows::kNotMine) parser.parse(strip(line), lines.number(), part.shares[share]);
  }
  part.features = parser.features;
  part.labels = parser.labels;
  return part;
}

template Part<float> read_libsvm(const std::string&, const DataOptions&, const WorkerRows&);
template Part<double> read_libsvm(const std::string&, const DataOptions&, const WorkerRows&);

} // namespace ps
