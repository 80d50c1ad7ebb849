#include "core/binding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <unistd.h>

#include "core/collectives.hpp"

namespace core {
namespace {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores; // more than 1024 cores: unknown rather than wrong
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

/// Nodes that have one of the cores, from what Linux says in /sys.
std::vector<int> nodes_of(const std::vector<int>& cores) {
  std::vector<int> nodes;
  std::error_code ignored; // no such directory: nothing is known of nodes
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
    const std::string name = entry.path().filename().string();
    int node = 0;
    if (!name.starts_with("node") ||
        std::from_chars(name.data() + 4, name.data() + name.size(), node).ptr != name.data() + name.size())
      continue;
    std::string list;
    std::getline(std::ifstream(entry.path() / "cpulist"), list);
    const std::vector<int> there = parse_ranges(list);
    if (std::any_of(cores.begin(), cores.end(),
                    [&](int core) { return std::binary_search(there.begin(), there.end(), core); }))
      nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Binding this_binding() {
  Binding binding;
  binding.host = host_name();
  binding.cores = allowed_cores();
  binding.numa_nodes = nodes_of(binding.cores);
  return binding;
}

std::vector<Binding> all_bindings(const Communicator& comm) {
  const Binding mine = this_binding();
  const std::string text = mine.host + '\n' + ranges(mine.cores) + '\n' + ranges(mine.numa_nodes) + '\n';
  const std::vector<char> all = all_gather_varying(comm, std::span<const char>(text.data(), text.size()));
  std::vector<std::string> lines;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find(begin, all.end(), '\n');
    lines.emplace_back(begin, end);
    begin = end + 1;
  }
  std::vector<Binding> bindings;
  for (std::size_t i = 0; i + 2 < lines.size(); i += 3)
    bindings.push_back({lines[i], parse_ranges(lines[i + 1]), parse_ranges(lines[i + 2])});
  return bindings;
}

std::string ranges(std::span<const int> ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ascending[i]);
    if (end > i + 1) text += fmt::format("-{}", ascending[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> parse_ranges(const std::string& text) {
  constexpr int kMost = 1 << 20; // no machine has more
  std::vector<int> numbers;
  const char *at = text.data(), *const last = text.data() + text.size();
  while (at != last) {
    int first = 0;
    const auto begun = std::from_chars(at, last, first);
    if (begun.ec != std::errc{}) break;
    int end = first;
    at = begun.ptr;
    if (at != last && *at == '-') {
      const auto ended = std::from_chars(at + 1, last, end);
      if (ended.ec != std::errc{}) break;
      at = ended.ptr;
    }
    for (int number = first; number <= std::min(end, kMost); ++number) numbers.push_back(number);
    if (at == last || *at != ',') break;
    ++at;
  }
  return numbers;
}

std::string describe(std::span<const Binding> bindings, int threads) {
  struct Host {
    std::size_t ranks = 0, cores_of_ranks = 0;
    std::set<int> cores, nodes;
  };
  std::map<std::string, Host> hosts;
  std::size_t fewest = ~std::size_t{0}, most = 0;
  for (const Binding& binding : bindings) {
    Host& host = hosts[binding.host];
    ++host.ranks;
    host.cores_of_ranks += binding.cores.size();
    host.cores.insert(binding.cores.begin(), binding.cores.end());
    host.nodes.insert(binding.numa_nodes.begin(), binding.numa_nodes.end());
    fewest = std::min(fewest, binding.cores.size());
    most = std::max(most, binding.cores.size());
  }
  if (most == 0) return fmt::format("{} on {}", plural(bindings.size(), "rank"), plural(hosts.size(), "host"));
  bool shared = false, crowded = false;
  std::size_t nodes = 0;
  for (const auto& [name, host] : hosts) {
    shared = shared || host.cores_of_ranks > host.cores.size();
    crowded = crowded || host.ranks * static_cast<std::size_t>(threads) > host.cores.size();
    nodes = std::max(nodes, host.nodes.size());
  }
  std::string line = fmt::format("{} on {}, ", plural(bindings.size(), "rank"), plural(hosts.size(), "host"));
  line += fewest == most ? plural(most, "core") : fmt::format("{} to {} cores", fewest, most);
  line += shared && bindings.size() > 1 ? " each, shared" : bindings.size() > 1 ? " each, bound" : "";
  if (nodes > 0) line += fmt::format(", {}", plural(nodes, "NUMA node")) + (hosts.size() > 1 ? " a host" : "");
  if (crowded)
    line += fmt::format("; more than one thread a core");
  else if (fewest < static_cast<std::size_t>(threads))
    line += fmt::format("; a rank has fewer cores than its {} threads", threads);
  return line;
}

nlohmann::json to_json(std::span<const Binding> bindings) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t rank = 0; rank < bindings.size(); ++rank)
    list.push_back({{"rank", rank},
                    {"host", bindings[rank].host},
                    {"cores", ranges(bindings[rank].cores)},
                    {"numa_nodes", ranges(bindings[rank].numa_nodes)}});
  return list;
}

} // namespace core
