// Mailboxes: what a server finds announced is complete, nothing is lost, nothing comes twice.
#include "ps/table/mailboxes.hpp"

#include <climits>

#include "core/collectives.hpp"
#include "core/patience.hpp"
#include "ps/error.hpp"
#include "table_testing.hpp"

namespace ps {
namespace {

using namespace testing_support;

template <class T>
class MailboxTests : public testing::Test {
 protected:
  void TearDown() override { core::set_count_limit(INT_MAX); }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MailboxTests, Types);

/// Element i of the gradient of a worker's round: exact in a float, and different from the round before everywhere.
template <class T>
T element(std::size_t worker, std::int64_t round, std::size_t i) {
  return static_cast<T>(worker * 100'000 + static_cast<std::size_t>(round) * 1000 + i % 1000);
}

/// Everybody deposits and serves at random moments until all has arrived.
template <class T>
class Stress {
 public:
  Stress(std::size_t size, const std::vector<int>& servers, std::vector<int> rank_of_worker, std::int64_t rounds)
      : size_(size),
        rounds_(rounds),
        rank_of_worker_(std::move(rank_of_worker)),
        boxes_(world(), size, servers, rank_of_worker_.size()),
        shard_(static_cast<std::size_t>(std::find(servers.begin(), servers.end(), world().rank()) - servers.begin())),
        is_server_(shard_ < servers.size()),
        deposited_(rank_of_worker_.size()),
        received_(rank_of_worker_.size()),
        gradients_(rank_of_worker_.size(), std::vector<T>(size)) {}

  void run() {
    core::Patience patience{std::chrono::microseconds{200}};
    while (!finished()) {
      random_delay(random_);
      bool something = false;
      for (std::size_t worker = 0; worker < workers(); ++worker) something |= try_to_deposit(worker);
      something |= is_server_ && serve();
      if (something)
        patience.reset();
      else
        patience.pause();
    }
    core::barrier(world());
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      EXPECT_TRUE(!is_mine(worker) || boxes_.is_free(worker));
    }
    EXPECT_TRUE(boxes_.full().empty());
    core::barrier(world());
  }

 private:
  [[nodiscard]] std::size_t workers() const { return rank_of_worker_.size(); }
  [[nodiscard]] bool is_mine(std::size_t worker) const { return rank_of_worker_[worker] == world().rank(); }
  [[nodiscard]] bool finished() const {
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      if (is_mine(worker) && deposited_[worker] < rounds_) return false;
      if (is_server_ && received_[worker] < rounds_) return false;
    }
    return true;
  }

  bool try_to_deposit(std::size_t worker) {
    if (!is_mine(worker) || deposited_[worker] == rounds_ || !boxes_.is_free(worker)) return false;
    const std::int64_t round = deposited_[worker]++;
    std::vector<T>& gradient = gradients_[worker];
    for (std::size_t i = 0; i < size_; ++i) gradient[i] = element<T>(worker, round, i);
    const std::int64_t version = round * 3 + static_cast<std::int64_t>(worker);
    if (round % 2 == 0) {
      boxes_.deposit(worker, gradient, version);
    } else {
      const std::size_t cut = random_.below(size_ + 1);
      const std::span<const T> whole = gradient;
      boxes_.start_deposit(worker, cut, whole.subspan(cut));
      random_delay(random_);
      boxes_.start_deposit(worker, 0, whole.first(cut));
      random_delay(random_);
      boxes_.announce(worker, version);
    }
    return true;
  }

  bool serve() {
    const auto letters = boxes_.full();
    std::size_t next_worker = 0;
    for (const auto& letter : letters) {
      EXPECT_GE(letter.worker, next_worker);
      next_worker = letter.worker + 1;
      if (random_.below(3) == 0) continue; // it must still be there, unchanged, the next time
      const std::int64_t round = received_[letter.worker]++;
      EXPECT_EQ(letter.version_read, round * 3 + static_cast<std::int64_t>(letter.worker));
      EXPECT_EQ(letter.gradient.size(), boxes_.shards().length(shard_));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < letter.gradient.size(); ++i)
        wrong += letter.gradient[i] != element<T>(letter.worker, round, boxes_.shards().begin(shard_) + i) ? 1 : 0;
      EXPECT_EQ(wrong, 0U) << "worker " << letter.worker << ", round " << round;
      boxes_.release(letter.worker);
    }
    return !letters.empty();
  }

  std::size_t size_;
  std::int64_t rounds_;
  std::vector<int> rank_of_worker_;
  Mailboxes<T> boxes_;
  std::size_t shard_;
  bool is_server_;
  std::vector<std::int64_t> deposited_, received_; // by worker
  std::vector<std::vector<T>> gradients_;
  core::CounterRandom random_{11, static_cast<std::uint64_t>(world().rank())};
};

/// One worker on each rank, and a second one on the last.
std::vector<int> workers_everywhere() {
  std::vector<int> ranks(static_cast<std::size_t>(world().size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  ranks.push_back(world().size() - 1);
  return ranks;
}

TYPED_TEST(MailboxTests, StressWithServersThatWorkToo) {
  for (const std::vector<int>& servers : server_layouts()) {
    SCOPED_TRACE(text_of(servers));
    Stress<TypeParam>(1000, servers, workers_everywhere(), 20).run();
  }
}

TYPED_TEST(MailboxTests, StressWithDedicatedServers) {
  std::vector<int> workers;
  for (int rank = world().size() > 1 ? 1 : 0; rank < world().size(); ++rank) workers.push_back(rank);
  Stress<TypeParam>(20'000, {0}, workers, 15).run();
}

TYPED_TEST(MailboxTests, MoreServersThanParameters) {
  for (const std::size_t size : {0, 1, 2})
    Stress<TypeParam>(size, server_layouts().front(), workers_everywhere(), 8).run();
}

TYPED_TEST(MailboxTests, CallsShorterThanTheGradient) {
  core::set_count_limit(7);
  Stress<TypeParam>(300, server_layouts().back(), workers_everywhere(), 5).run();
}

TYPED_TEST(MailboxTests, MisuseIsRefused) {
  using T = TypeParam;
  const bool server = world().rank() == 0;
  Mailboxes<T> boxes(world(), 4, {0}, 2);
  const std::vector<T> gradient{1, 2, 3, 4};
  if (world().rank() == world().size() - 1) {
    EXPECT_EQ(error_of<PsError>([&] { (void)boxes.is_free(2); }),
              "there are mailboxes for 2 workers: worker 2 does not exist");
    EXPECT_THROW(boxes.deposit(2, gradient, 0), PsError);
    EXPECT_EQ(error_of<PsError>([&] { boxes.deposit(0, std::span<const T>(gradient).first(3), 0); }),
              "a mailbox holds gradients of 4 elements, not of 3");
    EXPECT_THROW(boxes.start_deposit(0, 2, std::span<const T>(gradient).first(3)), PsError);
    EXPECT_THROW(boxes.announce(0, -1), PsError);
    EXPECT_TRUE(boxes.is_free(0));
    boxes.deposit(0, gradient, 5);
    EXPECT_FALSE(boxes.is_free(0));
    EXPECT_EQ(error_of<PsError>([&] { boxes.deposit(0, gradient, 6); }),
              "worker 0 deposits a gradient before its last one has been released");
    EXPECT_TRUE(boxes.is_free(1));
    EXPECT_EQ(boxes.traffic().messages, 1U);
  }
  core::barrier(world());
  if (server) {
    const auto letters = boxes.full();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_EQ(letters[0].version_read, 5);
    EXPECT_EQ(std::vector<T>(letters[0].gradient.begin(), letters[0].gradient.end()), gradient);
    EXPECT_THROW(boxes.release(1), PsError);
    boxes.release(0);
    EXPECT_THROW(boxes.release(0), PsError);
  } else {
    EXPECT_TRUE(boxes.full().empty());
    EXPECT_THROW(boxes.release(0), PsError);
  }
  core::barrier(world());
  EXPECT_NE(error_of([&] { const Mailboxes<T> none(world(), 4, {}, 2); }).find("a mailbox needs at least one server"),
            std::string::npos);
}

} // namespace
} // namespace ps
