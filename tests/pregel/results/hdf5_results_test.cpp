// HDF5 results, read back with the C library as any other program would.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/collectives.hpp"
#include "pregel/error.hpp"
#include "result_fixture.hpp"
#include "result_writers.hpp"

namespace pregel {
namespace {

using namespace testing_support;

hid_t native_type(double) {
  return H5T_NATIVE_DOUBLE;
}
hid_t native_type(std::uint64_t) {
  return H5T_NATIVE_UINT64;
}
hid_t native_type(std::int64_t) {
  return H5T_NATIVE_INT64;
}

std::size_t length_of(hid_t dataset) {
  const hid_t space = H5Dget_space(dataset);
  hsize_t extent = 0;
  EXPECT_EQ(H5Sget_simple_extent_ndims(space), 1);
  H5Sget_simple_extent_dims(space, &extent, nullptr);
  H5Sclose(space);
  return extent;
}

template <class T>
std::vector<T> read_numbers(hid_t file, const char* name) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  std::vector<T> values(length_of(dataset));
  EXPECT_GE(H5Dread(dataset, native_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
  H5Dclose(dataset);
  return values;
}

std::vector<std::string> read_names(hid_t file, const char* name) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  const hid_t type = H5Dget_type(dataset);
  EXPECT_EQ(H5Tget_class(type), H5T_STRING);
  const std::size_t width = H5Tget_size(type), count = length_of(dataset);
  std::string bytes(width * count, '\0');
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    std::string padded = bytes.substr(i * width, width);
    names.push_back(padded.substr(0, padded.find('\0')));
  }
  H5Tclose(type);
  H5Dclose(dataset);
  return names;
}

std::uint64_t read_attribute(hid_t object, const char* name) {
  std::uint64_t value = 0;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  EXPECT_GE(H5Aread(attribute, H5T_NATIVE_UINT64, &value), 0) << name;
  H5Aclose(attribute);
  return value;
}

/// Opens a file for reading while the test lasts.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : id_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(id_, 0) << path;
  }
  ~OpenFile() { H5Fclose(id_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

class Hdf5Results : public testing::Test {
 protected:
  const core::Communicator world_ = core::Communicator::world();
  const SharedDirectory directory_{world_};
};

void expect_known_rows(hid_t file, std::uint64_t rows) {
  const auto ids = read_numbers<std::uint64_t>(file, "id");
  const auto reals = read_numbers<double>(file, "real");
  const auto counts = read_numbers<std::uint64_t>(file, "count");
  const auto levels = read_numbers<std::int64_t>(file, "level");
  const auto parents = read_numbers<std::uint64_t>(file, "parent");
  ASSERT_EQ(ids.size(), rows);
  ASSERT_EQ(reals.size(), rows);
  ASSERT_EQ(counts.size(), rows);
  ASSERT_EQ(levels.size(), rows);
  ASSERT_EQ(parents.size(), rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Row row = row_of(i, rows);
    ASSERT_EQ(ids[i], row.id);
    ASSERT_EQ(reals[i], row.real);
    ASSERT_EQ(counts[i], row.count);
    ASSERT_EQ(levels[i], row.level);
    ASSERT_EQ(parents[i], number(row.parent));
  }
}

TEST_F(Hdf5Results, are_read_back) {
  for (const std::string name : {"out.h5", "out.hdf5"}) {
    for (const Spread spread : {Spread::modulo, Spread::ranges, Spread::all_on_last}) {
      const std::string path = directory_.file(name);
      const std::uint64_t bytes = write_results(world_, table_of(world_, 777, spread), nullptr, path);
      EXPECT_EQ(bytes, std::filesystem::file_size(path));
      {
        const OpenFile file(path);
        expect_known_rows(file, 777);
        EXPECT_EQ(read_attribute(file, "vertices"), 777U);
        EXPECT_GT(H5Aexists(file, "created_by"), 0);
        const hid_t parent = H5Dopen2(file, "parent", H5P_DEFAULT);
        EXPECT_EQ(read_attribute(parent, "none"), number(kNoVertex));
        H5Dclose(parent);
      }
      core::barrier(world_);
    }
  }
  EXPECT_EQ(directory_.listing(), (std::vector<std::string>{"out.h5", "out.hdf5"}));
}

TEST_F(Hdf5Results, have_the_same_bytes_for_every_partition_and_stretch) {
  const std::string one = directory_.file("one.h5"), other = directory_.file("other.h5");
  write_hdf5_results(world_, table_of(world_, 777, Spread::scattered), nullptr, one);
  write_hdf5_results(world_, table_of(world_, 777, Spread::ranges), nullptr, other, 10);
  EXPECT_EQ(content_of(one), content_of(other));
}

TEST_F(Hdf5Results, of_no_vertices_have_empty_datasets) {
  const std::string path = directory_.file("out.h5");
  write_results(world_, table_of(world_, 0, Spread::modulo), nullptr, path);
  const OpenFile file(path);
  expect_known_rows(file, 0);
  EXPECT_EQ(read_attribute(file, "vertices"), 0U);
}

TEST_F(Hdf5Results, keep_names_as_strings_of_fixed_length) {
  constexpr std::size_t kRows = 60;
  const std::vector<std::string> all = some_names(kRows);
  std::vector<std::string> mine;
  for (std::size_t i = 0; i < kRows; ++i)
    if (owner(Spread::scattered, i, kRows, world_.size()) == world_.rank()) mine.push_back(all[i]);
  ResultTable table;
  const NameDirectory names = NameDirectory::build(world_, mine, table.ids);
  std::vector<GlobalId> parents;
  std::vector<double> reals;
  for (const GlobalId id : table.ids) {
    parents.push_back(number(id) % 4 == 1 ? kNoVertex : GlobalId{number(id) / 2});
    reals.push_back(0.25 * static_cast<double>(number(id)));
  }
  table.columns = {{"parent", parents}, {"real", reals}};
  const std::string path = directory_.file("out.h5");
  write_hdf5_results(world_, table, &names, path, 7);

  const OpenFile file(path);
  EXPECT_EQ(read_names(file, "id"), all);
  const auto parent_names = read_names(file, "parent");
  const auto real_values = read_numbers<double>(file, "real");
  ASSERT_EQ(parent_names.size(), kRows);
  ASSERT_EQ(real_values.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(parent_names[i], i % 4 == 1 ? "-1" : all[i / 2]);
    EXPECT_EQ(real_values[i], 0.25 * static_cast<double>(i));
  }
}

TEST_F(Hdf5Results, refuse_names_that_would_blow_up_every_row) {
  std::vector<std::string> mine;
  if (world_.rank() == world_.size() - 1) mine = {"short", std::string(65536, 'x')};
  ResultTable table;
  const NameDirectory names = NameDirectory::build(world_, mine, table.ids);
  try {
    write_results(world_, table, &names, directory_.file("out.h5"));
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(error.what(), "HDF5 results hold names of up to 65535 bytes, and one has 65536: write text");
  }
  EXPECT_TRUE(directory_.listing().empty());
}

} // namespace
} // namespace pregel
