#include "fingerprint.hpp"

#include <array>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace collectives::detail {
namespace {

// Note::what, from the lowest bits.
constexpr unsigned kKindBits = 4, kTypeBits = 4, kOperationBits = 4, kAlgorithmBits = 4, kElementBits = 24;
constexpr unsigned kTypeAt = kKindBits, kOperationAt = kTypeAt + kTypeBits,
                   kAlgorithmAt = kOperationAt + kOperationBits, kElementAt = kAlgorithmAt + kAlgorithmBits,
                   kWorkersAt = kElementAt + kElementBits;

std::uint64_t field(std::uint64_t word, unsigned at, unsigned bits) noexcept {
  return word >> at & ((std::uint64_t{1} << bits) - 1);
}

constexpr std::array kKindNames = {"all_reduce", "reduce_scatter", "all_gather", "all_reduce_many"};

std::string call_of(const Note& note) {
  return kKindNames.at(field(note.what, 0, kKindBits));
}
std::string type_of(const Note& note) {
  const auto type = static_cast<ElementType>(field(note.what, kTypeAt, kTypeBits));
  if (type == ElementType::opaque) return fmt::format("{} bytes", field(note.what, kElementAt, kElementBits));
  return std::string(name_of(type));
}
std::string operation_of(const Note& note) {
  return std::string(name_of(static_cast<Operation>(field(note.what, kOperationAt, kOperationBits))));
}
std::string algorithm_of(const Note& note) {
  return std::string(name_of(static_cast<Algorithm>(field(note.what, kAlgorithmAt, kAlgorithmBits))));
}
std::string count_of(const Note& note) {
  return fmt::format("{}", note.count);
}
std::string workers_of(const Note& note) {
  return fmt::format("{}", note.what >> kWorkersAt);
}

/// "1000 on ranks 0, 2; 1001 on rank 1", or nothing when all have the same.
std::string disagreement(std::span<const Note> notes, const std::vector<int>& numbers,
                         const std::function<std::string(const Note&)>& value_of) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const std::string value = value_of(notes[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == value; });
    if (group == groups.end()) group = groups.insert(group, {value, {}});
    group->second.push_back(numbers.empty() ? static_cast<int>(i) : numbers[i]);
  }
  if (groups.size() < 2) return {};
  std::vector<std::string> texts;
  texts.reserve(groups.size());
  for (const auto& [value, ranks] : groups)
    texts.push_back(fmt::format("{} on rank{} {}", value, ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", ")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

} // namespace

Note fingerprint(Kind kind, ElementType type, std::size_t element_bytes, Operation operation, Algorithm algorithm,
                 std::size_t workers, std::size_t count) noexcept {
  Note note;
  note.count = count;
  note.what = static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(type) << kTypeAt |
              static_cast<std::uint64_t>(operation) << kOperationAt |
              static_cast<std::uint64_t>(algorithm) << kAlgorithmAt |
              field(element_bytes, 0, kElementBits) << kElementAt | static_cast<std::uint64_t>(workers) << kWorkersAt;
  return note;
}

void require_equal(std::span<const Note> notes, const std::vector<int>& numbers, std::uint64_t call_number) {
  bool equal = true;
  for (const Note& note : notes) equal = equal && note.count == notes[0].count && note.what == notes[0].what;
  if (equal) return;
  const std::array<std::pair<const char*, std::string (*)(const Note&)>, 6> fields = {
      {{"call", call_of},
       {"count", count_of},
       {"type", type_of},
       {"operation", operation_of},
       {"algorithm", algorithm_of},
       {"number of workers", workers_of}}};
  std::vector<std::string> differences;
  for (const auto& [name, value_of] : fields) {
    const std::string difference = disagreement(notes, numbers, value_of);
    if (!difference.empty()) differences.push_back(fmt::format("{}: {}", name, difference));
  }
  throw core::Error(
      fmt::format("ranks disagree on collective call {}: {}", call_number, fmt::join(differences, ", and on ")));
}

void require_equal_notes(const Call& call, NodeMemory& node) {
  const SharedBoard& board = node.board();
  bool equal = true;
  for (int rank = 0; rank < node.size(); ++rank) {
    const Note& note = board.note_of(rank);
    equal = equal && note.count == call.note.count && note.what == call.note.what;
  }
  if (equal) [[likely]]
    return;
  std::vector<Note> notes;
  notes.reserve(static_cast<std::size_t>(node.size()));
  for (int rank = 0; rank < node.size(); ++rank) notes.push_back(board.note_of(rank));
  require_equal(notes, node.numbers, call.number);
}

Task exchange_fingerprints(Call& call, const Group& group) {
  const auto me = static_cast<std::size_t>(group.rank);
  std::vector<Note> notes(static_cast<std::size_t>(group.size));
  notes[me] = call.note;
  {
    const std::size_t sent_before = call.bytes_sent; // bytes_sent() speaks of the vectors
    Requests requests;
    for (int distance = 1; distance < group.size; ++distance) {
      const int from = (group.rank + group.size - distance) % group.size, to = (group.rank + distance) % group.size;
      requests.receive(call, group, reinterpret_cast<std::byte*>(&notes[static_cast<std::size_t>(from)]), sizeof(Note),
                       from, kFingerprintStream);
      requests.send(call, group, reinterpret_cast<const std::byte*>(&notes[me]), sizeof(Note), to, kFingerprintStream);
    }
    co_await until(call, requests);
    call.bytes_sent = sent_before;
  }
  require_equal(notes, group.numbers, call.number);
}

} // namespace collectives::detail
