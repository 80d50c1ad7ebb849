// Moving tables: to the ranks that own their rows now (a checkpoint of P ranks is read on any number of ranks and with
// any partitioner), and as one block of bytes into the memory of a partner.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"

namespace core::checkpoint {

/// Sends each row of `mine` to the rank that `owner_of_row` names and returns the rows for this rank: rows of one
/// sender in their order, senders in rank order. All ranks must pass the same columns in the same order, except that a
/// rank without rows may pass a table without columns. Works through the columns one after the other: beside the tables
/// it needs room for one column. Throws the same core::Error on all ranks when columns differ or an owner is no rank.
/// Collective.
[[nodiscard]] Table redistribute(const Communicator& comm, const Table& mine, std::span<const int> owner_of_row);

/// The rows of all tables, in order; for a rank that has read several parts. Tables without rows and columns are left
/// out; throws core::Error when others differ in their columns. Local.
[[nodiscard]] Table concatenate(std::vector<Table> tables);

/// A part as one block of bytes, for ranks of the same program: byte order and layout are this machine's. Local.
[[nodiscard]] std::vector<std::byte> pack(const Part& part);
/// What pack() was given; throws core::Error when the block is not whole. Local.
[[nodiscard]] Part unpack(std::span<const std::byte> block);

} // namespace core::checkpoint
