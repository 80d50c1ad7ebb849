// What ranks must agree on when they call a collective, and the words when they do not.
#pragma once

#include <span>
#include <string>

#include "call.hpp"
#include "messages.hpp"
#include "node_memory.hpp"

namespace collectives::detail {

/// What a rank is about to do, in two words (`where` stays 0).
[[nodiscard]] Note fingerprint(Kind kind, ElementType type, std::size_t element_bytes, Operation operation,
                               Algorithm algorithm, std::size_t workers, std::size_t count) noexcept;

/// Throws core::Error when the notes of all ranks (in their order; `numbers` as in Group) differ: it names each value
/// that differs and the ranks that have it.
void require_equal(std::span<const Note> notes, const std::vector<int>& numbers, std::uint64_t call_number);

/// After a round of the board at which all ranks of the node left the notes of this call.
void require_equal_notes(const Call& call, NodeMemory& node);

/// Each rank tells its note to every other one, so that each finds the same mistakes and knows who is missing.
[[nodiscard]] Task exchange_fingerprints(Call& call, const Group& group);

} // namespace collectives::detail
