// Copies in partners' memory. Ranks die here by staying away: the others split off and are the survivors.
#include "core/checkpoint/partner_memory.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "checkpoint_testing.hpp"

namespace core::checkpoint {
namespace {

nlohmann::json meta_of(std::uint64_t number) {
  return {{"number", number}, {"text", "of checkpoint"}};
}

void save(PartnerMemory& memory, const Communicator& comm, std::uint64_t generation, std::uint64_t number) {
  memory.save(comm, generation, number, sample_part(number, comm.rank()), meta_of(number));
}

/// Which part it is: ids of part p end in p; the empty part 2 has none.
int number_of(const Part& part) {
  const Table& vertices = require_table(part, "vertices");
  return vertices.rows() == 0 ? 2 : static_cast<int>(vertices.column<std::uint64_t>("id")[0] % 1000);
}

/// What the survivors find when `lost` have died. The others do nothing. Collective.
std::optional<PartnerMemory::Restored> restore_without(PartnerMemory& memory, const Communicator& comm,
                                                       const std::set<int>& lost) {
  const bool alive = !lost.contains(comm.rank());
  const Communicator survivors = comm.split(alive ? 0 : 1, comm.rank());
  return alive ? memory.restore(survivors) : std::nullopt;
}

/// Every part is on one survivor: its own rank's if that lives, else the next rank's.
void expect_all_parts(const std::optional<PartnerMemory::Restored>& restored, const Communicator& comm,
                      const std::set<int>& lost, std::uint64_t number) {
  if (lost.contains(comm.rank())) return;
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, number);
  EXPECT_EQ(restored->meta, meta_of(number));
  std::vector<int> wanted{comm.rank()};
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  if (lost.contains(previous)) wanted.push_back(previous);
  std::vector<int> found;
  for (const Part& part : restored->parts) found.push_back(number_of(part));
  std::ranges::sort(wanted);
  std::ranges::sort(found);
  EXPECT_EQ(found, wanted);
  for (const Part& part : restored->parts) expect_equal(part, sample_part(number, number_of(part)));
}

void expect_nothing(const std::optional<PartnerMemory::Restored>& restored) {
  EXPECT_FALSE(restored.has_value());
}

TEST(PartnerMemory, NobodyIsLost) {
  PartnerMemory memory;
  expect_nothing(memory.restore(world()));
  EXPECT_EQ(memory.bytes(), 0U);
  save(memory, world(), 0, 6);
  EXPECT_GT(memory.bytes(), 0U);
  expect_all_parts(memory.restore(world()), world(), {}, 6);
}

TEST(PartnerMemory, OneRankIsLost) {
  PartnerMemory memory;
  save(memory, world(), 0, 4);
  save(memory, world(), 0, 6);
  for (int victim = 0; victim < world().size() && world().size() > 1; ++victim)
    expect_all_parts(restore_without(memory, world(), {victim}), world(), {victim}, 6);
}

TEST(PartnerMemory, TwoNeighboursAreLost) {
  if (world().size() < 3) GTEST_SKIP() << "nobody would be left";
  PartnerMemory memory;
  save(memory, world(), 0, 6);
  for (int first = 0; first < world().size(); ++first)
    expect_nothing(restore_without(memory, world(), {first, (first + 1) % world().size()}));
}

TEST(PartnerMemory, RanksApartAreLost) {
  PartnerMemory memory;
  save(memory, world(), 0, 6);
  for (int first = 0; first < world().size(); ++first) {
    for (int second = first + 2; second < world().size(); ++second) {
      if ((second + 1) % world().size() == first) continue; // neighbours across the end
      expect_all_parts(restore_without(memory, world(), {first, second}), world(), {first, second}, 6);
    }
  }
  std::set<int> every_other;
  for (int rank = 1; rank + 1 < world().size(); rank += 2) every_other.insert(rank);
  expect_all_parts(restore_without(memory, world(), every_other), world(), every_other, 6);
}

/// The last rank has nothing of the newest generation, which is whole without it: it learns of it all the same.
TEST(PartnerMemory, AGenerationThatOneRankHasNothingOf) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  PartnerMemory memory;
  save(memory, world(), 0, 6);
  const bool takes_part = world().rank() + 1 < world().size();
  const Communicator part = world().split(takes_part ? 0 : 1, world().rank());
  if (takes_part) save(memory, part, 0, 8);
  const auto restored = memory.restore(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 8U);
  EXPECT_EQ(restored->meta, meta_of(8));
  EXPECT_EQ(restored->parts.size(), takes_part ? 1U : 0U);
}

/// The newest generation has lost a part, the one before has not, because other ranks were partners then.
TEST(PartnerMemory, TheGenerationBefore) {
  if (world().size() < 4) GTEST_SKIP() << "needs four ranks";
  PartnerMemory memory;
  save(memory, world(), 0, 6);
  const bool even = world().rank() % 2 == 0;
  const Communicator evens_first = world().split(0, even ? world().rank() : world().size() + world().rank());
  save(memory, evens_first, 0, 8);
  expect_all_parts(restore_without(memory, world(), {0, 2}), world(), {0, 2}, 6);
}

/// Deaths cut two generations short, one after the other: the whole one before them must outlive both.
TEST(PartnerMemory, TwoGenerationsThatWereCutShort) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  PartnerMemory memory;
  save(memory, world(), 0, 4);
  // Only some ranks come to keep anything of the new generation, whose last part nobody has.
  const auto cut_short = [&](std::uint64_t generation, std::uint64_t number, int some) {
    const bool keeps = world().rank() < some;
    PartnerMemory others;
    save(keeps ? memory : others, world(), generation, number);
  };
  cut_short(0, 6, 1);
  expect_all_parts(memory.restore(world()), world(), {}, 4);
  cut_short(1, 4, world().size() - 2);
  expect_all_parts(memory.restore(world()), world(), {}, 4);
}

/// Fewer ranks save the same number again: another generation, and the newer one counts.
TEST(PartnerMemory, TheSameNumberInASmallerWorld) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  PartnerMemory memory;
  save(memory, world(), 0, 4);
  const int victim = 1;
  const bool alive = world().rank() != victim;
  const Communicator survivors = world().split(alive ? 0 : 1, world().rank());
  if (!alive) return;
  ASSERT_TRUE(memory.restore(survivors));
  save(memory, survivors, 1, 4);
  expect_all_parts(memory.restore(survivors), survivors, {}, 4);
  save(memory, survivors, 1, 6);
  expect_all_parts(memory.restore(survivors), survivors, {}, 6);
  if (survivors.size() == 2) expect_all_parts(restore_without(memory, survivors, {0}), survivors, {0}, 6);
}

TEST(PartnerMemory, KeepsTheLastGenerations) {
  PartnerMemory two(2), one(1);
  save(two, world(), 0, 2);
  save(two, world(), 0, 4);
  const std::size_t before = two.bytes();
  for (const std::uint64_t number : {6, 8, 10}) save(two, world(), 0, number);
  EXPECT_EQ(two.bytes(), before);
  save(one, world(), 0, 2);
  EXPECT_LT(one.bytes(), before);
  save(one, world(), 0, 4);
  expect_all_parts(one.restore(world()), world(), {}, 4);
}

} // namespace
} // namespace core::checkpoint
