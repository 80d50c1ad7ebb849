// The shared-memory algorithm between threads. Two processes are beyond the thread sanitizer, but the same code runs on
// any memory: here each thread plays a rank on a piece of the heap, and every unordered access would be a report.
// (In a build without the sanitizer it is one more check of the sums.)
#include <memory>
#include <thread>

#include "algorithms/shared_memory.hpp"
#include "all_reduce_support.hpp"

namespace {

using namespace all_reduce_test;
using namespace collectives;
using namespace collectives::detail;

/// Nothing but patience.
class ThreadSurroundings final : public Surroundings {
 public:
  explicit ThreadSurroundings(int ranks) { threads_on_node = ranks; }
  [[nodiscard]] std::chrono::microseconds longest_sleep() const noexcept override { return std::chrono::seconds{5}; }
  void move_on(Call&) override {}
  void announce(const Call&) override {}
  [[noreturn]] void give_up(const Call&, std::vector<int>) override { std::abort(); }
};

/// The memory of a node of threads.
class HeapNode {
 public:
  HeapNode(int ranks, std::size_t small, std::size_t block) : small_(small), block_(block) {
    const std::size_t bytes = NodeMemory::part_bytes(small, block);
    for (int rank = 0; rank < ranks; ++rank) {
      memory_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)));
      std::memset(memory_.back().get(), 0, bytes);
      parts_.push_back(memory_.back().get());
    }
  }
  [[nodiscard]] NodeMemory seen_by(int rank) const { return {parts_, rank, small_, block_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t small_, block_;
  std::vector<std::unique_ptr<std::byte, Free>> memory_;
  std::vector<std::byte*> parts_;
};

/// One rank's calls, in place or not, of alternating length, so that slots and blocks follow each other in all ways.
void play_rank(int rank, int ranks, const HeapNode& heap, int rounds, std::span<const std::size_t> counts,
               std::atomic<int>& failures) {
  NodeMemory node = heap.seen_by(rank);
  ThreadSurroundings around(ranks);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = counts[static_cast<std::size_t>(round) % counts.size()];
    std::vector<std::int32_t> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::int32_t>(i) * (rank + 1) + round;
    const bool gathers = round % 5 != 4, reduces = round % 7 != 6 || !gathers;

    Call call;
    call.around = &around;
    call.reduction = Reduction::of(ElementType::i32, Operation::sum, static_cast<std::size_t>(ranks), false);
    call.count = count;
    call.ticket = node.draw_ticket();
    const Chunk own = chunk_of(count, ranks, rank);
    std::vector<std::int32_t> result(count);
    auto* const input = reinterpret_cast<std::byte*>(data.data() + (reduces ? 0 : own.first));
    auto* const output = reinterpret_cast<std::byte*>(result.data() + (gathers ? 0 : own.first));
    call.addends = {input};
    call.output = output;
    call.task = shared_memory(call, node, {input, output, count, reduces, gathers});
    call.task.start();
    call.task.rethrow();

    for (std::size_t i = 0; i < count; ++i) {
      if (!gathers && (i < own.first || i >= own.first + own.count)) continue;
      std::int32_t wanted = static_cast<std::int32_t>(i) * (ranks * (ranks + 1) / 2) + round * ranks;
      if (!reduces) {
        int owner = 0;
        while (i >= chunk_of(count, ranks, owner).first + chunk_of(count, ranks, owner).count) ++owner;
        wanted = static_cast<std::int32_t>(i) * (owner + 1) + round;
      }
      if (result[i] != wanted) ++failures;
    }
  }
}

void play(int ranks, int rounds, std::span<const std::size_t> counts) {
  const HeapNode heap(ranks, 256, 1024);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] { play_rank(rank, ranks, heap, rounds, counts, failures); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(SharedMemoryThreads, Slots) {
  const std::size_t counts[] = {1, 0, 5, 64};
  for (const int ranks : {1, 2, 4}) play(ranks, 3000, counts);
}

TEST(SharedMemoryThreads, SlotsAndBlocks) {
  const std::size_t counts[] = {3, 400, 65, 1, 2000, 63, 1001};
  for (const int ranks : {2, 3, 4}) play(ranks, 700, counts);
}

} // namespace
