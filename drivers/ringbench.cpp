// ringbench: all-reduce algorithms side by side, by size. The parts are in drivers/ringbench.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/runtime.hpp"
#include "ringbench/contestant.hpp"
#include "ringbench/measurement.hpp"
#include "ringbench/mpi_contestant.hpp"
#include "ringbench/options.hpp"
#include "ringbench/report.hpp"

namespace {

using ringbench::Measurement;
using ringbench::Options;

std::string command_line_of(int argc, char** argv) {
  std::string line = "ringbench";
  for (int i = 1; i < argc; ++i) line += fmt::format(" {}", argv[i]);
  return line;
}

/// Wrong elements of our algorithms; MPI's are its own affair, and shown.
std::size_t our_errors(const std::vector<Measurement>& measurements) {
  std::size_t errors = 0;
  for (const Measurement& m : measurements) {
    if (!m.bytes_sent.empty()) errors += m.errors;
  }
  return errors;
}

core::ExitCode run(const core::Communicator& world, const Options& options, const std::string& command_line) {
  const bool speaks = world.rank() == 0;
  core::agree(world, [&] {
    if (options.tuning) (void)collectives::TuningTable::from_file(*options.tuning);
    if (options.tune) (void)ringbench::tuning_at(*options.tune);
  });
  std::vector<std::string> remarks;
  const ringbench::Circumstances where{ringbench::topology_of(world, options), ringbench::load_average(), command_line};
  const auto contestants = ringbench::contestants_of(world, options, remarks);
  ringbench::Measuring measuring(world, options, contestants);

  if (speaks && !options.quiet) ringbench::print_head(options, where, remarks);
  std::vector<Measurement> all;
  for (const std::size_t count : ringbench::counts_of(options)) {
    const std::vector<Measurement> measurements = measuring.measure(count);
    if (speaks && !options.quiet) ringbench::print_rows(options, world.size(), measurements);
    all.insert(all.end(), measurements.begin(), measurements.end());
  }

  core::agree(world, [&] {
    if (!speaks) return;
    if (options.json) ringbench::write_json_report(options, where, all);
    if (options.csv) ringbench::write_csv_report(options, world.size(), all);
    if (options.tune) ringbench::write_tuning(*options.tune, options, where.topology, all);
  });
  if (const std::size_t errors = our_errors(all); errors > 0)
    throw core::Error(fmt::format("{} elements of results are wrong", errors));
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  ringbench::allow_forced_mpi_algorithms(argc, argv);
  return core::run_driver("ringbench", argc, argv, [](const core::Communicator& world, int count, char** words) {
    const auto options = ringbench::parse_options(count, words, world.rank() == 0);
    if (!options) return core::ExitCode::success;
    return run(world, *options, command_line_of(count, words));
  });
}
