// Damaged checkpoints: each kind is found, named, and answered by the checkpoint before.
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint_testing.hpp"
#include "core/checkpoint/store.hpp"
#include "core/hdf5.hpp"
#include "core/temporary_directory.hpp"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;

void flip_byte(const std::string& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  const char flipped = static_cast<char>(file.get() ^ 0x10);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(flipped);
}

void overwrite(const std::string& path, std::uint64_t offset, const std::string& text) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file << text;
}

/// Where a dataset's first byte is.
std::uint64_t offset_of(const std::string& path, const std::string& dataset) {
  const hdf5::File file = hdf5::File::open(path);
  const auto data = hdf5::own<hdf5::Dataset>(H5Dopen2(file.id(), dataset.c_str(), H5P_DEFAULT), "open");
  return H5Dget_offset(data.id());
}

class CheckpointDamage : public testing::Test {
 protected:
  CheckpointDamage() {
    for (const std::uint64_t number : {2, 4})
      (void)store_.write(world(), number, sample_part(number, world().rank()), {{"number", number}});
    part_bytes_ = fs::file_size(part(4));
    version_at_ = test::content_of(index(4)).find("format 1");
    barrier(world()); // from here on rank 0 may damage them
  }
  std::string part(std::uint64_t number) const {
    return store_.path_of(number) + "/part-0000" + std::to_string(victim_) + ".h5";
  }
  std::string index(std::uint64_t number) const { return store_.index_path_of(number); }
  void on_rank_0(const std::function<void()>& work) const {
    if (world().rank() == 0) work();
    barrier(world());
  }

  /// Damages checkpoint 4 and then 2. `line` is what the user reads, without the path in front.
  void expect_refused(const std::function<void(std::uint64_t)>& damage, const std::string& path_and_line) const {
    on_rank_0([&] { damage(4); });
    const auto restored = store_.read_latest(world());
    ASSERT_TRUE(restored);
    EXPECT_EQ(restored->number, 2U);
    EXPECT_EQ(restored->meta.at("number"), 2);
    EXPECT_EQ(restored->rejected, std::vector<std::string>{path_and_line});
    expect_equal(restored->parts.at(0), sample_part(2, world().rank()));
    on_rank_0([&] { damage(2); });
    EXPECT_EQ(message_on_all(world(), [&] { (void)store_.read_latest(world()); }),
              "no checkpoint in " + directory_.path() + " can be used: " + path_and_line);
  }

  const test::TemporaryDirectory directory_{world()};
  const Store store_{directory_.path(), "job", 2};
  const int victim_ = world().size() > 1 ? 1 : 0; // the part that is damaged
  std::uint64_t part_bytes_ = 0;
  std::size_t version_at_ = 0; // in the index
};

TEST_F(CheckpointDamage, MissingPart) {
  expect_refused([&](std::uint64_t number) { fs::remove(part(number)); }, part(4) + " is missing");
}

TEST_F(CheckpointDamage, TruncatedPart) {
  expect_refused([&](std::uint64_t number) { fs::resize_file(part(number), part_bytes_ - 1); },
                 part(4) + " has " + std::to_string(part_bytes_ - 1) + " bytes, but " + std::to_string(part_bytes_) +
                     " were written");
}

TEST_F(CheckpointDamage, PartWithSomethingBehindIt) {
  expect_refused([&](std::uint64_t number) { std::ofstream(part(number), std::ios::app) << "x"; },
                 part(4) + " has " + std::to_string(part_bytes_ + 1) + " bytes, but " + std::to_string(part_bytes_) +
                     " were written");
}

TEST_F(CheckpointDamage, PartThatIsADirectory) {
  on_rank_0([&] {
    fs::remove(part(4));
    fs::create_directory(part(4));
  });
  const auto restored = store_.read_latest(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 2U);
  EXPECT_NE(restored->rejected.at(0).find(part(4)), std::string::npos);
}

TEST_F(CheckpointDamage, FlippedByteOfADataset) {
  expect_refused(
      [&](std::uint64_t number) { flip_byte(part(number), offset_of(part(number), "vertices/value") + 100); },
      part(4) + ": dataset vertices/value is damaged (its checksum does not match)");
}

TEST_F(CheckpointDamage, FlippedByteOfTheCountsOfLists) {
  expect_refused(
      [&](std::uint64_t number) { flip_byte(part(number), offset_of(part(number), "vertices/messages_count")); },
      part(4) + ": dataset vertices/messages_count is damaged (its checksum does not match)");
}

TEST_F(CheckpointDamage, FlippedByteOfTheStructure) {
  expect_refused([&](std::uint64_t number) { flip_byte(part(number), 1); },
                 part(4) + ": its HDF5 structure is damaged (its checksum does not match)");
}

TEST_F(CheckpointDamage, NoByteOfAPartGoesUnnoticed) {
  for (std::uint64_t offset = 0; offset < part_bytes_; offset += 173) {
    on_rank_0([&] { flip_byte(part(4), offset); });
    EXPECT_EQ(store_.read_latest(world())->number, 2U) << "byte " << offset;
    barrier(world());
    on_rank_0([&] { flip_byte(part(4), offset); });
  }
  EXPECT_EQ(store_.read_latest(world())->number, 4U);
}

TEST_F(CheckpointDamage, PartOfAnotherCheckpoint) {
  on_rank_0([&] { fs::copy_file(part(2), part(4), fs::copy_options::overwrite_existing); });
  const auto restored = store_.read_latest(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 2U);
}

TEST_F(CheckpointDamage, TheFirstDamagedPartIsNamedOnAnyNumberOfRanks) {
  on_rank_0([&] {
    for (int rank = 0; rank < world().size(); ++rank)
      fs::remove(store_.path_of(4) + "/part-0000" + std::to_string(rank) + ".h5");
  });
  const Communicator alone = world().split(world().rank(), 0);
  const std::string expected = store_.path_of(4) + "/part-00000.h5 is missing";
  EXPECT_EQ(store_.read_latest(world())->rejected.at(0), expected);
  EXPECT_EQ(store_.read_latest(alone)->rejected.at(0), expected);
}

TEST_F(CheckpointDamage, MissingIndex) {
  on_rank_0([&] { fs::remove(index(4)); });
  const auto restored = store_.read_latest(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 2U);
  EXPECT_EQ(restored->rejected, std::vector<std::string>{index(4) + " is missing: the checkpoint is not complete"});
  barrier(world());
  on_rank_0([&] { fs::remove(index(2)); });
  EXPECT_FALSE(store_.read_latest(world())) << "no checkpoint was ever completed";
}

TEST_F(CheckpointDamage, NewerFormat) {
  ASSERT_NE(version_at_, std::string::npos);
  expect_refused([&](std::uint64_t number) { overwrite(index(number), version_at_, "format 2"); },
                 index(4) + " has format version 2; this program reads versions up to 1");
}

TEST_F(CheckpointDamage, TextInPlaceOfTheIndex) {
  expect_refused([&](std::uint64_t number) { std::ofstream(index(number)) << std::string(1000, 'x'); },
                 index(4) + " is damaged (it does not begin as an index does)");
}

TEST_F(CheckpointDamage, TruncatedIndex) {
  expect_refused([&](std::uint64_t number) { fs::resize_file(index(number), 0); },
                 index(4) + " is damaged (it has only 0 bytes)");
}

TEST_F(CheckpointDamage, IndexOfAnotherCheckpoint) {
  on_rank_0([&] { fs::copy_file(index(2), index(4), fs::copy_options::overwrite_existing); });
  const auto restored = store_.read_latest(world());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->number, 2U);
  EXPECT_EQ(restored->rejected, std::vector<std::string>{index(4) + " is that of checkpoint 2"});
}

TEST_F(CheckpointDamage, NoByteOfTheIndexGoesUnnoticed) {
  if (world().rank() != 0) return;
  const auto bytes = fs::file_size(index(4));
  for (std::uint64_t offset = 0; offset < bytes; ++offset) {
    flip_byte(index(4), offset);
    ASSERT_NE(message_of([&] { (void)store_.read_meta(4); }).find(index(4)), std::string::npos) << "byte " << offset;
    flip_byte(index(4), offset);
  }
  EXPECT_EQ(store_.read_meta(4).at("number"), 4);
  for (std::uint64_t end = bytes - 1; end > 0; end = end * 7 / 8) {
    fs::resize_file(index(4), end);
    EXPECT_NE(message_of([&] { (void)store_.read_meta(4); }).find(index(4)), std::string::npos) << "cut at " << end;
  }
}

} // namespace
} // namespace core::checkpoint
