// What goes wrong while results are written goes wrong on all ranks, with one message, and leaves nothing behind.
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/collectives.hpp"
#include "core/error.hpp"
#include "result_fixture.hpp"
#include "result_writers.hpp"

namespace pregel {
namespace {

using namespace testing_support;

class ResultFaults : public testing::TestWithParam<std::string> {
 protected:
  /// The error's text, after making sure that every rank got the same.
  std::string failure_of(const ResultTable& table, const std::string& path) {
    std::string message = "written";
    try {
      write_results(world_, table, nullptr, path);
    } catch (const core::Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, core::broadcast_string(world_, message, 0));
    EXPECT_EQ(message.find('\n'), std::string::npos) << "errors are one line: " << message;
    return message;
  }
  [[nodiscard]] std::string name() const { return "out" + GetParam(); }

  const core::Communicator world_ = core::Communicator::world();
  const SharedDirectory directory_{world_};
};

TEST_P(ResultFaults, a_missing_directory_is_named) {
  const std::string path = directory_.file("missing/" + name());
  const std::string message = failure_of(table_of(world_, 20, Spread::modulo), path);
  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST_P(ResultFaults, a_directory_is_no_target) {
  const std::string path = directory_.file(name());
  if (world_.rank() == 0) std::filesystem::create_directory(path);
  core::barrier(world_);
  const std::string message = failure_of(table_of(world_, 20, Spread::modulo), path);
  EXPECT_NE(message.find("Is a directory"), std::string::npos) << message;
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{name()});
}

/// A disk that is full behaves like a limit on the file's size: the write comes back short, then fails.
TEST_P(ResultFaults, a_failed_write_leaves_the_old_file_and_no_temporary) {
  const std::string path = directory_.file(name());
  write_results(world_, table_of(world_, 20, Spread::modulo), nullptr, path);
  const std::string before = content_of(path);

  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limited{20000, unlimited.rlim_max};
  if (world_.rank() == world_.size() - 1) setrlimit(RLIMIT_FSIZE, &limited);
  const std::string message = failure_of(table_of(world_, 3000, Spread::modulo), path);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, previous);

  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{name()});
}

TEST_P(ResultFaults, a_column_that_is_too_short_on_one_rank_is_refused_on_all) {
  ResultTable table = table_of(world_, 30, Spread::modulo);
  if (world_.rank() == world_.size() - 1) std::get<std::vector<double>>(table.columns[0].values).pop_back();
  const std::string message = failure_of(table, directory_.file(name()));
  EXPECT_NE(message.find("'real'"), std::string::npos) << message;
  EXPECT_TRUE(directory_.listing().empty());
}

TEST_P(ResultFaults, ids_out_of_order_are_refused) {
  ResultTable table = table_of(world_, 30, Spread::modulo);
  if (world_.rank() == 0) std::swap(table.ids[0], table.ids[1]);
  const std::string message = failure_of(table, directory_.file(name()));
  EXPECT_NE(message.find("ascending"), std::string::npos) << message;
  EXPECT_TRUE(directory_.listing().empty());
}

INSTANTIATE_TEST_SUITE_P(Formats, ResultFaults, testing::Values(".txt", ".h5"),
                         [](const auto& format) { return format.param.substr(1); });

} // namespace
} // namespace pregel
