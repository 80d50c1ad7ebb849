// The reader of LIBSVM text: what it accepts, what it refuses, and that all ranks say the same.
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "data_testing.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

class Libsvm : public testing::Test {
 protected:
  DataOptions source(const std::string& text, LabelKind labels = LabelKind::real) {
    DataOptions options;
    options.source = write_file(directory_, "data", text);
    options.labels = labels;
    return options;
  }
  /// The refusal's text behind "FILE:".
  std::string complaint(const std::string& text, LabelKind labels = LabelKind::real) {
    return complaint(source(text, labels));
  }
  std::string complaint(const DataOptions& options) {
    const std::string message = refusal(options);
    const std::string prefix = directory_.file("data") + ":";
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    return message.substr(std::min(prefix.size(), message.size()));
  }

  test::TemporaryDirectory directory_{world()};
};

TEST_F(Libsvm, ReadsWhatTheFormatAllows) {
  const std::string text =
      "\xef\xbb\xbf# a comment, after a byte order mark\n"
      "+1 1:0.5 3:-2 \n" // a blank at the end
      "\n   \t\n"        // no rows
      "\t-1   2:1e1\t7:+.25#tail\r\n"
      "0\n" // a row without features
      "  # indented comment\n"
      "2.5 # 1:1\n" // another one
      "-3e-1 7:0";  // the last line lacks its end
  for (const std::size_t workers : {1, 2, 3, 5}) {
    const auto data = load(source(text), workers);
    EXPECT_EQ(data.shape.rows, 5u);
    EXPECT_EQ(data.shape.features, 7u);
    EXPECT_EQ(data.shape.classes, 0u);
    EXPECT_EQ(data.shape.image_rows, 0u);
    EXPECT_EQ(data.description, "data: 5 rows, 7 features, sparse");
    EXPECT_EQ(all_rows(data, workers),
              (std::vector<std::string>{"1.000000 0:0.500000 2:-2.000000", "-1.000000 1:10.000000 6:0.250000",
                                        "0.000000", "2.500000", "-0.300000 6:0.000000"}));
    for (const auto& share : data.shares) EXPECT_EQ(share.features, 7u);
  }
}

TEST_F(Libsvm, GzippedFilesReadAlike) {
  DataOptions options;
  options.source = write_gzip(directory_, "packed", "1 1:1\n2 2:2\n3 3:3\n"); // known by its bytes, not by its name
  const auto data = load(options, 2);
  EXPECT_EQ(data.shape.rows, 3u);
  EXPECT_EQ(all_rows(data, 2)[2], "3.000000 2:3.000000");
}

TEST_F(Libsvm, DamagedGzipIsRefused) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += fmt::format("{} 1:{}\n", i, i * i % 1009);
  const std::string whole = write_gzip(directory_, "whole.gz", text);
  std::string bytes = test::content_of(whole);
  DataOptions options;
  options.source = write_file(directory_, "data", std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_TRUE(refusal(options).ends_with("data: the gzip stream is cut short")) << refusal(options);
  char& checksum = bytes[bytes.size() - 6]; // elsewhere the text might be wrong before the damage shows
  checksum = static_cast<char>(checksum ^ 0x55);
  options.source = write_file(directory_, "data", bytes);
  EXPECT_NE(refusal(options).find("damaged gzip stream"), std::string::npos) << refusal(options);
  // A wrong line before the damage counts first, whichever rank has it.
  bytes = test::content_of(write_gzip(directory_, "wrong.gz", "1 1:1\n1 1:x\n" + text));
  options.source = write_file(directory_, "data", std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_TRUE(refusal(options).ends_with("data:2: value 'x' is not a number")) << refusal(options);
}

TEST_F(Libsvm, WrongLinesAreNamed) {
  const auto second = [this](const std::string& line) { return complaint("1 1:1\n" + line + "\n0\n0\n"); };
  EXPECT_EQ(second("1 0:1"), "2: index 0: indices start at 1");
  EXPECT_EQ(second("1 2:1 2:1"), "2: index 2 follows 2: indices must rise");
  EXPECT_EQ(second("1 5:1 2:1"), "2: index 2 follows 5: indices must rise");
  EXPECT_EQ(second("1 2:nan"), "2: value 'nan' is not finite");
  EXPECT_EQ(second("1 2:-inf"), "2: value '-inf' is not finite");
  EXPECT_EQ(second("1 2:1e999"), "2: value '1e999' is too large");
  EXPECT_EQ(second("1 2:1x"), "2: value '1x' is not a number");
  EXPECT_EQ(second("1 2:"), "2: value is missing");
  EXPECT_EQ(second("1 2: 3"), "2: value is missing");
  EXPECT_EQ(second("1 2"), "2: '2' has no colon: index:value is meant");
  EXPECT_EQ(second("1 1:1 abc"), "2: 'abc' has no colon: index:value is meant");
  EXPECT_EQ(second("1 qid:3 1:1"), "2: index 'qid' is not a whole number");
  EXPECT_EQ(second("1 -1:3"), "2: index '-1' is not a whole number");
  EXPECT_EQ(second("1 :3"), "2: index '' is not a whole number");
  EXPECT_EQ(second("1 18446744073709551616:3"), "2: index '18446744073709551616' does not fit into 64 bits");
  EXPECT_EQ(second("1:1 2:1"), "2: starts with '1:1' instead of a label");
  EXPECT_EQ(second("one 1:1"), "2: label 'one' is not a number");
  EXPECT_EQ(second("nan"), "2: label 'nan' is not finite");
  EXPECT_EQ(second(std::string("1\0 1:1", 6)), "2: label '1\\x00' is not a number");
  DataOptions single = source("0\n1 1:1e39\n0\n");
  EXPECT_TRUE(refusal<float>(single).ends_with(":2: value '1e39' is too large for single precision"));
  EXPECT_EQ(refusal<double>(single), "nothing was thrown");
}

TEST_F(Libsvm, TheFirstWrongLineCountsOnAnyNumberOfRanks) {
  std::string text;
  for (int line = 1; line <= 40; ++line) text += line >= 11 ? "1 1:" + std::to_string(line) + "?\n" : "1 1:1\n";
  for (const std::size_t workers : {1, 2, 3, 4, 7}) {
    EXPECT_TRUE(refusal(source(text), workers).ends_with(":11: value '11?' is not a number"));
  }
}

TEST_F(Libsvm, LabelsOfTwoClasses) {
  for (const char* const text : {"+1\n-1\n1\n", "1\n0\n1\n"}) {
    const auto data = load(source(text, LabelKind::binary), 3);
    EXPECT_EQ(data.shape.classes, 2u);
    EXPECT_EQ(all_rows(data, 3), (std::vector<std::string>{"1.000000", "0.000000", "1.000000"}));
  }
  EXPECT_EQ(load(source("1\n1\n1\n", LabelKind::binary), 1).shape.classes, 2u);
  EXPECT_EQ(complaint("1\n0\n2\n", LabelKind::binary), "3: label 2: two classes are +1 and -1, or 1 and 0");
  EXPECT_EQ(complaint("1\n0.5\n1\n", LabelKind::binary), "2: label 0.5: two classes are +1 and -1, or 1 and 0");
  EXPECT_EQ(complaint("1\n0\n-1\n", LabelKind::binary),
            "3: label -1, but other lines have label 0; with -1 goes only +1");
}

TEST_F(Libsvm, LabelsOfSeveralClasses) {
  const auto data = load(source("3\n0\n1\n", LabelKind::classes), 3);
  EXPECT_EQ(data.shape.classes, 4u);
  EXPECT_EQ(all_rows(data, 3)[0], "3.000000");
  const auto signs = load(source("-1\n+1\n-1\n", LabelKind::classes), 2);
  EXPECT_EQ(signs.shape.classes, 2u);
  EXPECT_EQ(all_rows(signs, 2), (std::vector<std::string>{"0.000000", "1.000000", "0.000000"}));
  EXPECT_EQ(complaint("1\n-2\n1\n", LabelKind::classes), "2: label -2: classes are 0, 1, 2, …, or +1 and -1");
  EXPECT_EQ(complaint("1\n1\n0.5\n", LabelKind::classes), "3: label 0.5: classes are 0, 1, 2, …, or +1 and -1");
  EXPECT_EQ(complaint("1\n70000\n1\n", LabelKind::classes), "2: label 70000: more than 65536 classes");
  EXPECT_EQ(complaint("5\n1\n-1\n", LabelKind::classes),
            "3: label -1, but other lines have label 5; with -1 goes only +1");
  DataOptions options = source("0\n2\n1\n", LabelKind::classes);
  options.classes = 2;
  EXPECT_EQ(complaint(options), "2: label 2: the model has the classes 0 to 1");
  options.classes = 10;
  EXPECT_EQ(load(options, 1).shape.classes, 10u);
}

TEST_F(Libsvm, TheModelsFeaturesWidenOrRefuse) {
  DataOptions options = source("1 3:1\n1 5:1\n1\n");
  options.features = 9;
  EXPECT_EQ(load(options, 2).shape.features, 9u);
  options.features = 4;
  EXPECT_EQ(complaint(options), "2: index 5: the model has 4 features");
}

TEST_F(Libsvm, KeysMayHaveSixtyFourBits) {
  const auto data = load(source("1 18446744073709551615:2\n1\n1\n"), 1);
  EXPECT_EQ(data.shape.features, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(all_rows(data, 1)[0], "1.000000 18446744073709551614:2.000000");
}

TEST_F(Libsvm, OnlyTheFirstRows) {
  DataOptions options = source("1\n# no row\n2\n3\nwrong\n");
  options.max_rows = 3;
  EXPECT_EQ(load(options, 2).shape.rows, 3u) << "what follows is not looked at";
  options.max_rows = 4;
  EXPECT_EQ(complaint(options), "5: label 'wrong' is not a number");
}

TEST_F(Libsvm, WorkersNeedRows) {
  const DataOptions options = source("1\n2\n3\n");
  EXPECT_EQ(refusal(options, 4), options.source + ": 3 rows for 4 workers; each needs at least one");
  EXPECT_EQ(load(options, 3).shape.rows, 3u);
  EXPECT_EQ(refusal(source("# nothing\n\n"), 1), options.source + ": no rows");
}

TEST_F(Libsvm, RanksWithoutWorkersReadNothingButKnowTheShape) {
  const DataOptions options = source("1 1:1\n2 4:1\n3\n", LabelKind::classes);
  std::vector<std::size_t> mine;
  if (world().rank() == world().size() - 1) mine = {0, 1};
  const auto data = load_dataset<double>(world(), options, mine, 2);
  EXPECT_EQ(data.shares.size(), mine.size());
  EXPECT_EQ(data.shape.rows, 3u);
  EXPECT_EQ(data.shape.features, 4u);
  EXPECT_EQ(data.shape.classes, 4u);
  EXPECT_EQ(data.description, "data: 3 rows, 4 features, sparse, 4 classes");
  const std::vector<std::size_t> wrong{2};
  EXPECT_THROW((void)load_dataset<double>(world(), options, wrong, 2), core::Error);
}

TEST_F(Libsvm, FilesThatCannotBeRead) {
  DataOptions options;
  options.source = directory_.file("missing");
  EXPECT_EQ(refusal(options), options.source + ": no such file");
  options.source = directory_.path();
  EXPECT_EQ(refusal(options), options.source + ": not a regular file");
  options = source("1\n");
  options.test_part = true;
  EXPECT_EQ(refusal(options), options.source + ": a libsvm file has no held-out part");
}

TEST_F(Libsvm, LinesAcrossBlocksAndLongerThanABlock) {
  // A row of 400,000 entries takes 5 MB, five blocks of the reader.
  std::string text = "7";
  for (int k = 1; k <= 400000; ++k) text += fmt::format(" {}:{}", k, k % 10);
  text += "\n";
  for (int i = 0; i < 100000; ++i) text += fmt::format("{} 3:{}\n", i, i % 7);
  const auto data = load(source(text), 1);
  ASSERT_EQ(data.shape.rows, 100001u);
  EXPECT_EQ(data.shape.features, 400000u);
  if (world().rank() != 0) return;
  const Examples<double>& rows = data.shares[0];
  EXPECT_EQ(rows.row_begin[1], 400000u);
  EXPECT_EQ(rows.values[399998], 9);
  for (std::size_t i = 0; i < 100000; ++i) {
    ASSERT_EQ(rows.labels[i + 1], static_cast<double>(i));
    ASSERT_EQ(rows.values[400000 + i], static_cast<double>(i % 7));
  }
}

/// Any bytes give rows or a refusal that all ranks share; never a crash.
TEST_F(Libsvm, RandomBytes) {
  const std::string_view alphabet("0123456789:: \t\n\n+-.e#a\0\r", 25);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    core::CounterRandom random(seed);
    std::string text = "1 1:1\n1 1:1\n1 1:1\n";
    for (std::uint64_t i = random.below(60); i > 0; --i) text += alphabet[random.below(alphabet.size())];
    const std::string message = refusal(source(text, LabelKind::real));
    EXPECT_TRUE(message == "nothing was thrown" || message.starts_with(directory_.file("data:"))) << message;
  }
}

struct RealFile {
  std::string name;
  std::size_t rows, features, entries;
};

TEST_F(Libsvm, RealFiles) {
  const char* const data = std::getenv("SUPERSTEP_TEST_DATA");
  if (data == nullptr || !std::filesystem::exists(std::string(data) + "/libsvm/a9a")) {
    GTEST_SKIP() << "no libsvm/a9a in $SUPERSTEP_TEST_DATA";
  }
  for (const RealFile& real : {RealFile{"a9a", 32561, 123, 451592},
                               {"a9a.t", 16281, 122, 225731},
                               {"agaricus.txt.train", 6513, 126, 143286},
                               {"heart_scale", 270, 13, 3378}}) {
    DataOptions options;
    options.source = std::string(data) + "/libsvm/" + real.name;
    options.labels = LabelKind::binary;
    const auto loaded = load(options, 4);
    EXPECT_EQ(loaded.shape.rows, real.rows) << real.name;
    EXPECT_EQ(loaded.shape.features, real.features) << real.name;
    std::size_t entries = 0;
    for (const auto& share : loaded.shares) entries += share.values.size();
    EXPECT_EQ(core::all_reduce_value(world(), entries, core::Reduce::sum), real.entries) << real.name;
  }
}

} // namespace
} // namespace ps
