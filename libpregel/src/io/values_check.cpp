// require_values_of(): owners look at the ids, and whoever read a bad one reads its lines again to say where it stands.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "collectives/routed_exchange.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/thread_team.hpp"
#include "pregel/io/edge_list.hpp"
#include "pregel/io/results.hpp"

namespace pregel {
namespace {

enum class Fault : std::uint64_t { unknown, repeated };

/// What an owner answers.
struct FaultyId {
  std::uint64_t id;
  Fault fault;
};
using Faults = std::unordered_map<std::uint64_t, Fault>;

struct Answer {
  int asker;
  FaultyId what;
};

/// The owners' findings about the ids that this rank has read. Collective.
[[nodiscard]] Faults ask_owners(const core::Communicator& comm, const DistributedGraph& graph,
                                const std::vector<std::pair<GlobalId, double>>& values) {
  constexpr int kNobody = -1;
  std::vector<int> first_asker(graph.local_count, kNobody);
  std::vector<Answer> answers;
  auto ask = collectives::produce_each(
      values, [&](auto& push, const auto& value) { push(graph.owner(value.first), number(value.first)); });
  collectives::routed_exchange<std::uint64_t>(comm, ask, [&](int asker, std::span<const std::uint64_t> ids) {
    for (const std::uint64_t id : ids) {
      const std::optional<LocalId> v = graph.find(GlobalId{id});
      if (!v) {
        answers.push_back({asker, {id, Fault::unknown}});
      } else if (int& first = first_asker[index(*v)]; first == kNobody) {
        first = asker;
      } else { // the first of its lines may have been read by either
        answers.push_back({first, {id, Fault::repeated}});
        answers.push_back({asker, {id, Fault::repeated}});
      }
    }
  });

  Faults mine;
  if (core::all_reduce_value<std::uint64_t>(comm, answers.size(), core::Reduce::sum) == 0) return mine;
  auto answer =
      collectives::produce_each(answers, [](auto& push, const Answer& given) { push(given.asker, given.what); });
  collectives::routed_exchange<FaultyId>(comm, answer, [&](int, std::span<const FaultyId> items) {
    for (const FaultyId& item : items) mine.emplace(item.id, item.fault);
  });
  return mine;
}

[[nodiscard]] std::string reason_for(std::string_view vertex, Fault fault) {
  return in_quotes(vertex) + (fault == Fault::unknown ? " is not a vertex of the graph" : " is listed more than once");
}

/// Reads the file again, for the first line with a vertex among `faults`. Collective.
template <class Id, class Key>
void refuse_first_line_with(const core::Communicator& comm, const std::string& path,
                            const std::unordered_map<Key, Fault>& faults) {
  core::ThreadTeam team(1); // as in read_values(), so that every rank gets the lines that it had then
  read_lines(comm, path, team, {}, [&](int, std::string_view lines) {
    std::string reason;
    auto bad = parse_value_lines<Id>(lines, [&](Id vertex, double) {
      const auto found = faults.find(Key(vertex));
      if (found == faults.end()) return true;
      if constexpr (std::is_same_v<Id, std::string_view>)
        reason = reason_for(vertex, found->second);
      else
        reason = reason_for(std::to_string(vertex), found->second);
      return false;
    });
    if (bad) bad->reason = reason;
    return bad;
  });
}

} // namespace

void require_values_of(const core::Communicator& comm, const std::string& path, const NameDirectory* names,
                       const DistributedGraph& graph, const std::vector<std::pair<GlobalId, double>>& values) {
  const Faults faults = ask_owners(comm, graph, values);
  if (core::all_reduce_value<std::uint64_t>(comm, faults.size(), core::Reduce::sum) == 0) return;
  if (names == nullptr) {
    refuse_first_line_with<std::uint64_t>(comm, path, faults);
  } else {
    std::vector<GlobalId> ids;
    for (const auto& [id, fault] : faults) ids.push_back(GlobalId{id});
    const std::vector<std::string> words = names->names_of(comm, ids);
    std::unordered_map<std::string, Fault> by_name;
    for (std::size_t i = 0; i < ids.size(); ++i) by_name.emplace(words[i], faults.at(number(ids[i])));
    refuse_first_line_with<std::string_view>(comm, path, by_name);
  }
  throw core::InputError("cannot read " + path + ": it changed while it was read");
}

} // namespace pregel
