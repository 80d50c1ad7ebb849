// A vertex program that throws on one rank ends the job on all ranks, with the same error.
#include <span>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "core/temporary_directory.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/support/pregel_testing.hpp"

namespace pregel {
namespace {

using testing_support::build;
using testing_support::world;

enum class Where { begin, compute, master };
enum class Kind { standard, core_error, input_error, something };

/// Sends for ever; vertex 13 throws in superstep `superstep`.
struct Thrower {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static Message combine(Message a, Message b) { return a + b; }
  Where where;
  Kind kind;
  std::uint64_t superstep;
  int owner; // of vertex 13

  void fail() const {
    switch (kind) {
      case Kind::standard: throw std::runtime_error("no more luck");
      case Kind::core_error: throw core::Error("no more luck");
      case Kind::input_error: throw core::InputError("no more luck");
      case Kind::something: throw 42;
    }
  }
  void begin_superstep(const Context& context) const {
    if (where == Where::begin && context.superstep() == superstep && world().rank() == owner) fail();
  }
  void compute(Vertex<Thrower>& vertex, std::span<const Message>, Context& context) const {
    if (where == Where::compute && context.superstep() == superstep && number(vertex.id()) == 13) fail();
    vertex.send_to_neighbors(1);
  }
  void master(MasterContext& context) const { // equal on all ranks, so it throws on all
    if (where == Where::master && context.superstep() == superstep) fail();
    if (context.superstep() == 10) context.halt();
  }
};

class Failures : public testing::TestWithParam<std::tuple<Where, Kind, std::uint64_t>> {};

std::string failure_name(const testing::TestParamInfo<Failures::ParamType>& instance) {
  static const char* const kWhere[] = {"Begin", "Compute", "Master"};
  static const char* const kKinds[] = {"Standard", "CoreError", "InputError", "Something"};
  const auto [where, kind, superstep] = instance.param;
  return std::string(kWhere[static_cast<int>(where)]) + kKinds[static_cast<int>(kind)] + "Superstep" +
         std::to_string(superstep);
}
INSTANTIATE_TEST_SUITE_P(All, Failures,
                         testing::Combine(testing::Values(Where::begin, Where::compute, Where::master),
                                          testing::Values(Kind::standard, Kind::core_error, Kind::input_error,
                                                          Kind::something),
                                          testing::Values(0, 1, 4)),
                         failure_name);

TEST_P(Failures, ReachAllRanks) {
  const auto [where, kind, superstep] = GetParam();
  const DistributedGraph graph = build(oracle::random_graph(50, 300, true, 7));
  const int owner = graph.owner(GlobalId{13});
  const test::TemporaryDirectory directory(world());
  core::ThreadTeam team(1);
  RunOptions options;
  options.trace_file = directory.file("trace.csv");
  std::string message;
  try {
    Engine<Thrower>(graph, {where, kind, superstep, owner}, team, options).run();
    ADD_FAILURE() << "no error on rank " << world().rank();
  } catch (const core::Error& error) {
    message = error.what();
    if (where != Where::master) {
      EXPECT_EQ(error.rank(), owner);
    }
    EXPECT_EQ(error.exit_code(), kind == Kind::input_error ? core::ExitCode::bad_input : core::ExitCode::failure);
  } catch (const std::exception& error) {
    message = error.what();
    EXPECT_EQ(where, Where::master) << "not agreed on";
  } catch (int) {
    EXPECT_EQ(where, Where::master) << "not agreed on";
  }
  if (kind != Kind::something) {
    EXPECT_NE(message.find("no more luck"), std::string::npos) << message;
  }
  core::barrier(world());
  EXPECT_EQ(test::files_in(directory.path()), 0U) << "half a trace is left";
  core::barrier(world());

  // The graph is as good as before.
  const RunReport report = Engine<Thrower>(graph, {where, kind, 100, owner}, team, {}).run();
  EXPECT_EQ(report.supersteps(), 11U);
  EXPECT_EQ(report.messages_sent(), 11 * graph.arc_count);
}

/// A text that one rank cannot write down.
struct Unwritable {
  std::string text;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    if (Archive::is_saving::value && world().rank() == world().size() - 1) throw std::runtime_error("no more ink");
    archive& text;
  }
};

/// Everybody writes to vertex 0.
struct WritesHome {
  using Value = std::uint64_t;
  using Message = Unwritable;
  void compute(Vertex<WritesHome>& vertex, std::span<const Message>, Context&) const {
    vertex.send(GlobalId{0}, {"greetings"});
    vertex.vote_to_halt();
  }
};

TEST(SerializeFailures, ReachAllRanks) {
  const DistributedGraph graph = build(oracle::random_graph(50, 300, true, 7));
  core::ThreadTeam team(1);
  Engine<WritesHome> engine(graph, {}, team, {});
  try {
    engine.run();
    ADD_FAILURE() << "no error on rank " << world().rank();
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no more ink"), std::string::npos) << error.what();
    EXPECT_EQ(error.rank(), world().size() - 1);
  }
}

} // namespace
} // namespace pregel
