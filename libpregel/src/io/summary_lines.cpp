// A summary as text. Bars are drawn with '#', which every terminal has.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "pregel/io/result_summary.hpp"

namespace pregel {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLongestBar = 40;

/// A number as people read it. JSON has no infinity: it is what lies beyond the largest real.
std::string text_of(const json& value) {
  if (value.is_null()) return "infinity";
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

std::string counted(const json& count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count.dump(), count == 1 ? one : many);
}

std::string share(const json& part, const json& whole) {
  const double all = whole.get<double>();
  return fmt::format("{:.1f} %", all > 0 ? 100 * part.get<double>() / all : 0.0);
}

/// Integers from 4 to below 8 are "4 to 7", reals "4 to 8", which a reader takes as the same.
std::string range_of(const json& bin) {
  const json &from = bin.at("from"), &to = bin.at("to");
  if (from == to) return text_of(from);
  const bool is_whole = to.is_number_integer();
  const json last = !is_whole                 ? to
                    : to.is_number_unsigned() ? json(to.get<std::uint64_t>() - 1)
                                              : json(to.get<std::int64_t>() - 1);
  return from == last ? text_of(from) : text_of(from) + " to " + text_of(last);
}

void add_distribution(std::vector<std::string>& lines, const json& bins) {
  std::uint64_t most = 1;
  std::size_t width = 0;
  for (const json& bin : bins) {
    most = std::max(most, bin.at("count").get<std::uint64_t>());
    width = std::max(width, range_of(bin).size());
  }
  for (const json& bin : bins) {
    const auto count = bin.at("count").get<std::uint64_t>();
    const auto length = static_cast<std::size_t>(
        std::ceil(static_cast<double>(count) / static_cast<double>(most) * static_cast<double>(kLongestBar)));
    lines.push_back(fmt::format("    {:<{}} {:>12}{}{}", range_of(bin), width, count, length == 0 ? "" : " ",
                                std::string(length, '#')));
  }
}

void add_spread(std::vector<std::string>& lines, const json& column) {
  const json& q = column.at("quantiles");
  lines.push_back(fmt::format("    minimum {}, mean {}, maximum {}", text_of(column.at("minimum")),
                              text_of(column.at("mean")), text_of(column.at("maximum"))));
  lines.push_back(fmt::format("    25 % {}, median {}, 75 % {}, 90 % {}, 99 % {}", text_of(q.at("0.25")),
                              text_of(q.at("0.5")), text_of(q.at("0.75")), text_of(q.at("0.9")),
                              text_of(q.at("0.99"))));
}

void add_largest(std::vector<std::string>& lines, const json& rows, const char* name, const char* value) {
  for (const json& row : rows)
    lines.push_back(fmt::format("    {:<20} {}", row.at(name).get<std::string>(), text_of(row.at(value))));
}

void add_column(std::vector<std::string>& lines, const json& column, const json& rows) {
  std::string head = fmt::format("  {} of {}", column.at("name").get<std::string>(),
                                 counted(column.at("count"), "vertex", "vertices"));
  if (column.at("unreachable") != 0)
    head +=
        fmt::format("; {} unreachable ({})", column.at("unreachable").dump(), share(column.at("unreachable"), rows));
  if (column.at("not_numbers") != 0) head += fmt::format("; {} not a number", column.at("not_numbers").dump());
  lines.push_back(head);
  if (column.at("count") == 0) return;
  add_spread(lines, column);
  lines.emplace_back("  largest");
  add_largest(lines, column.at("largest"), "vertex", "value");
  lines.emplace_back("  distribution");
  add_distribution(lines, column.at("distribution"));
}

void add_groups(std::vector<std::string>& lines, const json& summary, bool walks) {
  const json& groups = summary.at("groups");
  lines.push_back(walks ? fmt::format("  {} in {}", counted(summary.at("rows"), "walk ends", "walks end"),
                                      counted(groups, "vertex", "vertices"))
                        : fmt::format("  {} of {}", counted(groups, "group", "groups"),
                                      counted(summary.at("rows"), "vertex", "vertices")));
  const json& without = summary.at("without_group");
  if (walks && without != 0) lines.back() += fmt::format("; {} ended earlier", without.dump());
  if (groups == 0) return;
  lines.push_back(fmt::format("    of one {}: {} ({})", walks ? "walk" : "vertex", summary.at("singletons").dump(),
                              share(summary.at("singletons"), groups)));
  add_spread(lines, summary.at("sizes"));
  lines.emplace_back("  largest");
  add_largest(lines, summary.at("largest"), "group", "size");
  lines.emplace_back("  distribution of sizes");
  add_distribution(lines, summary.at("sizes").at("distribution"));
}

void add_edges(std::vector<std::string>& lines, const json& summary) {
  lines.push_back(fmt::format("  {}, total weight {}", counted(summary.at("edges"), "edge", "edges"),
                              text_of(summary.at("total_weight"))));
  if (!summary.contains("weights")) return;
  add_spread(lines, summary.at("weights"));
  lines.emplace_back("  distribution of weights");
  add_distribution(lines, summary.at("weights").at("distribution"));
}

} // namespace

std::vector<std::string> summary_lines(const json& summary) {
  std::vector<std::string> lines;
  const std::string kind = summary.at("kind");
  if (kind == "values") {
    for (const json& column : summary.at("columns")) add_column(lines, column, summary.at("rows"));
    if (summary.at("columns_left_out") != 0)
      lines.push_back(fmt::format("  and {}", counted(summary.at("columns_left_out"), "more column", "more columns")));
  } else if (kind == "edges") {
    add_edges(lines, summary);
  } else if (kind == "matching") {
    lines.push_back(fmt::format("  {} matched in {}, {} free", counted(summary.at("matched"), "vertex", "vertices"),
                                counted(summary.at("edges"), "edge", "edges"), summary.at("free").dump()));
  } else {
    add_groups(lines, summary, kind == "walks");
  }
  return lines;
}

} // namespace pregel
