// A driver that ends in every way a driver can end; driver_errors.sh looks at what the shell sees.
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/log.hpp"
#include "core/runtime.hpp"

namespace {

core::ExitCode end_as_told(const core::Communicator& world, int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  const bool last = world.rank() == world.size() - 1;
  if (how == "well") return core::ExitCode::success;
  if (how == "requeue") return core::ExitCode::requeue;
  if (how == "option") throw core::InputError("unknown option --frobnicate");
  if (how == "agreed") {
    core::agree(world, [&] {
      if (last) throw core::Error("disk full");
    });
  }
  if (how == "agreed-input") {
    core::agree(world, [&] {
      if (last) throw core::InputError("graph.e:7: not a number");
    });
  }
  if (how == "alone-waited-for") { // the others hang in a collective call
    if (last) throw std::runtime_error("lost my way");
    core::barrier(world);
  }
  if (how == "alone-at-the-end" && last) throw std::bad_alloc();
  if (how == "each-its-own") throw core::Error("rank " + std::to_string(world.rank()) + " has its own trouble");
  if (how == "no-exception-class") throw 42;
  if (how == "log") {
    core::log_info("information");
    core::log_debug("details");
    core::log_warning("warning: careful");
  }
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("probe", argc, argv, end_as_told);
}
