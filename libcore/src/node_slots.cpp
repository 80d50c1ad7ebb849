#include "core/node_slots.hpp"

#include <chrono>
#include <memory>
#include <new>

#include "core/error.hpp"
#include "core/waiting.hpp"

namespace core {
namespace {

constexpr std::size_t kAlignment = alignof(BoardLine);
/// After which MPI is let in.
constexpr std::chrono::milliseconds kLongestSleep{20};

std::size_t rounded_up(std::size_t bytes) noexcept {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

NodeSlots::NodeSlots(const Communicator& comm, std::size_t bytes)
    : comm_(comm.native()),
      rank_(comm.rank()),
      bytes_(rounded_up(bytes)),
      window_(comm, sizeof(BoardLine) + 2 * bytes_ + kAlignment) {
  std::vector<BoardLine*> lines;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::span<std::byte> part = window_.of(rank);
    void* begin = part.data();
    std::size_t room = part.size();
    parts_.push_back(static_cast<std::byte*>(std::align(kAlignment, room - kAlignment, begin, room)));
    // Memory that is zero holds a BoardLine: making another one here would undo what a faster rank has written.
    lines.push_back(std::launder(reinterpret_cast<BoardLine*>(parts_.back())));
  }
  board_ = SharedBoard(std::move(lines), comm.rank());
}

void NodeSlots::meet() {
  board_.arrive();
  if (board_.all_arrived()) return;
  PoliteWait wait = usual_wait(static_cast<int>(parts_.size()));
  do {
    wait.pause([this] { board_.sleep(kLongestSleep); }, [this] { let_mpi_progress(); });
  } while (!board_.all_arrived());
}

/// Another rank may wait for a message that this rank has promised.
void NodeSlots::let_mpi_progress() const {
  int arrived = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

} // namespace core
