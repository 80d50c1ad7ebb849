#include "ps/consistency/topology.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"

namespace ps {
namespace {

using Adjacent = std::vector<std::vector<std::size_t>>;

void join(Adjacent& adjacent, std::size_t a, std::size_t b) {
  if (a == b) return;
  adjacent[a].push_back(b);
  adjacent[b].push_back(a);
}

/// The next word of a line is a worker.
std::size_t read_worker(std::istringstream& words, const std::string& where, std::size_t workers) {
  std::string word;
  words >> word;
  std::size_t worker = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), worker);
  if (error != std::errc{} || end != word.data() + word.size())
    throw core::InputError(fmt::format("{}: '{}' is not a worker: a line has two of them", where, word));
  if (worker >= workers)
    throw core::InputError(fmt::format("{}: there is no worker {}: they are 0 to {}", where, worker, workers - 1));
  return worker;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  // Not by `text << file.rdbuf()`, which fails for an empty file.
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    throw core::InputError(
        fmt::format("--topology {}: neither ring, torus, complete nor a file that can be read", path));
  return text;
}

} // namespace

Topology::Topology(Adjacent adjacent) : neighbours_(adjacent.size()) {
  for (std::size_t worker = 0; worker < adjacent.size(); ++worker) {
    std::vector<std::size_t>& others = adjacent[worker];
    others.push_back(worker);
    std::ranges::sort(others);
    others.erase(std::ranges::unique(others).begin(), others.end());
  }
  for (std::size_t worker = 0; worker < adjacent.size(); ++worker) {
    double rest = 1;
    for (const std::size_t other : adjacent[worker]) {
      // A list has the worker itself too: its length is 1 + degree.
      const double weight = 1.0 / static_cast<double>(std::max(adjacent[worker].size(), adjacent[other].size()));
      neighbours_[worker].push_back({other, weight});
      if (other != worker) rest -= weight;
    }
    for (Neighbour& neighbour : neighbours_[worker])
      if (neighbour.worker == worker) neighbour.weight = rest;
  }
}

Topology Topology::ring(std::size_t workers) {
  Adjacent adjacent(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) join(adjacent, worker, (worker + 1) % workers);
  return Topology(std::move(adjacent));
}

Topology Topology::torus(std::size_t workers) {
  std::size_t rows = 1;
  for (std::size_t side = 1; side * side <= workers; ++side)
    if (workers % side == 0) rows = side;
  const std::size_t columns = workers / rows;
  Adjacent adjacent(workers);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t worker = row * columns + column;
      join(adjacent, worker, row * columns + (column + 1) % columns);
      join(adjacent, worker, (row + 1) % rows * columns + column);
    }
  }
  return Topology(std::move(adjacent));
}

Topology Topology::complete(std::size_t workers) {
  Adjacent adjacent(workers);
  for (std::size_t a = 0; a < workers; ++a)
    for (std::size_t b = a + 1; b < workers; ++b) join(adjacent, a, b);
  return Topology(std::move(adjacent));
}

Topology Topology::parse(const std::string& text, const std::string& name, std::size_t workers) {
  Adjacent adjacent(workers);
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", name, number);
    std::istringstream words(line);
    const std::size_t a = read_worker(words, where, workers);
    const std::size_t b = read_worker(words, where, workers);
    if (std::string more; words >> more)
      throw core::InputError(fmt::format("{}: '{}' is too much: a line has two workers", where, more));
    join(adjacent, a, b);
  }
  return Topology(std::move(adjacent));
}

Topology Topology::named(const core::Communicator& comm, const std::string& word, std::size_t workers) {
  if (word == "ring") return ring(workers);
  if (word == "torus") return torus(workers);
  if (word == "complete") return complete(workers);
  const std::string mine = core::agree(comm, [&] { return comm.rank() == 0 ? read_file(word) : std::string(); });
  const std::string text = core::broadcast_string(comm, mine, 0);
  return core::agree(comm, [&] {
    Topology topology = parse(text, word, workers);
    topology.require_connected(word);
    return topology;
  });
}

void Topology::require_connected(const std::string& name) const {
  std::vector<bool> reached(workers());
  std::vector<std::size_t> next{0};
  reached[0] = true;
  while (!next.empty()) {
    const std::size_t worker = next.back();
    next.pop_back();
    for (const Neighbour& neighbour : neighbours_[worker]) {
      if (reached[neighbour.worker]) continue;
      reached[neighbour.worker] = true;
      next.push_back(neighbour.worker);
    }
  }
  const auto lost = std::ranges::find(reached, false);
  if (lost == reached.end()) return;
  throw core::InputError(
      fmt::format("--topology {} is not connected: worker {} cannot be reached from worker 0, so they would learn "
                  "different models",
                  name, lost - reached.begin()));
}

} // namespace ps
