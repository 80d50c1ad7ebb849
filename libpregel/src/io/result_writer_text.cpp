// Text results: "id value [value…]" a line, ascending; as CSV with commas and a header. Each round a rank formats its
// stretch in memory, the ranks tell each other the lengths, and everybody writes at its own place in the file
// (result_stretches.hpp).
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "result_names.hpp"
#include "result_text.hpp"
#include "result_writers.hpp"

namespace pregel {
namespace {

void append_name(TextBuffer& text, std::string_view name, TextLayout layout) {
  layout == TextLayout::csv ? text.append_csv(name) : text.append(name);
}

void format_rows(const ResultTable& rows, const TableNames* names, TextLayout layout, TextBuffer& text) {
  text.clear();
  for (std::size_t row = 0; row < rows.ids.size(); ++row) {
    if (names != nullptr)
      append_name(text, names->ids[row], layout);
    else
      text.append_number(number(rows.ids[row]));
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      text.append(layout == TextLayout::csv ? ',' : ' ');
      if (names != nullptr && !names->columns[c].empty())
        append_name(text, names->columns[c][row], layout);
      else
        std::visit([&](const auto& values) { text.append_number(values[row]); }, rows.columns[c].values);
    }
    text.append('\n');
  }
}

std::string header_of(const ResultTable& table, TextLayout layout) {
  if (layout == TextLayout::plain) return "";
  std::string header = "id";
  for (const NamedColumn& column : table.columns) header += ',' + column.name;
  return header + '\n';
}

} // namespace

std::uint64_t write_text_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                                 const std::string& path, TextLayout layout, std::size_t rows_per_stretch) {
  const ResultStretches stretches(comm, table, rows_per_stretch);
  core::SharedAtomicFile file(comm, path);
  TextBuffer text;
  const std::string header = header_of(table, layout);
  if (layout == TextLayout::csv) {
    core::agree(comm, [&] {
      if (comm.rank() == 0) file.write_at(std::as_bytes(std::span(header)), 0);
    });
  }
  std::uint64_t written = header.size();
  for (std::size_t round = 0; round < stretches.rounds(); ++round) {
    const ResultTable rows = stretches.stretch(round);
    std::optional<TableNames> row_names;
    if (names != nullptr) row_names = names_of_table(comm, *names, rows);
    core::agree(comm, [&] { format_rows(rows, row_names ? &*row_names : nullptr, layout, text); });

    const std::uint64_t length = text.view().size();
    const std::uint64_t before = core::exclusive_scan_sum(comm, length);
    core::agree(comm, [&] { file.write_at(std::as_bytes(std::span(text.view())), written + before); });
    written += core::all_reduce_value(comm, length, core::Reduce::sum);
  }
  file.commit();
  return written;
}

} // namespace pregel
