// Communicators, datatypes and requests.
#include "core/communicator.hpp"

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "core/request.hpp"

namespace core {
namespace {

TEST(Communicator, DuplicateKeepsRanks) {
  const Communicator world = Communicator::world();
  const Communicator copy = world.duplicate();
  EXPECT_EQ(copy.rank(), world.rank());
  EXPECT_EQ(copy.size(), world.size());
  EXPECT_NE(copy.native(), world.native());
}

TEST(Communicator, SplitOrdersByKey) {
  const Communicator world = Communicator::world();
  const Communicator reversed = world.split(0, -world.rank());
  EXPECT_EQ(reversed.rank(), world.size() - 1 - world.rank());
  const Communicator parity = world.split(world.rank() % 2, world.rank());
  EXPECT_EQ(parity.rank(), world.rank() / 2);
}

TEST(Communicator, SharedMemoryGroupIsNotEmpty) {
  const Communicator node = Communicator::world().split_shared();
  EXPECT_GE(node.size(), 1);
  EXPECT_LE(node.size(), Communicator::world().size());
}

TEST(Communicator, MovesOwnership) {
  Communicator first = Communicator::world().duplicate();
  Communicator second = std::move(first);
  EXPECT_NE(second.native(), MPI_COMM_NULL);
  first = std::move(second);
  EXPECT_EQ(all_reduce_value(first, 1, Reduce::sum), first.size());
}

TEST(Communicator, ErrorsOfMpiAreExceptions) {
  const Communicator world = Communicator::world();
  try {
    check_mpi(MPI_Send(nullptr, 0, MPI_INT, world.size() + 7, 0, world.native()), "MPI_Send");
    FAIL() << "no exception";
  } catch (const MpiError& error) {
    EXPECT_EQ(error.mpi_class(), MPI_ERR_RANK);
    EXPECT_EQ(std::string(error.what()).rfind("MPI_Send failed: ", 0), 0U) << error.what();
    EXPECT_FALSE(error.is_process_failure());
    EXPECT_EQ(error.exit_code(), ExitCode::failure);
  }
}

TEST(Datatype, HasTheSizeOfTheElement) {
  struct Triple {
    std::array<char, 12> bytes;
  };
  const auto size_of = [](MPI_Datatype type) {
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    return static_cast<std::size_t>(bytes);
  };
  enum class Small : std::uint8_t { a };
  EXPECT_EQ(size_of(datatype_of<Triple>()), sizeof(Triple));
  EXPECT_EQ(datatype_of<Triple>(), datatype_of<Triple>()) << "cached";
  EXPECT_EQ(size_of(datatype_of<std::byte>()), 1U);
  EXPECT_EQ(size_of(datatype_of<char>()), 1U);
  EXPECT_EQ(size_of(datatype_of<bool>()), sizeof(bool));
  EXPECT_EQ(size_of(datatype_of<short>()), sizeof(short));
  EXPECT_EQ(size_of(datatype_of<unsigned long long>()), sizeof(unsigned long long));
  EXPECT_EQ(size_of(datatype_of<const double>()), sizeof(double));
  EXPECT_EQ(size_of(datatype_of<long double>()), sizeof(long double));
  EXPECT_EQ(size_of(datatype_of<Small>()), 1U);
  EXPECT_THROW((void)bytes_datatype(0), Error);
}

TEST(Request, PassesMessagesRound) {
  const Communicator world = Communicator::world();
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  const std::vector<int> mine(1000, world.rank());
  std::vector<int> theirs(1000, -1);
  Request receive = start_receive(world, std::span<int>(theirs), previous, 5);
  Request send = start_send(world, std::span<const int>(mine), next, 5);
  EXPECT_TRUE(receive.active());
  while (!receive.test()) continue;
  send.wait();
  EXPECT_FALSE(receive.active());
  EXPECT_TRUE(receive.test()) << "an empty request is complete";
  EXPECT_EQ(theirs, std::vector<int>(1000, previous));
}

TEST(Request, AbandonedReceiveIsCancelled) {
  const Communicator world = Communicator::world();
  int never = 0;
  { const Request receive = start_receive(world, std::span<int>(&never, 1), 0, 6); }
  barrier(world);
  EXPECT_EQ(never, 0);
}

} // namespace
} // namespace core
