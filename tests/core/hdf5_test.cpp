// HDF5 files: what is written is read, what cannot be read is refused in one line.
#include "core/hdf5.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "temporary_directory.hpp"

namespace core::hdf5 {
namespace {

const Communicator& world() {
  static const Communicator comm = Communicator::world();
  return comm;
}

class Hdf5 : public testing::Test {
 protected:
  const test::TemporaryDirectory directory_{world()};
  const std::string path_ = directory_.file("rank" + std::to_string(world().rank()) + ".h5");
};

template <class F>
std::string message_of(F&& work) {
  testing::internal::CaptureStderr();
  std::string message = "nothing was thrown";
  try {
    work();
  } catch (const Hdf5Error& error) {
    message = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "HDF5 must not print";
  return message;
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

template <class T>
void expect_round_trip(const std::string& path, const std::vector<T>& data) {
  File file = File::create(path);
  write_dataset<T>(file, "deep/down/data", data);
  file.close();
  const File again = File::open(path);
  EXPECT_EQ(dataset_length(again, "deep/down/data"), data.size());
  EXPECT_EQ(read_dataset<T>(again, "deep/down/data"), data);
}

TEST_F(Hdf5, DatasetsOfAllTypes) {
  expect_round_trip<double>(path_, {1.5, -0.0, std::numeric_limits<double>::denorm_min(), 1e308});
  expect_round_trip<float>(path_, {1.5F, -2});
  expect_round_trip<std::uint64_t>(path_, {0, std::numeric_limits<std::uint64_t>::max()});
  expect_round_trip<std::int32_t>(path_, {-5, 7});
  expect_round_trip<std::uint8_t>(path_, {0, 255});
  expect_round_trip<std::uint16_t>(path_, {});
}

TEST_F(Hdf5, PartsOfADataset) {
  File file = File::create(path_);
  write_dataset<int>(file, "data", std::vector<int>{0, 1, 2, 3, 4, 5});
  EXPECT_EQ(read_dataset<int>(file, "data", 2, 3), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(read_dataset<int>(file, "data", 6, 0), std::vector<int>());
  EXPECT_EQ(message_of([&] { (void)read_dataset<int>(file, "data", 4, 3); }),
            "cannot read dataset data in " + path_ + ": it has only 6 elements");
}

TEST_F(Hdf5, NumbersAreWidenedButNeverCut) {
  File file = File::create(path_);
  write_dataset<std::uint32_t>(file, "narrow", std::vector<std::uint32_t>{1, 4'000'000'000});
  write_dataset<float>(file, "real", std::vector<float>{1.5F});
  EXPECT_EQ(read_dataset<std::int64_t>(file, "narrow"), (std::vector<std::int64_t>{1, 4'000'000'000}));
  EXPECT_EQ(read_dataset<double>(file, "real"), (std::vector<double>{1.5}));
  const std::string refusal = "it holds numbers of another type";
  EXPECT_EQ(message_of([&] { (void)read_dataset<std::int32_t>(file, "narrow"); }),
            "cannot read dataset narrow in " + path_ + ": " + refusal);
  EXPECT_NE(message_of([&] { (void)read_dataset<double>(file, "narrow"); }).find(refusal), std::string::npos);
  EXPECT_NE(message_of([&] { (void)read_dataset<int>(file, "real"); }).find(refusal), std::string::npos);
  EXPECT_NE(message_of([&] { (void)read_dataset<std::uint16_t>(file, "narrow"); }).find(refusal), std::string::npos);
}

TEST_F(Hdf5, Attributes) {
  File file = File::create(path_);
  write_dataset<int>(file, "data", std::vector<int>{1});
  write_attribute(file, "/", "superstep", std::uint64_t{42});
  write_attribute(file, "/", "superstep", std::uint64_t{43}); // replaces
  write_attribute(file, "data", "flag", true);
  write_attribute(file, "data", "damping", 0.85);
  write_string_attribute(file, "/", "program", "page\xC3\xA9rank");
  write_string_attribute(file, "data", "empty", "");
  file.close();

  const File again = File::open(path_);
  EXPECT_EQ(read_attribute<std::uint64_t>(again, "/", "superstep"), 43U);
  EXPECT_TRUE(read_attribute<bool>(again, "data", "flag"));
  EXPECT_EQ(read_attribute<double>(again, "data", "damping"), 0.85);
  EXPECT_EQ(read_string_attribute(again, "/", "program"), "page\xC3\xA9rank");
  EXPECT_EQ(read_string_attribute(again, "data", "empty"), "");
  EXPECT_TRUE(has_attribute(again, "data", "flag"));
  EXPECT_FALSE(has_attribute(again, "data", "flags"));
  EXPECT_FALSE(has_attribute(again, "nothing", "flag"));
  EXPECT_NE(message_of([&] { (void)read_string_attribute(again, "data", "flag"); }).find("not a string"),
            std::string::npos);
  EXPECT_TRUE(begins_with(message_of([&] { (void)read_attribute<int>(again, "/", "missing"); }),
                          "cannot read attribute missing in " + path_));
}

TEST_F(Hdf5, StringsOfFixedLength) {
  const File file = File::create(path_);
  const auto type = own<Datatype>(H5Tcopy(H5T_C_S1), "create a type");
  H5Tset_size(type.id(), 8);
  const auto space = own<Dataspace>(H5Screate(H5S_SCALAR), "create a space");
  const auto attribute = own<Attribute>(H5Acreate2(file.id(), "name", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                        "create an attribute");
  H5Awrite(attribute.id(), type.id(), "short\0\0");
  EXPECT_EQ(read_string_attribute(file, "/", "name"), "short");
}

TEST_F(Hdf5, ObjectsAreFound) {
  File file = File::create(path_);
  write_dataset<int>(file, "group/data", std::vector<int>{1});
  EXPECT_TRUE(has_object(file, "/"));
  EXPECT_TRUE(has_object(file, "group"));
  EXPECT_TRUE(has_object(file, "/group/data"));
  EXPECT_FALSE(has_object(file, "group/other"));
  EXPECT_FALSE(has_object(file, "no/such/thing"));
}

TEST_F(Hdf5, EqualContentsAreEqualFiles) {
  const auto bytes_of_new_file = [&] {
    File file = File::create(path_);
    write_dataset<int>(file, "group/written", std::vector<int>{1});
    create_contiguous_dataset<int>(file, "reserved", 0);
    write_attribute(file, "group/written", "attribute", 1);
    file.close();
    std::ifstream in(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string first = bytes_of_new_file();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100)); // HDF5's times are in seconds
  EXPECT_TRUE(bytes_of_new_file() == first);
}

TEST_F(Hdf5, TheSystemsReasonIsOneLine) {
  EXPECT_EQ(message_of([&] { (void)File::open(path_); }), "cannot open " + path_ + ": No such file or directory");
  EXPECT_EQ(message_of([] { (void)File::create("/no/such/dir/x.h5"); }),
            "cannot create /no/such/dir/x.h5: No such file or directory");
}

TEST_F(Hdf5, ADiskThatIsFullIsReportedInOneLine) {
  // A limit on the size of files stands for the disk's end; the signal that comes with it would end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  File file = File::create(path_);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] {
    write_dataset<double>(file, "data", std::vector<double>(100'000));
    file.close();
  });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(begins_with(message, "cannot write ")) << message;
  EXPECT_TRUE(message.ends_with(": File too large")) << message;
}

TEST_F(Hdf5, WhatIsNotThereIsReported) {
  EXPECT_FALSE(is_hdf5_file(path_));
  std::ofstream(path_) << "this is text";
  EXPECT_FALSE(is_hdf5_file(path_));
  EXPECT_TRUE(begins_with(message_of([&] { (void)File::open(path_); }), "cannot open " + path_ + ": "));
  File file = File::create(path_);
  EXPECT_TRUE(begins_with(message_of([&] { (void)read_dataset<int>(file, "none"); }),
                          "cannot open dataset none in " + path_ + ": "));
  file.close();
  EXPECT_TRUE(is_hdf5_file(path_));
}

TEST_F(Hdf5, FilesInMemory) {
  for (const std::size_t user_block : {0, 512, 2048}) {
    const File file = File::create_in_memory(path_, user_block);
    write_dataset<int>(file, "group/data", std::vector<int>{1, 2, 3});
    const std::vector<std::byte> image = file.image();
    const File copy = File::open_image(path_, image);
    EXPECT_EQ(read_dataset<int>(copy, "group/data"), (std::vector<int>{1, 2, 3}));
    // The same bytes are a file for everybody, whatever the user block says.
    EXPECT_FALSE(is_hdf5_file(path_));
    std::ofstream out(path_, std::ios::binary);
    out << std::string(user_block, '#');
    out.write(reinterpret_cast<const char*>(image.data()) + user_block,
              static_cast<std::streamsize>(image.size() - user_block));
    out.close();
    EXPECT_EQ(read_dataset<int>(File::open(path_), "group/data"), (std::vector<int>{1, 2, 3}));
    std::filesystem::remove(path_);
  }
  const std::vector<std::byte> nonsense(100);
  EXPECT_TRUE(begins_with(message_of([&] { (void)File::open_image(path_, nonsense); }), "cannot open " + path_ + ": "));
}

TEST_F(Hdf5, AlignedDatasets) {
  File file = File::create_aligned(path_, 4096);
  (void)create_contiguous_dataset<char>(file, "small", 10);
  EXPECT_EQ(create_contiguous_dataset<double>(file, "large", 1000) % 4096, 0U);
  file.close();
}

TEST_F(Hdf5, AllRanksWriteOneFile) {
  constexpr std::size_t kEach = 1000;
  const std::string shared = directory_.file("shared.h5");
  const auto rank = static_cast<std::size_t>(world().rank());
  SharedAtomicFile output(world(), shared);
  std::uint64_t ids_at = 0, values_at = 0;
  agree(world(), [&] {
    if (rank != 0) return;
    const std::size_t total = kEach * static_cast<std::size_t>(world().size());
    File file = File::create(output.temporary_path());
    ids_at = create_contiguous_dataset<std::uint64_t>(file, "graph/id", total);
    values_at = create_contiguous_dataset<double>(file, "value", total);
    EXPECT_EQ(create_contiguous_dataset<double>(file, "nothing", 0), 0U);
    file.close();
  });
  ids_at = broadcast_value(world(), ids_at, 0);
  values_at = broadcast_value(world(), values_at, 0);
  std::vector<std::uint64_t> ids;
  std::vector<double> values;
  for (std::size_t i = kEach * rank; i < kEach * (rank + 1); ++i) {
    ids.push_back(i);
    values.push_back(static_cast<double>(i) / 3);
  }
  output.write_at(std::as_bytes(std::span(ids)), ids_at + kEach * rank * sizeof(std::uint64_t));
  output.write_at(std::as_bytes(std::span(values)), values_at + kEach * rank * sizeof(double));
  output.commit();

  const File file = File::open(shared);
  EXPECT_EQ(read_dataset<double>(file, "value", kEach * rank, kEach), values);
  const auto all = read_dataset<std::uint64_t>(file, "graph/id");
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
  EXPECT_EQ(dataset_length(file, "nothing"), 0U);
}

} // namespace
} // namespace core::hdf5
