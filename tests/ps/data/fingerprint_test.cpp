// The fingerprint of rows: the same on any ranks and workers, another one for any other number in them.
#include "ps/data/fingerprint.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "data_testing.hpp"

namespace ps {
namespace {

template <class T = double>
[[nodiscard]] std::uint64_t fingerprint_of(const std::string& source, std::size_t workers) {
  DataOptions options;
  options.source = source;
  return fingerprint<T>(world(), load<T>(options, workers).shares, my_workers(workers), workers);
}

TEST(Fingerprint, IsOfTheRowsWhoeverHasThem) {
  for (const std::string source : {"synthetic:ridge,rows=50,features=3,noise=0.1,seed=1",
                                   "synthetic:ridge,rows=50,features=30,nonzeros=4,noise=0.1,seed=1"}) {
    // All rows on every rank: what one rank alone would find, as many times as there are ranks.
    DataOptions options;
    options.source = source;
    const std::vector<std::size_t> only{0};
    const Dataset<double> whole = load_dataset<double>(world(), options, only, 1);
    const auto expected = fingerprint_of(source, 4);
    EXPECT_EQ(fingerprint<double>(world(), whole.shares, only, 1), expected * static_cast<unsigned>(world().size()));
    EXPECT_EQ(fingerprint_of(source, 7), expected);
    EXPECT_NE(fingerprint_of(source + "1", 4), expected) << "another seed";
    EXPECT_NE(fingerprint_of<float>(source, 4), expected);
  }
}

/// Each difference by itself, in a copy of the rows.
TEST(Fingerprint, ChangesWithEveryNumber) {
  DataOptions options;
  options.source = "synthetic:ridge,rows=9,features=8,nonzeros=2,seed=3";
  Dataset<double> data = load(options, 2);
  const auto now = [&] { return fingerprint<double>(world(), data.shares, my_workers(2), 2); };
  const std::uint64_t expected = now();
  const bool mine = world().rank() == 0; // has worker 0
  const auto changes = [&](const char* what, auto&& change) {
    const auto before = data.shares;
    if (mine) change(data.shares[0]);
    EXPECT_NE(now(), expected) << what;
    data.shares = before;
  };
  changes("a label", [](Examples<double>& share) { share.labels[2] += 1; });
  changes("a value", [](Examples<double>& share) { share.values[3] *= 2; });
  changes("a key", [](Examples<double>& share) { share.keys[3] ^= 1; });
  changes("two labels swapped", [](Examples<double>& share) { std::swap(share.labels[0], share.labels[1]); });
  changes("an entry in the next row", [](Examples<double>& share) { ++share.row_begin[1]; });
  EXPECT_EQ(now(), expected);
}

} // namespace
} // namespace ps
