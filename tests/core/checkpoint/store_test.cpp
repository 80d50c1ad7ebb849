// What the store writes it reads, on any number of ranks; what it keeps and what it removes; and what HDF5 sees.
#include "core/checkpoint/store.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "checkpoint_testing.hpp"
#include "core/checkpoint/redistribute.hpp"
#include "core/hdf5.hpp"
#include "core/temporary_directory.hpp"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<std::uint64_t>;

class CheckpointStore : public testing::Test {
 protected:
  Restored latest(const Communicator& comm) const {
    auto restored = store_.read_latest(comm);
    if (!restored) throw Error("nothing was restored");
    return std::move(*restored);
  }
  void write(std::uint64_t number) const {
    (void)store_.write(world(), number, sample_part(number, world().rank()), {{"number", number}});
  }
  /// Everything in the directory, relative.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path()))
      found.push_back(fs::relative(entry.path(), directory_.path()).string());
    std::ranges::sort(found);
    barrier(world());
    return found;
  }

  const test::TemporaryDirectory directory_{world()};
  const Store store_{directory_.file("store"), "job", 2};
};

/// This rank's share is what was written.
void expect_whole(const Communicator& comm, const Restored& restored, int parts) {
  std::size_t next = 0;
  for (int part = comm.rank(); part < parts; part += comm.size()) {
    ASSERT_LT(next, restored.parts.size());
    expect_equal(restored.parts[next++], sample_part(restored.number, part));
  }
  EXPECT_EQ(next, restored.parts.size());
}

TEST_F(CheckpointStore, EveryKindOfColumnComesBack) {
  const nlohmann::json meta{{"superstep", 4}, {"sum", 0.1}, {"big", std::numeric_limits<std::uint64_t>::max()}};
  const WriteReport report = store_.write(world(), 4, sample_part(4, world().rank()),
                                          world().rank() == 0 ? meta : nlohmann::json{{"other", "rank"}});
  const Restored restored = latest(world());
  EXPECT_EQ(restored.number, 4U);
  EXPECT_EQ(restored.meta, meta);
  EXPECT_EQ(store_.read_meta(4), meta);
  EXPECT_TRUE(restored.rejected.empty());
  expect_whole(world(), restored, world().size());

  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(store_.path_of(4))) bytes += entry.file_size();
  EXPECT_EQ(report.bytes, bytes);
  EXPECT_GT(report.seconds, 0);
}

TEST_F(CheckpointStore, AnyNumberOfRanksReadsAnyNumberOfParts) {
  for (int writers = 1; writers <= world().size(); ++writers) {
    const Communicator writing = world().split(world().rank() < writers ? 0 : 1, world().rank());
    if (world().rank() < writers) (void)store_.write(writing, 1, sample_part(1, writing.rank()), {});
    barrier(world());
    for (int readers = 1; readers <= world().size(); ++readers) {
      const Communicator reading = world().split(world().rank() < readers ? 0 : 1, world().rank());
      if (world().rank() < readers) expect_whole(reading, latest(reading), writers);
    }
    barrier(world());
  }
}

TEST_F(CheckpointStore, RowsGoToTheirNewOwners) {
  write(1);
  const Communicator fewer = world().split(world().rank() == 0 ? 0 : 1, world().rank());
  Restored restored = latest(fewer);
  std::vector<Table> tables;
  for (Part& part : restored.parts) tables.push_back(std::move(part.front()));
  const Table all = concatenate(std::move(tables));
  std::vector<int> owner;
  for (const std::uint64_t id : all.column<std::uint64_t>("id")) owner.push_back(static_cast<int>(id) % fewer.size());
  const Table mine = redistribute(fewer, all, owner);
  for (std::size_t i = 0; i < mine.rows(); ++i)
    EXPECT_EQ(mine.column<double>("value")[i], 1.0 / static_cast<double>(mine.column<std::uint64_t>("id")[i] + 2));
  std::size_t expected = 0;
  for (int part = 0; part < world().size(); ++part) expected += rows_of(part);
  EXPECT_EQ(all_reduce_value(fewer, mine.rows(), Reduce::sum), expected);
}

TEST_F(CheckpointStore, EmptyPartsAreFine) {
  (void)store_.write(world(), 1, {}, nullptr);
  const Restored restored = latest(world());
  ASSERT_EQ(restored.parts.size(), 1U);
  EXPECT_TRUE(restored.parts[0].empty());
  EXPECT_TRUE(restored.meta.is_null());
}

TEST_F(CheckpointStore, WithoutCheckpointsThereIsNothing) {
  EXPECT_FALSE(store_.read_latest(world()));
  EXPECT_TRUE(store_.committed().empty());
  store_.remove_incomplete(world());
  EXPECT_TRUE(names().empty()) << "reading has created something";
  write(5);
  EXPECT_FALSE(store_.read_latest(world(), 4));
  EXPECT_TRUE(store_.read_latest(world(), 5));
  EXPECT_NE(message_of([&] { (void)store_.read_meta(6); }).find("checkpoint.h5 is missing"), std::string::npos);
}

TEST_F(CheckpointStore, ADirectoryThatCannotBeReadIsAnError) {
  if (world().rank() == 0) std::ofstream(directory_.file("store")) << "a file";
  barrier(world());
  EXPECT_NE(message_on_all(world(), [&] { (void)store_.read_latest(world()); }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(message_on_all(world(), [&] { write(1); }).find("cannot create " + directory_.file("store")),
            std::string::npos);
}

TEST_F(CheckpointStore, MetadataOfAnySize) {
  nlohmann::json meta{{"text", std::string(3'000'000, 'x')}};
  for (int i = 0; i < 1000; ++i) meta["numbers"].push_back(1.0 / (i + 1));
  (void)store_.write(world(), 1, {}, meta);
  EXPECT_EQ(latest(world()).meta, meta);
}

TEST_F(CheckpointStore, MetadataThatTextDoesNotKeepIsRefused) {
  write(1);
  const nlohmann::json infinite{{"deep", {{"down", std::vector<double>{1, std::numeric_limits<double>::infinity()}}}}};
  EXPECT_NE(message_on_all(world(), [&] { (void)store_.write(world(), 1, {}, infinite); }).find("not finite"),
            std::string::npos);
  EXPECT_NE(message_on_all(world(), [&] { (void)store_.write(world(), 1, {}, "\xff"); }).find("UTF-8"),
            std::string::npos);
  expect_whole(world(), latest(world()), world().size());
}

TEST_F(CheckpointStore, TablesThatOnlySomeRanksHave) {
  Part mine;
  if (world().rank() == world().size() - 1) {
    mine.emplace_back("rare", 1);
    mine.back().add<int>("x", std::vector<int>{42});
  }
  (void)store_.write(world(), 1, mine, {});
  expect_equal(latest(world()).parts.at(0), mine);
  if (world().rank() != 0) return;
  const hdf5::File index = hdf5::File::open(store_.index_path_of(1));
  EXPECT_EQ(hdf5::read_dataset<int>(index, "rare/x"), std::vector<int>{42});
}

TEST_F(CheckpointStore, RanksMustAgreeOnTypes) {
  if (world().size() == 1) GTEST_SKIP() << "needs two ranks";
  write(1);
  Part mine;
  mine.emplace_back("t", 0);
  if (world().rank() == 0)
    mine.back().add<int>("x", {});
  else
    mine.back().add<float>("x", {});
  const std::string message = message_on_all(world(), [&] { (void)store_.write(world(), 2, mine, {}); });
  EXPECT_NE(message.find("ranks disagree on t/x: signed integer of 4 bytes in one part, real of 4 bytes in part-00001"),
            std::string::npos)
      << message;
  Part twice;
  twice.emplace_back("t", 0);
  twice.emplace_back("t", 0);
  EXPECT_NE(message_on_all(world(), [&] { (void)store_.write(world(), 2, twice, {}); }).find("two tables"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(store_.path_of(2)));
  EXPECT_EQ(latest(world()).number, 1U);
}

TEST_F(CheckpointStore, KeepsTheLastOnes) {
  for (const std::uint64_t number : {0, 2, 4, 6}) write(number);
  EXPECT_EQ(store_.committed(), (Numbers{4, 6}));
  const Store keeps_all(directory_.file("store"), "job", 0);
  for (const std::uint64_t number : {8, 10, 12})
    (void)keeps_all.write(world(), number, sample_part(number, world().rank()), {});
  EXPECT_EQ(store_.committed(), (Numbers{4, 6, 8, 10, 12}));
  expect_whole(world(), latest(world()), world().size());
}

TEST_F(CheckpointStore, GreaterNumbersAreOfARunThatWasGivenUp) {
  for (const std::uint64_t number : {6, 8}) write(number);
  write(7);
  EXPECT_EQ(store_.committed(), (Numbers{6, 7}));
  EXPECT_EQ(latest(world()).number, 7U);
}

TEST_F(CheckpointStore, AnotherPrefixIsAnotherStore) {
  const Store graph(directory_.file("store"), "job-graph", 1);
  (void)graph.write(world(), 0, {}, "graph");
  for (const std::uint64_t number : {1, 2, 3}) write(number);
  EXPECT_EQ(graph.committed(), (Numbers{0}));
  EXPECT_EQ(store_.committed(), (Numbers{2, 3}));
  EXPECT_EQ(graph.read_latest(world())->meta, "graph");
  EXPECT_THROW(Store("x", "", 1), InputError);
  EXPECT_THROW(Store("x", "a/b", 1), InputError);
}

TEST_F(CheckpointStore, ReplacingLeavesNothingOfTheOldOne) {
  write(4);
  const Communicator fewer = world().split(world().rank() == 0 ? 0 : 1, world().rank());
  if (world().rank() == 0) {
    (void)store_.write(fewer, 4, sample_part(4, 0), {});
    EXPECT_EQ(test::files_in(store_.path_of(4)), 2U) << "one part and the index";
  }
  barrier(world());
  expect_whole(world(), latest(world()), 1);
}

TEST_F(CheckpointStore, IncompleteDirectoriesAreIgnoredAndRemoved) {
  write(2);
  const auto leave_behind = [&](std::uint64_t number) {
    if (world().rank() == 0) {
      fs::create_directory(store_.path_of(number));
      std::ofstream(store_.path_of(number) + "/part-00000.h5") << "half";
      std::ofstream(store_.path_of(number) + "/part-00001.h5.tmp-17") << "half";
    }
    barrier(world());
  };
  leave_behind(1);
  leave_behind(4);
  EXPECT_EQ(store_.committed(), (Numbers{2}));
  EXPECT_EQ(store_.incomplete(), (Numbers{1, 4}));
  Restored restored = latest(world());
  EXPECT_EQ(restored.number, 2U);
  EXPECT_EQ(restored.rejected,
            std::vector<std::string>{store_.index_path_of(4) + " is missing: the checkpoint is not complete"});
  store_.remove_incomplete(world());
  EXPECT_TRUE(store_.incomplete().empty());
  barrier(world());
  leave_behind(4);
  leave_behind(6);
  write(4);
  EXPECT_TRUE(store_.incomplete().empty());
  expect_whole(world(), latest(world()), world().size());
  EXPECT_EQ(names().size(), 3 + 2 * (static_cast<std::size_t>(world().size()) + 1)) << "a file is left behind";
}

TEST_F(CheckpointStore, WhatIsNotACheckpointStays) {
  if (world().rank() == 0)
    for (const char* name : {"store/job-4", "store/job-00000000000x", "store/job-0000000000004", "store/other"})
      fs::create_directories(directory_.file(name));
  barrier(world());
  write(1);
  store_.remove_incomplete(world());
  EXPECT_EQ(test::files_in(directory_.file("store")), 5U);
  EXPECT_EQ(store_.committed(), (Numbers{1}));
}

class CheckpointViews : public CheckpointStore {
 protected:
  void SetUp() override {
    write(1);
    if (world().rank() != 0) GTEST_SKIP() << "one rank looks";
  }
};

/// All of an array by HDF5 alone, as raw bytes.
std::vector<std::byte> whole(const hdf5::File& file, const char* name) {
  const auto data = hdf5::own<hdf5::Dataset>(H5Dopen2(file.id(), name, H5P_DEFAULT), "open");
  const auto type = hdf5::own<hdf5::Datatype>(H5Dget_type(data.id()), "type");
  std::vector<std::byte> bytes(hdf5::dataset_length(file, name) * H5Tget_size(type.id()));
  hdf5::check(H5Dread(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read");
  return bytes;
}

TEST_F(CheckpointViews, EveryColumnIsOneArray) {
  std::vector<Table> tables;
  for (int part = 0; part < world().size(); ++part) tables.push_back(sample_part(1, part).front());
  const Table expected = concatenate(std::move(tables));
  const hdf5::File index = hdf5::File::open(store_.index_path_of(1));
  for (const Column& column : expected.columns()) {
    EXPECT_TRUE(whole(index, ("vertices/" + column.name).c_str()) == column.data) << column.name;
    if (!column.is_list) continue;
    EXPECT_EQ(hdf5::read_dataset<std::uint64_t>(index, "vertices/" + column.name + "_count"), column.counts);
  }
  EXPECT_EQ(hdf5::dataset_length(index, "aggregates/sum"), 2U);
  EXPECT_EQ(hdf5::read_attribute<std::uint64_t>(index, "/", "number"), 1U);
  EXPECT_EQ(hdf5::read_string_attribute(index, "/", "meta"), R"({"number":1})");
}

TEST_F(CheckpointViews, AlsoAfterTheDirectoryHasMoved) {
  const std::string moved = directory_.file("elsewhere");
  fs::rename(store_.path_of(1), moved);
  const hdf5::File index = hdf5::File::open(moved + "/checkpoint.h5");
  EXPECT_EQ(hdf5::read_dataset<double>(index, "vertices/value")[0], 0.5);
}

TEST_F(CheckpointViews, AMissingPartCannotBeMistakenForData) {
  fs::remove(store_.path_of(1) + "/part-00000.h5");
  const hdf5::File index = hdf5::File::open(store_.index_path_of(1));
  EXPECT_TRUE(std::isnan(hdf5::read_dataset<double>(index, "vertices/value")[0]));
  EXPECT_TRUE(std::isnan(hdf5::read_dataset<float>(index, "vertices/real4")[0]));
  EXPECT_EQ(hdf5::read_dataset<std::uint64_t>(index, "vertices/id")[0], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(hdf5::read_dataset<std::int64_t>(index, "vertices/i8")[0], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(hdf5::read_dataset<std::int8_t>(index, "vertices/i1")[0], 127);
  EXPECT_EQ(whole(index, "vertices/opaque")[0], std::byte{0xff});
}

} // namespace
} // namespace core::checkpoint
