// The reader of IDX files, and where the digits are looked for.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data_testing.hpp"

namespace ps {
namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

/// An IDX file of these sizes.
std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& numbers) {
  std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) bytes += big_endian(size);
  return bytes + numbers;
}

const std::string kThreeLabels{2, 0, 1};

class Idx : public testing::Test {
 protected:
  /// Writes images and labels (neither when empty) and returns the options that load them.
  DataOptions files(const std::string& images, const std::string& labels = idx({3}, kThreeLabels)) {
    DataOptions options;
    options.source = directory_.file("x-images-idx3-ubyte");
    options.labels = LabelKind::classes;
    write_file(directory_, "x-images-idx3-ubyte", images);
    write_file(directory_, "x-labels-idx1-ubyte", labels);
    return options;
  }
  /// The refusal without the directory's name.
  std::string complaint(const DataOptions& options) {
    std::string message = refusal(options);
    const std::string prefix = directory_.path() + "/";
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    return message.substr(std::min(prefix.size(), message.size()));
  }
  std::string complaint(const std::string& images, const std::string& labels = idx({3}, kThreeLabels)) {
    return complaint(files(images, labels));
  }

  test::TemporaryDirectory directory_{world()};
};

const std::string kTwelvePixels{
    0, 51, 102, static_cast<char>(153), static_cast<char>(204), static_cast<char>(255), 0, 0, 0, 51, 51, 51};

TEST_F(Idx, ReadsImages) {
  for (const std::size_t workers : {1, 2, 3}) {
    const auto data = load(files(idx({3, 2, 2}, kTwelvePixels)), workers);
    EXPECT_EQ(data.shape.rows, 3u);
    EXPECT_EQ(data.shape.features, 4u);
    EXPECT_EQ(data.shape.classes, 3u);
    EXPECT_EQ(data.shape.image_rows, 2u);
    EXPECT_EQ(data.shape.image_columns, 2u);
    EXPECT_EQ(data.shape.channels, 1u);
    EXPECT_EQ(data.description, "x-images-idx3-ubyte: 3 rows, 2 x 2 pixels, 3 classes");
    EXPECT_EQ(all_rows(data, workers), (std::vector<std::string>{"2.000000 0.000000 0.200000 0.400000 0.600000",
                                                                 "0.000000 0.800000 1.000000 0.000000 0.000000",
                                                                 "1.000000 0.000000 0.200000 0.200000 0.200000"}));
  }
}

TEST_F(Idx, ReadsPackedFilesAndOtherDimensions) {
  DataOptions options;
  options.labels = LabelKind::classes;
  options.source = write_gzip(directory_, "y-images-idx3-ubyte.gz", idx({3, 2, 2}, kTwelvePixels));
  write_file(directory_, "y-labels-idx1-ubyte", idx({3}, kThreeLabels)); // packed or not, on its own account
  EXPECT_EQ(load(options, 2).shape.image_rows, 2u);

  options.source = write_file(directory_, "z-images-idx4-ubyte", idx({3, 2, 1, 2}, kTwelvePixels));
  write_gzip(directory_, "z-labels-idx1-ubyte.gz", idx({3}, kThreeLabels));
  const auto colours = load(options, 2);
  EXPECT_EQ(colours.shape.image_columns, 1u);
  EXPECT_EQ(colours.shape.channels, 2u);

  options.source = write_file(directory_, "images", idx({3, 4}, kTwelvePixels)); // known by its bytes
  write_file(directory_, "labels", idx({3}, kThreeLabels));
  const auto plain = load(options, 2);
  EXPECT_EQ(plain.shape.image_rows, 0u);
  EXPECT_EQ(plain.shape.features, 4u);
  EXPECT_EQ(plain.description, "images: 3 rows, 4 features, dense, 3 classes");
}

TEST_F(Idx, TheGreatestNumberOfTheWholeFileGivesTheScale) {
  std::string grey{0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 16};
  DataOptions options = files(idx({3, 2, 2}, grey));
  options.max_rows = 1; // the 16 is in the last row
  const auto data = load(options, 1);
  EXPECT_EQ(data.shape.rows, 1u);
  EXPECT_EQ(all_rows(data, 1)[0], "2.000000 0.000000 0.250000 0.500000 0.750000");
  grey[11] = 17;
  EXPECT_EQ(all_rows(load(files(idx({3, 2, 2}, grey)), 3), 3)[2].substr(36), "0.066667");
  EXPECT_EQ(all_rows(load(files(idx({3, 1, 1}, std::string{0, 1, 1})), 3), 3)[1], "0.000000 1.000000");
}

TEST_F(Idx, BrokenImagesAreRefused) {
  const std::string good = idx({3, 2, 2}, kTwelvePixels);
  const auto with = [&good](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  const std::string file = "x-images-idx3-ubyte: ";
  EXPECT_EQ(complaint(with(0, 9)), file + "byte 0: starts with no IDX magic number (2051 for images, 2049 for labels)");
  EXPECT_EQ(complaint(with(2, 13)), file + "byte 2: numbers of type 0x0d; only unsigned bytes (0x08) are read");
  EXPECT_EQ(complaint(with(3, 5)), file + "byte 3: 5 dimensions; 1 to 4 are read");
  EXPECT_EQ(complaint(with(3, 0)), file + "byte 3: 0 dimensions; 1 to 4 are read");
  EXPECT_EQ(complaint(""), file + "byte 0: the file ends within its header");
  EXPECT_EQ(complaint(good.substr(0, 14)), file + "byte 14: the file ends within its header");
  EXPECT_EQ(complaint(good.substr(0, 22)), file + "byte 22: the file ends in row 2 of the 3 that its header names");
  EXPECT_EQ(complaint(good + "x"), file + "byte 28: more bytes than the 3 rows of the header need");
  EXPECT_EQ(complaint(idx({3, 2, 0}, "")), file + "byte 12: a dimension of size 0");
  EXPECT_EQ(complaint(idx({3, 0xffffffff, 0xffffffff}, "")), file + "byte 8: rows of more than 256 MiB");
  EXPECT_EQ(complaint(idx({3, 65536, 65536}, "")), file + "byte 12: rows of more than 256 MiB");
  EXPECT_EQ(complaint(idx({12}, kTwelvePixels)), file + "byte 3: one dimension; these are labels, data have 2 to 4");
  EXPECT_EQ(complaint(idx({0xffffffff, 2, 2}, kTwelvePixels), idx({0xffffffff}, kThreeLabels)),
            "x-labels-idx1-ubyte: byte 11: the file ends in row 4 of the 4294967295 that its header names");
}

TEST_F(Idx, BrokenLabelsAreRefused) {
  const std::string good = idx({3, 2, 2}, kTwelvePixels);
  const std::string file = "x-labels-idx1-ubyte: ";
  EXPECT_EQ(complaint(good, idx({2}, "\1\1")), file + "byte 4: 2 labels for 3 images");
  EXPECT_EQ(complaint(good, idx({3}, "\1\1")), file + "byte 10: the file ends in row 3 of the 3 that its header names");
  EXPECT_EQ(complaint(good, idx({3}, "\1\1\1\1")), file + "byte 11: more bytes than the 3 rows of the header need");
  EXPECT_EQ(complaint(good, good), file + "byte 3: 3 dimensions; labels have 1");
  DataOptions options = files(good);
  options.classes = 2;
  EXPECT_EQ(complaint(options), file + "byte 8: label 2: the model has the classes 0 to 1");
  options.classes = 0;
  options.labels = LabelKind::binary;
  EXPECT_EQ(complaint(options), file + "byte 8: label 2: two classes are +1 and -1, or 1 and 0");
  options.labels = LabelKind::real;
  EXPECT_EQ(load(options, 3).shape.classes, 0u) << "as regression";
  options.features = 5;
  EXPECT_EQ(complaint(options), "x-images-idx3-ubyte: byte 8: 4 features a row, the model has 5");
}

TEST_F(Idx, FilesThatAreNotThere) {
  DataOptions options;
  options.source = write_file(directory_, "alone-images-idx3-ubyte", idx({3, 2, 2}, kTwelvePixels));
  EXPECT_EQ(complaint(options), "alone-labels-idx1-ubyte: no such file (the labels of alone-images-idx3-ubyte)");
  options.source = write_file(directory_, "pictures", idx({3, 2, 2}, kTwelvePixels));
  EXPECT_EQ(complaint(options),
            "pictures: an IDX file of data needs `images` in its name (the labels' file is found by `labels` in its "
            "place)");
  options = files(idx({3, 2, 2}, kTwelvePixels));
  EXPECT_EQ(refusal(options, 4), options.source + ": 3 rows for 4 workers; each needs at least one");
  options.test_part = true;
  EXPECT_EQ(complaint(options), "x-images-idx3-ubyte: no `train` in the name, so no held-out part is known");
}

TEST_F(Idx, DigitsAreFoundByTheEnvironment) {
  const char* const before = std::getenv("SUPERSTEP_DIGITS");
  const std::string kept = before != nullptr ? before : "";
  setenv("SUPERSTEP_DIGITS", directory_.path().c_str(), 1);
  DataOptions options;
  options.source = "digits";
  options.labels = LabelKind::classes;
  EXPECT_EQ(
      refusal(options),
      "digits: no train-images-idx3-ubyte or train-images-idx3-ubyte.gz in $SUPERSTEP_DIGITS, " + directory_.path());
  write_gzip(directory_, "train-images-idx3-ubyte.gz", idx({3, 2, 2}, kTwelvePixels));
  write_gzip(directory_, "train-labels-idx1-ubyte.gz", idx({3}, kThreeLabels));
  write_gzip(directory_, "t10k-images-idx3-ubyte.gz", idx({1, 2, 2}, kTwelvePixels.substr(8)));
  write_gzip(directory_, "t10k-labels-idx1-ubyte.gz", idx({1}, "\3"));
  EXPECT_EQ(load(options, 2).shape.rows, 3u);
  options.test_part = true;
  const auto held_out = load(options, 1);
  EXPECT_EQ(held_out.shape.rows, 1u);
  EXPECT_EQ(held_out.shape.classes, 4u);
  EXPECT_EQ(held_out.description, "t10k-images-idx3-ubyte.gz: 1 rows, 2 x 2 pixels, 4 classes");
  if (kept.empty())
    unsetenv("SUPERSTEP_DIGITS");
  else
    setenv("SUPERSTEP_DIGITS", kept.c_str(), 1);
}

TEST_F(Idx, RealDigits) {
  const char* const data = std::getenv("SUPERSTEP_TEST_DATA");
  const std::string images = std::string(data != nullptr ? data : "") + "/digits/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(images)) GTEST_SKIP() << "no digits in $SUPERSTEP_TEST_DATA";
  DataOptions options;
  options.source = images;
  options.labels = LabelKind::classes;
  const auto digits = load<double>(options, 4);
  EXPECT_EQ(digits.shape.rows, 10000u);
  EXPECT_EQ(digits.shape.features, 784u);
  EXPECT_EQ(digits.shape.classes, 10u);
  double sum = 0;
  std::size_t threes = 0;
  for (const auto& share : digits.shares) {
    for (const double pixel : share.dense) sum += pixel;
    threes += static_cast<std::size_t>(std::count(share.labels.begin(), share.labels.end(), 3));
  }
  EXPECT_NEAR(core::all_reduce_value(world(), sum, core::Reduce::sum) / 7840000, 0.13251, 1e-5);
  EXPECT_EQ(core::all_reduce_value(world(), threes, core::Reduce::sum), 1010u);
}

} // namespace
} // namespace ps
