#include "collectives/algorithm.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace collectives {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"automatic",    "naive_ring",         "reduce_broadcast",
                                                    "all_to_all",   "recursive_doubling", "halving_doubling",
                                                    "chunked_ring", "shared_memory",      "hierarchical"};
constexpr std::array kAll = {Algorithm::naive_ring,         Algorithm::reduce_broadcast, Algorithm::all_to_all,
                             Algorithm::recursive_doubling, Algorithm::halving_doubling, Algorithm::chunked_ring,
                             Algorithm::shared_memory,      Algorithm::hierarchical};

/// A whole number from a table: what it says there would be converted, not refused.
template <class T>
T number_from(const nlohmann::json& object, const char* key, std::uint64_t least, std::uint64_t most) {
  const nlohmann::json& value = object.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
    throw core::InputError(fmt::format("{} {}: not a whole number from {} to {}", key, value.dump(), least, most));
  return value.get<T>();
}

TuningRow row_from(const nlohmann::json& row) {
  constexpr std::uint64_t kMostBytes = std::numeric_limits<std::size_t>::max();
  TuningRow result{number_from<std::size_t>(row, "bytes", 0, kMostBytes),
                   algorithm_named(row.at("algorithm").get<std::string>())};
  if (row.contains("segment_bytes"))
    result.segment_bytes = number_from<std::size_t>(row, "segment_bytes", 0, kMostBytes);
  if (row.contains("channels")) result.channels = number_from<int>(row, "channels", 0, kMostChannels);
  return result;
}

/// How unlike two topologies are; those that do not share memory in the same way are not comparable.
int distance(const Topology& a, const Topology& b) noexcept {
  return 1000 * std::abs(a.nodes - b.nodes) + std::abs(a.ranks - b.ranks);
}
bool comparable(const Topology& a, const Topology& b) noexcept {
  return a.shared_memory == b.shared_memory && (a.nodes == 1) == (b.nodes == 1);
}

} // namespace

std::string_view name_of(Algorithm algorithm) noexcept {
  return kNames[static_cast<std::size_t>(algorithm)];
}

Algorithm algorithm_named(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end())
    throw core::InputError(fmt::format("unknown all-reduce algorithm '{}': one of {}", name, fmt::join(kNames, ", ")));
  return static_cast<Algorithm>(found - kNames.begin());
}

std::span<const Algorithm> all_algorithms() noexcept {
  return kAll;
}

void TuningTable::set(const Topology& topology, std::vector<TuningRow> rows) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.topology == topology; });
  if (!rows.empty()) entries_.push_back({topology, std::move(rows)});
}

TuningRow TuningTable::choose(const Topology& topology, std::size_t bytes) const {
  const Entry* nearest = nullptr;
  for (const Entry& entry : entries_) {
    if (!comparable(entry.topology, topology)) continue;
    if (nearest == nullptr || distance(entry.topology, topology) < distance(nearest->topology, topology))
      nearest = &entry;
  }
  if (nearest == nullptr) return {bytes, Algorithm::automatic, 0, 0};
  for (const TuningRow& row : nearest->rows) {
    if (bytes <= row.bytes) return row;
  }
  return nearest->rows.back();
}

TuningTable TuningTable::from_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf(); // fails where there is nothing to read: also a directory can be opened
  if (!file || !text) throw core::InputError(fmt::format("{}: cannot be read", path));
  return from_json(text.str(), path);
}

TuningTable TuningTable::from_json(const std::string& text, const std::string& name) {
  TuningTable table;
  try {
    const auto document = nlohmann::json::parse(text);
    for (const auto& entry : document.at("tuning")) {
      constexpr std::uint64_t kMostRanks = 1U << 20;
      const Topology topology{number_from<int>(entry, "ranks", 1, kMostRanks),
                              number_from<int>(entry, "nodes", 1, kMostRanks), entry.at("shared_memory")};
      std::vector<TuningRow> rows;
      for (const auto& row : entry.at("rows")) rows.push_back(row_from(row));
      if (!std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; }))
        throw core::InputError("rows are not in ascending order of bytes");
      table.set(topology, std::move(rows));
    }
  } catch (const nlohmann::json::exception& error) {
    throw core::InputError(fmt::format("{}: not a tuning table: {}", name, error.what()));
  } catch (const core::InputError& error) {
    throw core::InputError(fmt::format("{}: not a tuning table: {}", name, error.what()));
  }
  return table;
}

std::string TuningTable::to_json() const {
  nlohmann::ordered_json document;
  document["tuning"] = nlohmann::ordered_json::array();
  for (const Entry& entry : entries_) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const TuningRow& row : entry.rows) {
      rows.push_back({{"bytes", row.bytes},
                      {"algorithm", name_of(row.algorithm)},
                      {"segment_bytes", row.segment_bytes},
                      {"channels", row.channels}});
    }
    document["tuning"].push_back({{"ranks", entry.topology.ranks},
                                  {"nodes", entry.topology.nodes},
                                  {"shared_memory", entry.topology.shared_memory},
                                  {"rows", std::move(rows)}});
  }
  return document.dump(2);
}

} // namespace collectives
