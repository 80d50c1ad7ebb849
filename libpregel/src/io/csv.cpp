// Tables of edges with a header: comma-, semicolon- or tab-separated values (RFC 4180, a record a line). The columns
// are chosen by name or by number; without a choice they are the first, the second and, with weights, the third.
//
// Fields may stand in double quotes, in which a doubled quote is a quote; blanks around a field do not count. Every
// record has as many fields as the header: the usual reason for another number is a separator inside a field. The
// separator is the one of tab, semicolon and comma that the header has most of.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/error.hpp"
#include "line_source.hpp"
#include "pregel/error.hpp"
#include "pregel/io/fields.hpp"
#include "reading.hpp"
#include "text_head.hpp"

namespace pregel {
namespace {

struct Header {
  HeaderLine line;
  char separator = ',';
  std::vector<std::string> names;
  std::array<std::size_t, 3> chosen{0, 1, 2}; ///< positions of source, target and weight
  std::size_t wanted = 2;                     ///< how many of them are read
};

/// Reads one field from `p` on, into `field`; quotes are removed through `scratch`. Returns the separator or line end
/// that follows, or null for a quote that is not closed or is followed by more.
[[nodiscard]] const char* take_field(const char* p, char separator, std::string_view& field, std::string& scratch) {
  const auto skip = [separator](const char* q) {
    while (is_blank(*q) && *q != separator) ++q;
    return q;
  };
  const auto ends = [separator](char c) { return c == separator || c == '\n' || c == '\r' || c == '\0'; };
  p = skip(p);
  if (*p == '"') {
    scratch.clear();
    for (++p; *p != '"' || p[1] == '"'; ++p) {
      if (*p == '\n' || *p == '\0') return nullptr;
      if (*p == '"') ++p;
      scratch += *p;
    }
    field = scratch;
    p = skip(p + 1);
  } else {
    const char* const begin = p;
    while (!ends(*p)) ++p;
    const char* end = p;
    while (end != begin && is_blank(end[-1])) --end;
    field = {begin, static_cast<std::size_t>(end - begin)};
  }
  return ends(*p) && *p != '\0' ? p : nullptr;
}

/// All fields of a line, for the header and for messages; nothing for unbalanced quotes.
[[nodiscard]] std::optional<std::vector<std::string>> split_record(std::string_view line, char separator) {
  std::string text(line);
  text += '\n';
  text.append(kFieldPadding, '\0');
  std::vector<std::string> fields;
  std::string scratch;
  for (const char* p = text.data();; ++p) {
    std::string_view field;
    if ((p = take_field(p, separator, field, scratch)) == nullptr) return std::nullopt;
    fields.emplace_back(field);
    if (*p != separator) return fields;
  }
}

[[nodiscard]] char guess_separator(std::string_view line) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char separator : {',', '\t', ';'}) {
    const auto count = std::count(line.begin(), line.end(), separator);
    if (count > most) {
      most = count;
      best = separator;
    }
  }
  return best;
}

/// Position of a column that the user chose by name, or by number if no column has that name.
[[nodiscard]] std::size_t position_of(const Reading& reading, const Header& header, const std::string& wanted) {
  const auto named = std::find(header.names.begin(), header.names.end(), wanted);
  if (named != header.names.end()) {
    if (std::find(named + 1, header.names.end(), wanted) != header.names.end())
      throw FileError(reading.options.graph_file, header.line.number,
                      fmt::format("two columns have the name {}: choose by number", in_quotes(wanted)));
    return static_cast<std::size_t>(named - header.names.begin());
  }
  const auto number = parse_count(wanted);
  if (number && *number >= 1 && *number <= header.names.size()) return static_cast<std::size_t>(*number - 1);
  throw FileError(reading.options.graph_file, header.line.number,
                  fmt::format("no column has the name {}: the header is '{}'", in_quotes(wanted),
                              fmt::join(header.names, std::string_view(&header.separator, 1))));
}

/// Local.
[[nodiscard]] Header read_header(const Reading& reading) {
  const ReadOptions& options = reading.options;
  TextHead head(options.graph_file);
  if (const std::string reason = foreign_format(head.first_bytes(64)); !reason.empty())
    throw FileError(options.graph_file, 1, reason);
  Header header;
  std::optional<HeadLine> line;
  do {
    line = head.next();
    if (!line) throw FileError(options.graph_file, 1, "the file is empty: expected a header that names the columns");
  } while (line->text.find_first_not_of(" \t") == std::string::npos);
  header.line = {line->number, line->end};
  std::string_view text = line->text;
  if (text.starts_with('#')) text.remove_prefix(1);
  header.separator = guess_separator(text);
  const auto names = split_record(text, header.separator);
  if (!names) throw FileError(options.graph_file, line->number, "a quote in the header is not closed");
  header.names = *names;

  header.wanted = options.weighted ? 3 : 2;
  const auto& columns = options.columns;
  if (!columns.empty()) {
    if (columns.size() < header.wanted)
      throw core::InputError("--columns must name the source, the target and with --weighted the weight");
    for (std::size_t i = 0; i < header.wanted; ++i) header.chosen[i] = position_of(reading, header, columns[i]);
  } else if (header.names.size() < header.wanted) {
    throw FileError(options.graph_file, line->number,
                    fmt::format("expected {} columns or more, separated by comma, semicolon or tab; found {}",
                                header.wanted, header.names.size()));
  }
  return header;
}

[[nodiscard]] std::string why_not(std::string_view line, const Header& header, bool names) {
  const auto fields = split_record(line, header.separator);
  if (!fields) return "a quote is not closed on this line, or something follows it: a record is one line";
  if (fields->size() != header.names.size())
    return fmt::format("{} field{} where the header has {}", fields->size(), fields->size() == 1 ? "" : "s",
                       header.names.size());
  for (std::size_t i = 0; i < header.wanted; ++i) {
    const std::string& field = (*fields)[header.chosen[i]];
    const std::string where = fmt::format("column '{}': ", header.names[header.chosen[i]]);
    std::uint64_t id = 0;
    std::string_view name;
    double weight = 0;
    std::string scratch;
    if (i == 2 && !read_weight(field, weight, scratch)) return where + why_not_a_weight(field, "weight");
    if (i < 2 && field.empty()) return where + "there is no vertex";
    if (i < 2 && names && !read_id(field, name)) return where + in_quotes(field) + ": no blanks can be in a name";
    if (i < 2 && !names && !read_id(field, id)) return where + why_not_an_id(field);
  }
  return "this line holds a zero byte or a carriage return";
}

/// One thread's parser of records.
template <class Id>
class RecordParser {
 public:
  explicit RecordParser(const Header& header) : header_(header) {}

  [[nodiscard]] std::optional<BadLine> parse(std::string_view lines, ThreadShare& share) {
    return for_each_line<false, true>(
        lines, [&](const char* p) { return parse_record(p, share); },
        [&](std::string_view line) { return why_not(line, header_, std::is_same_v<Id, std::string_view>); });
  }

 private:
  const char* parse_record(const char* p, ThreadShare& share) {
    std::array<Id, 2> ends{};
    double weight = 1;
    for (std::size_t column = 0;; ++column, ++p) {
      std::string_view field;
      if ((p = take_field(p, header_.separator, field, scratch_)) == nullptr) return nullptr;
      for (std::size_t i = 0; i < 2; ++i) {
        if (column == header_.chosen[i] && !read_id(field, ends[i])) return nullptr;
      }
      if (header_.wanted > 2 && column == header_.chosen[2] && !read_weight(field, weight, number_)) return nullptr;
      if (column >= header_.names.size()) return nullptr;
      keep(column, ends, share);
      if (*p == header_.separator) continue;
      if (column + 1 != header_.names.size()) return nullptr;
      break;
    }
    while (*p == '\r') ++p;
    if (*p != '\n') return nullptr;
    share.edges.append({kept_[0], kept_[1]}, weight);
    return p + 1;
  }

  /// Ids are looked up at once, before the scratch they may lie in is used again.
  void keep(std::size_t column, const std::array<Id, 2>& ends, ThreadShare& share) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (column == header_.chosen[i]) kept_[i] = to_id(ends[i], share.table);
    }
  }

  const Header& header_;
  std::string scratch_, number_;
  std::array<GlobalId, 2> kept_{};
};

template <class Id>
[[nodiscard]] ThreadShares read_records(const Reading& reading, const Header& header) {
  ThreadShares shares = make_shares(reading, reading.options.weighted);
  std::vector<RecordParser<Id>> parsers(shares.size(), RecordParser<Id>(header));
  read_placed_lines(reading.comm, reading.options.graph_file, reading.team, reading.options.limits, header.line.end,
                    [&](int thread, std::uint64_t, std::string_view lines) {
                      return parsers[static_cast<std::size_t>(thread)].parse(lines, of_thread(shares, thread));
                    });
  return shares;
}

} // namespace

GraphInput read_csv(const Reading& reading) {
  const Header header = core::agree(reading.comm, [&] { return read_header(reading); });
  const bool names = reading.options.ids == IdKind::text;
  return join(reading,
              names ? read_records<std::string_view>(reading, header) : read_records<std::uint64_t>(reading, header));
}

} // namespace pregel
