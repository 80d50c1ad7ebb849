// The protocol of writing (prepare, parts, agreement, index, clean-up) and of reading (newest first, verify everything,
// fall back). What touches files is in the other sources of this directory; what ranks must agree on is here.
#include "core/checkpoint/store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "index_file.hpp"
#include "part_file.hpp"
#include "store_layout.hpp"

namespace core::checkpoint {
namespace {

/// The records of all ranks' parts as text, on every rank. Collective.
struct GatheredRecords {
  std::vector<char> text;
  std::vector<std::size_t> lengths;
};

GatheredRecords gather_records(const Communicator& comm, const PartRecord& mine) {
  const std::string text = nlohmann::json(mine).dump();
  GatheredRecords gathered;
  gathered.text = all_gather_varying(comm, std::span(text.data(), text.size()), &gathered.lengths);
  return gathered;
}

std::vector<PartRecord> parse(const GatheredRecords& gathered) {
  std::vector<PartRecord> records;
  const char* next = gathered.text.data();
  for (const std::size_t length : gathered.lengths) {
    records.push_back(nlohmann::json::parse(next, next + length).get<PartRecord>());
    next += length;
  }
  return records;
}

/// Rank 0's last step: writes the index, which makes the checkpoint exist. Returns the bytes of all its files. Local.
std::uint64_t commit(const StoreLayout& layout, const Index& index) {
  std::uint64_t bytes = write_index(layout.directory_of(index.number), index);
  for (const PartRecord& part : index.parts) bytes += part.bytes;
  layout.sync(index.number);
  return bytes;
}

/// Runs `read` on every rank. What it throws makes all ranks throw InputError with the line of the smallest `order`,
/// the same on any number of ranks. Collective.
template <class F>
auto agree_to_read(const Communicator& comm, F&& read) {
  return agree(comm, [&] {
    try {
      return read();
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw InputError(error.what());
    }
  });
}

/// Rank 0 reads the index; all ranks have it. Throws InputError on all ranks. Collective.
Index read_index_on_all(const Communicator& comm, const StoreLayout& layout, std::uint64_t number) {
  const std::string text = agree_to_read(comm, [&] {
    if (comm.rank() != 0) return std::string();
    const Index index = read_index(layout.directory_of(number));
    if (index.number != number)
      throw Error(fmt::format("{} is that of checkpoint {}", layout.index_of(number), index.number));
    return index_to_text(index);
  });
  return index_from_text(broadcast_string(comm, text, 0));
}

/// Reads this rank's parts. Throws InputError on all ranks: that of the first damaged part. Collective.
std::vector<Part> read_parts(const Communicator& comm, const std::string& directory, const Index& index) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  return agree_to_read(comm, [&] {
    std::vector<Part> parts;
    for (std::size_t part = static_cast<std::size_t>(comm.rank()); part < index.parts.size(); part += ranks) {
      try {
        parts.push_back(read_part(directory, index.parts[part]));
      } catch (const Error& error) {
        throw OrderedInputError(error.what(), part);
      }
    }
    return parts;
  });
}

/// The numbers that rank 0 sees, on every rank. Collective.
StoreLayout::Listing list_on_all(const Communicator& comm, const StoreLayout& layout) {
  StoreLayout::Listing listing = agree(comm, [&] { return comm.rank() == 0 ? layout.list() : StoreLayout::Listing(); });
  for (std::vector<std::uint64_t>* const numbers : {&listing.committed, &listing.incomplete}) {
    numbers->resize(broadcast_value<std::uint64_t>(comm, numbers->size(), 0));
    broadcast(comm, std::span(*numbers), 0);
  }
  return listing;
}

/// What the commit of `number` has made superfluous: greater numbers, and older ones beyond `keep`. Local.
std::vector<std::uint64_t> superfluous_after(const StoreLayout& layout, std::uint64_t number, int keep) {
  std::vector<std::uint64_t> kept = layout.list().committed;
  const auto greater = std::ranges::upper_bound(kept, number);
  std::vector<std::uint64_t> superfluous(greater, kept.end());
  kept.erase(greater, kept.end());
  if (keep > 0 && kept.size() > static_cast<std::size_t>(keep))
    superfluous.insert(superfluous.end(), kept.begin(), kept.end() - keep);
  return superfluous;
}

/// Removes what is superfluous. Rank 0 takes the indexes away; then each rank deletes some of the parts, because
/// deleting large files takes time too (3 ms for 12 MB here, a quarter of what writing them takes). Rank 0 finally
/// deletes whatever it finds. A failure costs disk space only. Collective.
void prune(const Communicator& comm, const StoreLayout& layout, std::uint64_t number, int keep) {
  std::vector<std::uint64_t> superfluous;
  if (comm.rank() == 0) {
    try {
      superfluous = superfluous_after(layout, number, keep);
    } catch (const Error& error) {
      log_warning(fmt::format("warning: old checkpoints are not removed: {}", error.what()));
    }
    for (const std::uint64_t old : superfluous) layout.remove_index(old);
  }
  superfluous.resize(broadcast_value<std::uint64_t>(comm, superfluous.size(), 0));
  broadcast(comm, std::span(superfluous), 0);
  for (const std::uint64_t old : superfluous) {
    for (int part = comm.rank(); layout.remove_part(old, part); part += comm.size()) {
    }
    if (comm.rank() != 0) continue;
    if (const std::string reason = layout.remove(old); !reason.empty())
      log_warning(fmt::format("warning: cannot remove {}: {}", layout.directory_of(old), reason));
  }
}

/// After a failure that all ranks know of: nothing is left of the checkpoint when this returns. Collective.
void discard(const Communicator& comm, const StoreLayout& layout, std::uint64_t number) {
  if (comm.rank() == 0)
    if (const std::string reason = layout.remove(number); !reason.empty())
      log_warning(fmt::format("warning: cannot remove {}: {}", layout.directory_of(number), reason));
  barrier(comm);
}

} // namespace

Store::Store(std::string directory, std::string prefix, int keep)
    : directory_(directory.empty() ? "." : std::move(directory)), prefix_(std::move(prefix)), keep_(keep) {
  if (prefix_.empty() || prefix_.find('/') != std::string::npos)
    throw InputError(fmt::format("'{}' cannot be the prefix of checkpoints", prefix_));
}

WriteReport Store::write(const Communicator& comm, std::uint64_t number, const Part& mine, const nlohmann::json& meta,
                         const WriteHooks& hooks) const {
  const Stopwatch watch;
  const StoreLayout layout(directory_, prefix_);
  const std::string directory = layout.directory_of(number);
  WriteReport report;
  agree(comm, [&] {
    if (comm.rank() == 0) require_storable(meta);
  });
  try {
    agree(comm, [&] {
      if (comm.rank() == 0) layout.prepare(number);
    });
    const PartRecord record = agree(comm, [&] {
      PartRecord written = write_part(directory, comm.rank(), mine);
      if (hooks.part_written) hooks.part_written();
      return written;
    });
    const GatheredRecords records = gather_records(comm, record);
    report.bytes = agree(comm, [&] {
      return comm.rank() == 0 ? commit(layout, {number, meta, parse(records)}) : std::uint64_t{0};
    });
  } catch (const MpiError&) {
    throw; // a peer is gone: there is nobody to clean up with
  } catch (const Error&) {
    discard(comm, layout, number);
    throw;
  }
  prune(comm, layout, number, keep_);
  report.seconds = watch.seconds();
  return broadcast_value(comm, report, 0);
}

std::vector<std::uint64_t> Store::committed() const {
  return StoreLayout(directory_, prefix_).list().committed;
}

std::vector<std::uint64_t> Store::incomplete() const {
  return StoreLayout(directory_, prefix_).list().incomplete;
}

std::optional<Restored> Store::read_latest(const Communicator& comm, std::uint64_t at_most) const {
  const StoreLayout layout(directory_, prefix_);
  const StoreLayout::Listing listing = list_on_all(comm, layout);
  std::vector<std::uint64_t> candidates;
  std::ranges::merge(listing.committed, listing.incomplete, std::back_inserter(candidates));
  std::erase_if(candidates, [&](std::uint64_t number) { return number > at_most; });
  std::ranges::reverse(candidates);

  std::vector<std::string> rejected;
  std::optional<std::string> first_damage; // of a checkpoint that was complete once
  for (const std::uint64_t number : candidates) {
    if (std::ranges::binary_search(listing.incomplete, number)) {
      rejected.push_back(layout.index_of(number) + " is missing: the checkpoint is not complete");
      continue;
    }
    try {
      Index index = read_index_on_all(comm, layout, number);
      std::vector<Part> parts = read_parts(comm, layout.directory_of(number), index);
      return Restored{number, std::move(index.meta), std::move(parts), std::move(rejected)};
    } catch (const InputError& error) {
      rejected.push_back(error.what());
      if (!first_damage) first_damage = error.what();
    }
  }
  if (!first_damage) return std::nullopt;
  Error error(fmt::format("no checkpoint in {} can be used: {}", directory_, *first_damage));
  error.set_rank(0); // known to all
  throw error;
}

nlohmann::json Store::read_meta(std::uint64_t number) const {
  return read_index(StoreLayout(directory_, prefix_).directory_of(number)).meta;
}

void Store::remove_incomplete(const Communicator& comm) const {
  const StoreLayout layout(directory_, prefix_);
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::uint64_t number : layout.list().incomplete)
      if (const std::string reason = layout.remove(number); !reason.empty())
        throw Error(fmt::format("cannot remove {}: {}", layout.directory_of(number), reason));
  });
}

std::string Store::path_of(std::uint64_t number) const {
  return StoreLayout(directory_, prefix_).directory_of(number);
}

std::string Store::index_path_of(std::uint64_t number) const {
  return StoreLayout(directory_, prefix_).index_of(number);
}

} // namespace core::checkpoint
