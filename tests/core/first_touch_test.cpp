// Where pages are touched: which share of an array which thread writes first, as the kernel sees it.
#include "core/first_touch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "page_faults.hpp"

namespace core {
namespace {

TEST(EvenBounds, CutSharesThatDifferByOneAtMost) {
  EXPECT_EQ(even_bounds(10, 4), (std::vector<std::size_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(even_bounds(2, 3), (std::vector<std::size_t>{0, 1, 2, 2}));
  EXPECT_EQ(even_bounds(0, 2), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(UntouchedVector, LeavesWhatIsNotGivenAndKeepsWhatIs) {
  UntouchedVector<std::uint32_t> vector(kHugePage, 7); // 8 MiB
  vector.resize(vector.size() * 2, 9);
  EXPECT_EQ(std::count(vector.begin(), vector.end(), 7U), static_cast<std::ptrdiff_t>(kHugePage));
  EXPECT_EQ(std::count(vector.begin(), vector.end(), 9U), static_cast<std::ptrdiff_t>(kHugePage));

  // Pages of fresh memory that nobody wrote are not there.
  const UntouchedVector<std::byte> fresh(4 * kHugePage);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> present(fresh.size() / page);
  ASSERT_EQ(mincore(const_cast<std::byte*>(fresh.data()), fresh.size(), present.data()), 0);
  EXPECT_EQ(std::count_if(present.begin(), present.end(), [](unsigned char p) { return (p & 1) != 0; }), 0);
}

TEST(FirstTouch, TouchesEachPageOfAShareAndNoOther) {
  const SmallPages small_pages;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const HugeArray<std::byte> room(8 * kHugePage);
  detail::touch_pages(room.data() + 3 * page + 5, room.data() + 9 * page + 1);
  std::vector<unsigned char> present(room.size() / page);
  ASSERT_EQ(mincore(room.data(), room.size(), present.data()), 0);
  for (std::size_t p = 0; p < present.size(); ++p) EXPECT_EQ((present[p] & 1) != 0, p >= 3 && p <= 9) << "page " << p;
}

TEST(FirstTouch, IsDoneByTheThreadThatOwnsTheShare) {
  const SmallPages small_pages;
  if (!counts_faults_of_threads())
    GTEST_SKIP() << "page faults of a thread are not counted here, or with those of a sanitizer";
  ThreadTeam team(3);
  const std::size_t count = 4 * kHugePage;
  const std::vector<std::size_t> bounds{0, count / 2, count / 2, count}; // thread 1 owns nothing
  UntouchedVector<std::uint32_t> vector;
  vector.reserve(count);
  const std::vector<long> before = faults_of_threads(team);
  first_touch(team, vector.data(), std::span<const std::size_t>(bounds));
  const std::vector<long> after = faults_of_threads(team);
  const auto half =
      static_cast<long>(count * sizeof(std::uint32_t) / 2 / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_NEAR(static_cast<double>(after[0] - before[0]), static_cast<double>(half), 64);
  EXPECT_LT(after[1] - before[1], 64);
  EXPECT_NEAR(static_cast<double>(after[2] - before[2]), static_cast<double>(half), 64);
  vector.resize(count);
  const std::vector<long> filled = faults_of_threads(team);
  EXPECT_LT(filled[0] - after[0], 64) << "the pages were there";
}

} // namespace
} // namespace core
