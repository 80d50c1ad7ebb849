// The checkpoint store: numbered checkpoints in a directory, each either complete or not there.
//
//   DIRECTORY/PREFIX-000000000004/part-00000.h5   what rank 0 saved, an HDF5 file
//                                 part-00001.h5   ...
//                                 checkpoint.h5   the index
//
// A checkpoint exists when its index does: the index is the commit. Each part is written under a temporary name,
// fsynced and renamed, and the directory fsynced; all ranks agree that they are done; then rank 0 writes the index in
// the same way. A kill at any instant therefore leaves a whole checkpoint or a directory without an index, which
// readers ignore and the next write removes.
//
// The index has the caller's metadata and, for each part, its name, its size and a checksum of each dataset. All of
// that is verified before anything is given to the caller; the index itself begins with a checksum of its own. Beside
// that it shows each column of all parts as one array, /TABLE/COLUMN (lists as /TABLE/COLUMN and /TABLE/COLUMN_count),
// by HDF5 virtual datasets, so that h5dump, h5ls and h5py see a checkpoint of many parts as one file. A part that is
// missing shows as a fill value that cannot be mistaken for data: NaN, the largest integer, bytes of 0xff.
//
// The store knows nothing of graphs or parameters and keeps no communicator: after ranks have died, it goes on with the
// survivors'.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"

namespace core::checkpoint {

/// The same on all ranks.
struct WriteReport {
  std::uint64_t bytes = 0; ///< of all files of the checkpoint
  double seconds = 0;      ///< from the call until the checkpoint was committed and old ones removed
};

/// Fault injection.
struct WriteHooks {
  std::function<void()> part_written{}; ///< this rank's part is in place, ranks have not yet agreed
};

/// A checkpoint that has been read. The same on all ranks, except for the parts.
struct Restored {
  std::uint64_t number = 0;
  nlohmann::json meta;
  std::vector<Part> parts;           ///< this rank's share: part p is on rank p % ranks; ascending
  std::vector<std::string> rejected; ///< one line for each newer checkpoint that is damaged or was never completed
};

class Store {
 public:
  /// Keeps the last `keep` checkpoints (0: all). Nothing is created before the first write. Throws InputError when
  /// `prefix` is no name for files. Local.
  Store(std::string directory, std::string prefix, int keep);

  /// Writes checkpoint `number`: of each rank `mine`, and rank 0's `meta`. A table that several ranks have must have
  /// the same types everywhere; a rank may lack tables. Afterwards it is the newest one: older ones beyond `keep` are
  /// removed, and so are greater numbers, which are of a run that was given up. A checkpoint of this number is replaced
  /// (and is lost if that fails).
  ///
  /// When a rank cannot write, all ranks throw the same core::Error, nothing is left of this checkpoint, and the older
  /// ones are as they were. When a rank has died, MpiError is passed on; what the survivors wrote is removed by the
  /// next write. `meta` must be JSON that text can hold: real numbers in it are finite and strings UTF-8. Collective.
  WriteReport write(const Communicator& comm, std::uint64_t number, const Part& mine, const nlohmann::json& meta,
                    const WriteHooks& hooks = {}) const;

  /// Numbers of the checkpoints that have an index, ascending. Local.
  [[nodiscard]] std::vector<std::uint64_t> committed() const;
  /// Numbers of the directories without an index, ascending: a write was cut short, or the index is lost. Local.
  [[nodiscard]] std::vector<std::uint64_t> incomplete() const;

  /// Reads the newest checkpoint that is whole, of those numbered `at_most` and less, as written by any number of
  /// ranks. Nothing when there is none with an index; core::Error on all ranks when there are some and all are damaged.
  /// Collective.
  [[nodiscard]] std::optional<Restored> read_latest(
      const Communicator& comm, std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max()) const;
  /// The metadata of one checkpoint, without a look at its parts. Throws core::Error when its index is missing or
  /// damaged. Local.
  [[nodiscard]] nlohmann::json read_meta(std::uint64_t number) const;

  /// Removes the directories without an index. Collective.
  void remove_incomplete(const Communicator& comm) const;

  /// The directory of one checkpoint and its index, for messages. Local.
  [[nodiscard]] std::string path_of(std::uint64_t number) const;
  [[nodiscard]] std::string index_path_of(std::uint64_t number) const;

 private:
  std::string directory_, prefix_;
  int keep_;
};

/// For tests: the `writes`-th operation of this process from now on that puts something on the disk for a checkpoint
/// (a file or directory made, a block written, a sync, a rename) fails as if the disk were full. 0: none. Local.
void fail_write_after(std::uint64_t writes) noexcept;

} // namespace core::checkpoint
