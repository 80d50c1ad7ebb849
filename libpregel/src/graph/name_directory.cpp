// Numbering names by a sample sort.
//
//   1. Each rank sorts its distinct names and offers samples at regular distances; all ranks sort all samples and agree
//      on size-1 splitters, between which lie about equally many names.
//   2. Each name travels to the rank of its interval, which sorts what arrives and drops repeats. Intervals ascend with
//      the rank, so the number of names on lower ranks plus the position on its own is a name's number.
//   3. The numbers travel back the same way.
//
// Hubs do not unbalance it: a rank sends a name once, however many edges it has.
#include "pregel/graph/name_directory.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/collectives.hpp"
#include "string_exchange.hpp"

namespace pregel {
namespace {

constexpr std::uint64_t kSamplesPerRank = 64;

/// The first eight bytes of a name as a number that orders like them.
[[nodiscard]] std::uint64_t prefix_of(std::string_view name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  }
  return prefix;
}

/// The distinct names of a list, ascending, and where each name of the list went. Sorting looks at the names themselves
/// only where their prefixes are equal: a sort of bare pointers would miss the cache at every comparison.
struct SortedNames {
  template <class List>
  explicit SortedNames(const List& names) : place(names.size()) {
    struct Key {
      std::uint64_t prefix;
      std::size_t index;
    };
    std::vector<Key> order(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = {prefix_of(names[i]), i};
    std::sort(order.begin(), order.end(), [&](const Key& a, const Key& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix
                                  : std::string_view(names[a.index]) < std::string_view(names[b.index]);
    });
    for (const Key& key : order) {
      const std::string_view name = names[key.index];
      if (distinct.empty() || distinct.back() != name) distinct.push_back(name);
      place[key.index] = distinct.size() - 1;
    }
  }

  std::vector<std::string_view> distinct;
  std::vector<std::size_t> place; ///< distinct[place[i]] == names[i]
};

/// size-1 names, ascending, that cut the names of all ranks into about equal intervals. Fewer when there are few names.
/// Collective.
[[nodiscard]] std::vector<std::string> agree_on_splitters(const core::Communicator& comm, const SortedNames& mine) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t total = core::all_reduce_value<std::uint64_t>(comm, mine.distinct.size(), core::Reduce::sum);
  const std::uint64_t distance = std::max<std::uint64_t>(1, total / (ranks * kSamplesPerRank));
  StringPack samples;
  for (std::size_t i = distance / 2; i < mine.distinct.size(); i += distance) samples.add(mine.distinct[i]);
  const StringPack gathered = gather_strings(comm, samples);
  std::vector<std::string_view> all(gathered.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = gathered[i];
  std::sort(all.begin(), all.end());

  std::vector<std::string> splitters;
  for (std::uint64_t rank = 1; rank < ranks && !all.empty(); ++rank) {
    splitters.emplace_back(all[all.size() * rank / ranks]);
  }
  return splitters;
}

/// For ascending names: how many go to each rank. Splitter r is the first name of rank r+1.
[[nodiscard]] std::vector<std::size_t> counts_by_interval(const std::vector<std::string_view>& ascending,
                                                          const std::vector<std::string>& splitters,
                                                          std::size_t ranks) {
  std::vector<std::size_t> counts(ranks, 0);
  auto begin = ascending.begin();
  for (std::size_t rank = 0; rank < splitters.size(); ++rank) {
    const auto end = std::lower_bound(begin, ascending.end(), std::string_view(splitters[rank]));
    counts[rank] = static_cast<std::size_t>(end - begin);
    begin = end;
  }
  counts[splitters.size()] = static_cast<std::size_t>(ascending.end() - begin);
  return counts;
}

/// Sends answers[i] to whoever sent item i of a delivery with these counts. Collective.
template <class T>
[[nodiscard]] std::vector<T> send_back(const core::Communicator& comm, const std::vector<T>& answers,
                                       std::span<const std::size_t> counts) {
  core::ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::vector<T> replies(exchange.receive_total);
  core::all_to_all_varying(comm, answers.data(), replies.data(), exchange);
  return replies;
}

/// Position of `name` in an ascending list, or its size.
template <class List>
[[nodiscard]] std::size_t position_of(const List& ascending, std::string_view name) {
  const auto found = std::lower_bound(ascending.begin(), ascending.end(), name);
  if (found == ascending.end() || *found != name) return ascending.size();
  return static_cast<std::size_t>(found - ascending.begin());
}

} // namespace

NameDirectory NameDirectory::build(const core::Communicator& comm, std::span<const std::string> mine,
                                   std::vector<GlobalId>& ids) {
  const SortedNames sorted(mine);
  const std::vector<std::string> splitters = agree_on_splitters(comm, sorted);
  const auto counts = counts_by_interval(sorted.distinct, splitters, static_cast<std::size_t>(comm.size()));
  StringPack pack;
  for (const std::string_view name : sorted.distinct) pack.add(name);
  const StringDelivery arrived = exchange_strings(comm, pack, counts);

  NameDirectory directory;
  const SortedNames interval(arrived.strings);
  directory.names_.assign(interval.distinct.begin(), interval.distinct.end());
  const auto sizes = core::all_gather<std::uint64_t>(comm, directory.names_.size());
  std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(directory.first_id_)); // after the leading 0

  const std::uint64_t first = directory.first_id_[static_cast<std::size_t>(comm.rank())];
  std::vector<GlobalId> answers(arrived.strings.size());
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = GlobalId{first + interval.place[i]};
  const std::vector<GlobalId> replies = send_back(comm, answers, arrived.counts);
  ids.resize(mine.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = replies[sorted.place[i]];
  return directory;
}

std::optional<GlobalId> NameDirectory::find(const core::Communicator& comm, const std::string& name) const {
  const std::size_t position = position_of(names_, name);
  const std::uint64_t mine =
      position == names_.size() ? number(kNoVertex) : first_id_[static_cast<std::size_t>(comm.rank())] + position;
  const std::uint64_t id = core::all_reduce_value(comm, mine, core::Reduce::min);
  if (id == number(kNoVertex)) return std::nullopt;
  return GlobalId{id};
}

std::vector<GlobalId> NameDirectory::ids_of(const core::Communicator& comm, std::span<const std::string> names) const {
  // The first name of each rank that has one begins its interval.
  StringPack first_name;
  if (!names_.empty()) first_name.add(names_.front());
  const StringPack starts = gather_strings(comm, first_name);
  std::vector<std::size_t> owners;
  for (std::size_t rank = 0; rank + 1 < first_id_.size(); ++rank) {
    if (first_id_[rank] < first_id_[rank + 1]) owners.push_back(rank);
  }
  const SortedNames sorted(names);
  std::vector<std::size_t> counts(static_cast<std::size_t>(comm.size()), 0);
  StringPack questions;
  for (std::size_t interval = 0; const std::string_view name : sorted.distinct) {
    questions.add(name);
    while (interval + 1 < owners.size() && starts[interval + 1] <= name) ++interval;
    ++counts[owners.empty() ? 0 : owners[interval]];
  }
  const StringDelivery arrived = exchange_strings(comm, questions, counts);
  std::vector<GlobalId> answers(arrived.strings.size(), kNoVertex);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::size_t position = position_of(names_, arrived.strings[i]);
    if (position == names_.size()) continue;
    answers[i] = GlobalId{first_id_[static_cast<std::size_t>(comm.rank())] + position};
  }
  const std::vector<GlobalId> replies = send_back(comm, answers, arrived.counts);
  std::vector<GlobalId> ids(names.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = replies[sorted.place[i]];
  return ids;
}

std::vector<std::string> NameDirectory::names_of(const core::Communicator& comm, std::span<const GlobalId> ids) const {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto owner_of = [&](GlobalId id) { // of an id that has a name
    return static_cast<std::size_t>(std::upper_bound(first_id_.begin(), first_id_.end(), number(id)) -
                                    first_id_.begin()) -
           1;
  };
  std::vector<std::size_t> order; // of the ids that have a name, by owner
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (number(ids[i]) < size()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return number(ids[a]) < number(ids[b]); });
  std::vector<std::size_t> counts(ranks, 0);
  std::vector<GlobalId> questions;
  questions.reserve(order.size());
  for (const std::size_t i : order) {
    questions.push_back(ids[i]);
    ++counts[owner_of(ids[i])];
  }
  core::ExchangeCounts exchange;
  exchange.update(comm, counts);
  std::vector<GlobalId> arrived(exchange.receive_total);
  core::all_to_all_varying(comm, questions.data(), arrived.data(), exchange);

  StringPack answers;
  const std::uint64_t first = first_id_[static_cast<std::size_t>(comm.rank())];
  for (const GlobalId id : arrived) answers.add(names_[static_cast<std::size_t>(number(id) - first)]);
  const StringDelivery replies = exchange_strings(comm, answers, exchange.receive_counts);
  std::vector<std::string> names(ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) names[order[i]] = replies.strings[i];
  return names;
}

} // namespace pregel
