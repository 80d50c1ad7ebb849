// The four encodings of the exchange at the barrier, as chosen and as driven: every size of message with every share
// of published vertices must fill exactly the right mirror slots.
#include "pregel/engine/boundary_exchange.hpp"

#include <climits>
#include <cstring>
#include <tuple>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::world;

// ---- choice ---------------------------------------------------------------------------------------------------------

std::size_t in_words(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

TEST(ChooseEncoding, TheLimits) {
  for (const std::size_t bytes : {0, 1, 4, 8, 24}) {
    EXPECT_EQ(choose_encoding(0, 0, bytes), BoundaryEncoding::nothing);
    EXPECT_EQ(choose_encoding(0, 100, bytes), BoundaryEncoding::nothing);
    EXPECT_EQ(choose_encoding(100, 100, bytes), BoundaryEncoding::all);
    EXPECT_EQ(choose_encoding(1, 1, bytes), BoundaryEncoding::all);
    EXPECT_EQ(choose_encoding(99, 100, bytes), BoundaryEncoding::bitmap);
    EXPECT_EQ(choose_encoding(1, 1000, bytes), BoundaryEncoding::indices);
    EXPECT_EQ(choose_encoding(999, 1000, bytes), BoundaryEncoding::bitmap);
  }
}

/// Of the two that carry some messages the shorter one, whatever the numbers.
TEST(ChooseEncoding, IsTheSmallest) {
  for (const std::size_t boundary : {2, 63, 64, 65, 1000, 4096}) {
    for (std::size_t published = 1; published < boundary; ++published) {
      const std::size_t bitmap = (boundary + 63) / 64 * 8, indices = in_words(4 * published);
      const BoundaryEncoding chosen = choose_encoding(published, boundary, 8);
      const std::size_t bytes = chosen == BoundaryEncoding::bitmap ? bitmap : indices;
      ASSERT_TRUE(chosen == BoundaryEncoding::bitmap || chosen == BoundaryEncoding::indices);
      EXPECT_EQ(bytes, std::min(bitmap, indices)) << published << " of " << boundary;
    }
  }
}

// ---- exchange -------------------------------------------------------------------------------------------------------

/// Which vertices publish, as a function of their ids: every rank knows what it must receive.
enum class Share { none, one, few, half, most, all_but_one, all };

class Exchange : public testing::TestWithParam<std::tuple<std::size_t, Share, bool>> {
 protected:
  void SetUp() override {
    if (std::get<2>(GetParam())) core::set_count_limit(5);
  }
  void TearDown() override { core::set_count_limit(INT_MAX); }

  static std::size_t message_bytes() { return std::get<0>(GetParam()); }

  static bool publishes(std::uint64_t id, std::uint64_t round) {
    const std::uint64_t random = core::mix64(id ^ (round << 40U)) % 100;
    switch (std::get<1>(GetParam())) {
      case Share::none: return false;
      case Share::one: return id == round % 300;
      case Share::few: return random < 5;
      case Share::half: return random < 50;
      case Share::most: return random < 90;
      case Share::all_but_one: return id != round % 300;
      case Share::all: break;
    }
    return true;
  }

  static std::byte byte_of(std::uint64_t id, std::uint64_t round, std::size_t position) {
    return static_cast<std::byte>(core::mix64(id * 64 + position + (round << 32U)) & 0x7f);
  }

  static constexpr std::byte kUntouched{0xee};

  /// One barrier; `exchange` is used again and again, as in a job.
  static ExchangeVolume drive(const DistributedGraph& graph, BoundaryExchange& exchange, std::uint64_t round,
                              bool all_published) {
    std::vector<std::byte> slots(graph.slot_count() * message_bytes() + 1, kUntouched);
    VertexSet published(graph.slot_count());
    for (std::uint32_t v = 0; v < graph.local_count; ++v) {
      const std::uint64_t id = number(graph.id_of(LocalId{v}));
      for (std::size_t i = 0; i < message_bytes(); ++i) slots[v * message_bytes() + i] = byte_of(id, round, i);
      if (!all_published && publishes(id, round)) published.insert(v);
    }
    const std::size_t published_here = published.count();
    const ExchangeVolume volume = exchange.exchange(slots.data(), published, all_published);
    if (all_published) {
      EXPECT_TRUE(published.empty());
    }

    std::size_t mirrors = 0;
    for (std::uint32_t s = 0; s < graph.slot_count(); ++s) {
      const std::uint64_t id = number(graph.slot_ids[s]);
      const bool expected = all_published || publishes(id, round);
      if (!all_published) {
        EXPECT_EQ(published.contains(s), expected) << "slot " << s << " of vertex " << id;
      }
      if (s >= graph.local_count && expected) ++mirrors;
      for (std::size_t i = 0; i < message_bytes(); ++i) {
        const bool written = s < graph.local_count || expected;
        EXPECT_EQ(slots[s * message_bytes() + i], written ? byte_of(id, round, i) : kUntouched) << "slot " << s;
      }
    }
    if (!all_published) {
      EXPECT_EQ(published.count(), published_here + mirrors);
    }
    EXPECT_EQ(slots.back(), kUntouched) << "written beyond the last slot";
    const std::uint64_t values = core::all_reduce_value(world(), volume.values, core::Reduce::sum);
    EXPECT_EQ(values, core::all_reduce_value(world(), std::uint64_t{mirrors}, core::Reduce::sum));
    return volume;
  }
};

std::string exchange_name(const testing::TestParamInfo<Exchange::ParamType>& instance) {
  static const char* const kShares[] = {"None", "One", "Few", "Half", "Most", "AllButOne", "All"};
  const auto [bytes, share, pieces] = instance.param;
  return std::to_string(bytes) + "bytes" + kShares[static_cast<int>(share)] + (pieces ? "InPieces" : "");
}
INSTANTIATE_TEST_SUITE_P(All, Exchange,
                         testing::Combine(testing::Values(0, 1, 4, 8, 12, 16, 24),
                                          testing::Values(Share::none, Share::one, Share::few, Share::half, Share::most,
                                                          Share::all_but_one, Share::all),
                                          testing::Bool()),
                         exchange_name);

TEST_P(Exchange, FillsTheRightMirrors) {
  for (const PartitionKind partition : testing_support::kAllPartitions) {
    BuildOptions options;
    options.partition = partition;
    const DistributedGraph graph = build(oracle::random_graph(300, 1500, true, 3), options);
    BoundaryExchange exchange(graph, message_bytes());
    for (std::uint64_t round = 0; round < 3; ++round) {
      const ExchangeVolume volume = drive(graph, exchange, round, false);
      if (volume.values == 0) {
        EXPECT_EQ(volume.bytes, 0U);
      }
      EXPECT_GE(volume.bytes, volume.values * message_bytes());
    }
    if (std::get<1>(GetParam()) != Share::all) continue;
    const ExchangeVolume volume = drive(graph, exchange, 9, true);
    EXPECT_EQ(volume.bytes, volume.values * message_bytes()) << "no headers where all are known to have published";
  }
}

TEST_P(Exchange, AwkwardGraphs) {
  for (const auto& [name, graph] : testing_support::selected_graphs()) {
    SCOPED_TRACE(name);
    const DistributedGraph built = build(graph);
    BoundaryExchange exchange(built, message_bytes());
    drive(built, exchange, 1, false);
    drive(built, exchange, 2, true);
  }
}

} // namespace
} // namespace pregel
