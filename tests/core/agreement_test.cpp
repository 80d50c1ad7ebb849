// An exception on one rank reaches all.
#include "core/agreement.hpp"

#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "core/collectives.hpp"

namespace core {
namespace {

const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}

/// What agree() throws when `work` runs on every rank.
template <class F>
Error error_of(F&& work) {
  try {
    agree(world(), work);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error("nothing");
}

std::string with_rank(const std::string& message, int rank) {
  return world().size() == 1 ? message : message + " (on rank " + std::to_string(rank) + ")";
}

TEST(Agreement, ReturnsWhatTheWorkReturns) {
  EXPECT_EQ(agree(world(), [] { return 7; }), 7);
  EXPECT_EQ(*agree(world(), [] { return std::make_unique<int>(8); }), 8) << "move-only results";
  agree(world(), [] {});
}

TEST(Agreement, EachRankMayBeTheOneThatFails) {
  for (int failing = 0; failing < world().size(); ++failing) {
    const Error error = error_of([&] {
      if (world().rank() == failing) throw Error("disk on fire", ExitCode::failure);
    });
    EXPECT_EQ(error.what(), with_rank("disk on fire", failing));
    EXPECT_EQ(error.rank(), failing);
    EXPECT_EQ(error.exit_code(), ExitCode::failure);
  }
}

TEST(Agreement, InputErrorsReadTheSameOnAnyNumberOfRanks) {
  const int last = world().size() - 1;
  try {
    agree(world(), [&] {
      if (world().rank() == last) throw InputError("no such file");
    });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no such file");
    EXPECT_EQ(error.rank(), last);
    EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
  }
}

TEST(Agreement, SmallestOrderWinsThenLowestRank) {
  // Orders fall with the rank: the last rank has the first line.
  const Error by_order = error_of([] {
    const int line = 10 - world().rank();
    throw OrderedInputError("line " + std::to_string(line), static_cast<unsigned long long>(line));
  });
  EXPECT_EQ(by_order.what(), "line " + std::to_string(10 - (world().size() - 1)));
  const Error by_rank = error_of([] { throw Error("from " + std::to_string(world().rank())); });
  EXPECT_EQ(by_rank.what(), with_rank("from 0", 0));
  const Error largest =
      error_of([] { throw OrderedInputError("far", std::numeric_limits<unsigned long long>::max()); });
  EXPECT_STREQ(largest.what(), "far");
}

TEST(Agreement, RankIsNamedOnce) {
  const int last = world().size() - 1;
  const Error error = error_of([&] {
    Error inner("lost");
    if (world().rank() == last) throw inner;
  });
  const Error again = error_of([&] { throw error; });
  EXPECT_STREQ(again.what(), error.what());
  EXPECT_EQ(again.rank(), last);
}

TEST(Agreement, ForeignExceptionsAreDescribed) {
  EXPECT_EQ(error_of([] { throw std::bad_alloc(); }).what(), with_rank("out of memory", 0));
  EXPECT_EQ(error_of([] { throw std::runtime_error("other"); }).what(), with_rank("other", 0));
  EXPECT_EQ(error_of([] { throw 42; }).what(), with_rank("unknown exception", 0));
}

TEST(Agreement, LongMessagesTravelWhole) {
  const std::string text(100'000, 'x');
  const int last = world().size() - 1;
  const Error error = error_of([&] {
    if (world().rank() == last) throw InputError(text);
  });
  EXPECT_EQ(error.what(), text);
}

} // namespace
} // namespace core
