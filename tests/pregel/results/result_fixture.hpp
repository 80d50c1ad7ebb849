// Results whose right output is known, spread over the ranks in several ways, and a scratch directory that the ranks
// share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/collectives.hpp"
#include "core/random.hpp"
#include "pregel/io/results.hpp"

namespace pregel::testing_support {

/// Removed at the end, after all ranks are done with it.
class SharedDirectory {
 public:
  explicit SharedDirectory(const core::Communicator& comm) : comm_(comm) {
    const auto base = std::filesystem::temp_directory_path() / ("superstep-results-" + std::to_string(getpid()));
    path_ = core::broadcast_string(comm, base.string(), 0);
    if (comm.rank() == 0) std::filesystem::create_directories(path_);
    core::barrier(comm);
  }
  ~SharedDirectory() {
    core::barrier(comm_);
    if (comm_.rank() == 0) std::filesystem::remove_all(path_);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names in the directory, ascending. Collective, so that no rank sees what another is about to make.
  [[nodiscard]] std::vector<std::string> listing() const {
    core::barrier(comm_);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    core::barrier(comm_);
    return names;
  }

 private:
  const core::Communicator& comm_;
  std::string path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Which rank holds a vertex.
enum class Spread { modulo, ranges, scattered, all_on_last };

inline int owner(Spread spread, std::uint64_t i, std::uint64_t rows, int ranks) {
  const auto p = static_cast<std::uint64_t>(ranks);
  switch (spread) {
    case Spread::modulo: return static_cast<int>(i % p);
    case Spread::ranges: return static_cast<int>(i * p / rows);
    case Spread::scattered: return static_cast<int>(core::mix64(i) % p);
    case Spread::all_on_last: return ranks - 1;
  }
  return 0;
}

/// Row i of the whole result. Ids have gaps and go up to the largest allowed.
struct Row {
  std::uint64_t id;
  double real;
  std::uint64_t count;
  std::int64_t level;
  GlobalId parent;
};
inline Row row_of(std::uint64_t i, std::uint64_t rows) {
  core::CounterRandom random(9, i);
  Row row{};
  row.id = i + 1 == rows ? ~std::uint64_t{0} - 1 : i * i * 3 + 7;
  row.real = random.uniform() * std::pow(10.0, static_cast<double>(random.below(40)) - 20);
  if (i % 11 == 3) row.real = std::numeric_limits<double>::infinity();
  row.count = random.next() >> random.below(64);
  row.level = i % 7 == 0 ? std::numeric_limits<std::int64_t>::max() : -static_cast<std::int64_t>(i);
  row.parent = i % 5 == 2 ? kNoVertex : GlobalId{i / 2};
  return row;
}

/// This rank's part of a result of `rows` rows.
inline ResultTable table_of(const core::Communicator& comm, std::uint64_t rows, Spread spread) {
  ResultTable table;
  std::vector<double> reals;
  std::vector<std::uint64_t> counts;
  std::vector<std::int64_t> levels;
  std::vector<GlobalId> parents;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (owner(spread, i, rows, comm.size()) != comm.rank()) continue;
    const Row row = row_of(i, rows);
    table.ids.push_back(GlobalId{row.id});
    reals.push_back(row.real);
    counts.push_back(row.count);
    levels.push_back(row.level);
    parents.push_back(row.parent);
  }
  table.columns = {{"real", reals}, {"count", counts}, {"level", levels}, {"parent", parents}};
  return table;
}

/// What the text file must contain.
inline std::string text_of(std::uint64_t rows) {
  std::string text;
  char line[256];
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Row row = row_of(i, rows);
    char real[32] = "infinity";
    if (std::isfinite(row.real)) std::snprintf(real, sizeof real, "%.17g", row.real);
    std::snprintf(line, sizeof line, "%llu %s %llu %lld ", static_cast<unsigned long long>(row.id), real,
                  static_cast<unsigned long long>(row.count), static_cast<long long>(row.level));
    text += line + (row.parent == kNoVertex ? "-1" : std::to_string(number(row.parent))) + "\n";
  }
  return text;
}

/// Names in which bytewise order is not the order of numbers; vertex i has the i-th of them.
inline std::vector<std::string> some_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back((i % 3 == 0 ? "n" : "vertex-") + std::to_string(i));
  std::ranges::sort(names);
  return names;
}

} // namespace pregel::testing_support
