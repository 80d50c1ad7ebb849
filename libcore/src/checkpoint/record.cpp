// Records as JSON. from_json throws nlohmann::json::exception where something is missing: callers say of which file.
#include "record.hpp"

#include <algorithm>
#include <iterator>

namespace core::checkpoint {
namespace {

nlohmann::json to_json_value(const DatasetRecord& dataset) {
  return {{"offset", dataset.offset}, {"elements", dataset.elements}, {"checksum", dataset.checksum}};
}

DatasetRecord dataset_of(const nlohmann::json& json) {
  return {json.at("offset"), json.at("elements"), json.at("checksum")};
}

constexpr const char* kKinds[] = {"unsigned", "signed", "real", "opaque"};

ElementKind kind_of(const std::string& name) {
  const auto* const found = std::ranges::find(kKinds, name);
  return found == std::end(kKinds) ? ElementKind::opaque : static_cast<ElementKind>(found - std::begin(kKinds));
}

nlohmann::json to_json_value(const ColumnRecord& column) {
  nlohmann::json json{{"name", column.name},
                      {"kind", kKinds[static_cast<std::size_t>(column.type.kind)]},
                      {"bytes", column.type.bytes},
                      {"values", to_json_value(column.values)}};
  if (column.is_list) json["counts"] = to_json_value(column.counts);
  return json;
}

ColumnRecord column_of(const nlohmann::json& json) {
  ColumnRecord column{json.at("name"), {kind_of(json.at("kind")), json.at("bytes")}, json.contains("counts"), {}, {}};
  column.values = dataset_of(json.at("values"));
  if (column.is_list) column.counts = dataset_of(json.at("counts"));
  return column;
}

} // namespace

void to_json(nlohmann::json& json, const PartRecord& part) {
  json = {{"file", part.file}, {"bytes", part.bytes}, {"structure", part.structure}};
  nlohmann::json& tables = json["tables"] = nlohmann::json::array();
  for (const TableRecord& table : part.tables) {
    nlohmann::json columns = nlohmann::json::array();
    for (const ColumnRecord& column : table.columns) columns.push_back(to_json_value(column));
    tables.push_back({{"name", table.name}, {"rows", table.rows}, {"columns", std::move(columns)}});
  }
}

void from_json(const nlohmann::json& json, PartRecord& part) {
  part = {json.at("file"), json.at("bytes"), json.at("structure"), {}};
  for (const nlohmann::json& entry : json.at("tables")) {
    TableRecord table{entry.at("name"), entry.at("rows"), {}};
    for (const nlohmann::json& column : entry.at("columns")) table.columns.push_back(column_of(column));
    part.tables.push_back(std::move(table));
  }
}

std::string values_path(const TableRecord& table, const ColumnRecord& column) {
  return table.name + '/' + column.name;
}
std::string counts_path(const TableRecord& table, const ColumnRecord& column) {
  return table.name + '/' + column.name + "_count";
}

} // namespace core::checkpoint
