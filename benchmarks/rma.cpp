// rma_bench: what a parameter table costs above the bare one-sided calls of MPI, in one run.
//
//   mpirun -n 2 rma_bench [--min 8 --max 16M] [--repetitions N] [--json FILE]
//
// Rank 0 is the server and does what a server does: look into its mailboxes and let MPI progress. All other ranks are
// workers that make the same call at the same time (with two ranks: one worker, no contention; with one rank, the
// server works itself). The contestants of a size take turns, call by call and in a random order, so that a
// machine that is disturbed disturbs all of them; shown are medians of the slowest worker's time, and the median of the
// ratio to the bare call of the same turn.
//
//   push        MPI_Accumulate(sum) of the whole vector, flush   against DenseTable::push
//   pull        MPI_Get, flush; MPI_Get_accumulate(no_op), flush  against DenseTable::pull and pull_racy
//   deposit     MPI_Put, flush                                   against Mailboxes::deposit
//   count       MPI_Fetch_and_op, flush                          against Counters::add
//
// A plain MPI_Get promises less than a pull: it must not meet an accumulate.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include "command_line.hpp"
#include "core/clock.hpp"
#include "core/collectives.hpp"
#include "core/metrics.hpp"
#include "core/patience.hpp"
#include "core/random.hpp"
#include "core/runtime.hpp"
#include "ps/table/counters.hpp"
#include "ps/table/dense_table.hpp"
#include "ps/table/mailboxes.hpp"

namespace {

constexpr int kServer = 0;

struct Options {
  std::size_t min_bytes = 8, max_bytes = std::size_t{16} << 20;
  std::size_t repetitions = 0; ///< 0: by size
  std::string json;
  bool quiet = false;
};

std::optional<Options> parse_options(int argc, char** argv, bool printing) {
  Options options;
  CLI::App app("Push, pull and deposit through parameter tables against the bare one-sided calls of MPI", "rma_bench");
  const CLI::AsSizeValue size(false);
  app.add_option("--min", options.min_bytes, "Smallest vector in bytes; K and M are powers of 1024")->transform(size);
  app.add_option("--max", options.max_bytes, "Largest vector")->transform(size);
  app.add_option("--repetitions", options.repetitions, "Calls of each contestant; 0: from 11 to 201, by size");
  app.add_option("--json", options.json, "Write the results to this file");
  app.add_flag("--quiet", options.quiet, "No table");
  if (drivers::answers_itself(app, argc, argv, printing)) return std::nullopt;
  if (options.min_bytes < sizeof(float) || options.max_bytes < options.min_bytes)
    throw core::InputError("--min must be at least 4 and not above --max");
  return options;
}

/// A window without our wrapper: what the tables are compared with.
template <class T>
class BareWindow {
 public:
  BareWindow(const core::Communicator& comm, std::size_t count) {
    const bool owner = comm.rank() == kServer;
    T* base = nullptr;
    core::check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(owner ? count * sizeof(T) : 0), sizeof(T), MPI_INFO_NULL,
                                     comm.native(), &base, &handle),
                    "MPI_Win_allocate");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, handle);
    if (owner) std::fill_n(base, count, T{});
    MPI_Win_sync(handle);
    core::barrier(comm);
  }
  BareWindow(const BareWindow&) = delete;
  BareWindow& operator=(const BareWindow&) = delete;
  ~BareWindow() {
    MPI_Win_unlock_all(handle);
    MPI_Win_free(&handle);
  }

  MPI_Win handle = MPI_WIN_NULL;
};

/// Everything that is measured on vectors of one length.
struct Subjects {
  Subjects(const core::Communicator& comm, std::size_t workers, std::size_t elements)
      : count(static_cast<int>(elements)),
        bare(comm, elements),
        bare_slot(comm, elements),
        bare_counter(comm, 1),
        table(comm, elements, {kServer}),
        boxes(comm, elements, {kServer}, workers),
        counters(comm, 1, kServer),
        out(elements, 1.0F),
        in(elements) {}

  int count;
  BareWindow<float> bare;
  BareWindow<float> bare_slot; // like a mailbox: only written, and never found in a cache because others used it
  BareWindow<std::int64_t> bare_counter;
  ps::DenseTable<float> table;
  ps::Mailboxes<float> boxes;
  ps::Counters counters;
  std::vector<float> out, in;
  std::int64_t ticket = 0;
};

struct Contestant {
  std::string name;
  std::size_t reference; ///< index of the bare call that it is compared with
  std::function<void(Subjects&)> call;
  std::function<void(Subjects&)> afterwards = nullptr; ///< not measured
};

void flush(const Subjects& s) {
  MPI_Win_flush(kServer, s.bare.handle);
}

std::vector<Contestant> contestants(std::size_t worker, bool serves, const std::function<void(Subjects&)>& serve) {
  const auto accumulate = [](Subjects& s) {
    MPI_Accumulate(s.out.data(), s.count, MPI_FLOAT, kServer, 0, s.count, MPI_FLOAT, MPI_SUM, s.bare.handle);
    flush(s);
  };
  const auto get = [](Subjects& s) {
    MPI_Get(s.in.data(), s.count, MPI_FLOAT, kServer, 0, s.count, MPI_FLOAT, s.bare.handle);
    flush(s);
  };
  const auto get_accumulate = [](Subjects& s) {
    MPI_Get_accumulate(nullptr, 0, MPI_FLOAT, s.in.data(), s.count, MPI_FLOAT, kServer, 0, s.count, MPI_FLOAT,
                       MPI_NO_OP, s.bare.handle);
    flush(s);
  };
  const auto put = [](Subjects& s) {
    MPI_Put(s.out.data(), s.count, MPI_FLOAT, kServer, 0, s.count, MPI_FLOAT, s.bare_slot.handle);
    MPI_Win_flush(kServer, s.bare_slot.handle);
  };
  const auto fetch_and_op = [](Subjects& s) {
    const std::int64_t one = 1;
    std::int64_t before = 0;
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, kServer, 0, MPI_SUM, s.bare_counter.handle);
    MPI_Win_flush(kServer, s.bare_counter.handle);
  };
  const auto until_free = [worker, serves, serve](Subjects& s) {
    core::Patience patience;
    while (!s.boxes.is_free(worker)) {
      if (serves) serve(s);
      patience.pause();
    }
  };
  return {{"MPI_Accumulate", 0, accumulate},
          {"push", 0, [](Subjects& s) { s.table.push(0, s.out); }},
          {"MPI_Get", 2, get},
          {"MPI_Get_accumulate", 2, get_accumulate},
          {"pull", 2, [](Subjects& s) { s.table.pull(0, s.in); }},
          {"pull_racy", 2, [](Subjects& s) { s.table.pull_racy(0, s.in); }},
          {"MPI_Put", 6, put},
          {"deposit", 6, [worker](Subjects& s) { s.boxes.deposit(worker, s.out, s.ticket++); }, until_free},
          {"MPI_Fetch_and_op", 8, fetch_and_op},
          {"Counters::add", 8, [](Subjects& s) { s.ticket = s.counters.add(0, 1); }}};
}

/// The server's loop body.
void serve(Subjects& s) {
  for (const auto& letter : s.boxes.full()) s.boxes.release(letter.worker);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Result {
  std::string name;
  std::size_t bytes;
  double seconds, ratio; ///< ratio: speed against the bare call
  std::string reference;
};

/// The order of a turn, the same on all ranks. Random, because each call finds in the caches what the one before left.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t turn) {
  core::CounterRandom random(turn);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// One worker's turns; the times are those of the slowest worker. Collective over `workers`.
std::vector<std::vector<double>> take_turns(const core::Communicator& workers, Subjects& subjects,
                                            const std::vector<Contestant>& all, std::size_t repetitions) {
  constexpr std::size_t kWarmUp = 3;
  std::vector<std::vector<double>> times(all.size());
  for (std::size_t turn = 0; turn < repetitions + kWarmUp; ++turn) {
    for (const std::size_t c : shuffled(all.size(), turn)) {
      if (workers.size() > 1) core::barrier(workers);
      const core::Stopwatch watch;
      all[c].call(subjects);
      const double seconds = watch.seconds();
      if (all[c].afterwards) all[c].afterwards(subjects);
      if (turn >= kWarmUp) times[c].push_back(core::all_reduce_value(workers, seconds, core::Reduce::max));
    }
  }
  return times;
}

std::vector<Result> results_of(const std::vector<Contestant>& all, const std::vector<std::vector<double>>& times,
                               std::size_t bytes) {
  std::vector<Result> results;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const std::size_t reference = all[c].reference;
    std::vector<double> ratios;
    for (std::size_t turn = 0; turn < times[c].size(); ++turn)
      ratios.push_back(times[reference][turn] / times[c][turn]);
    const bool one_word = reference == 8;
    results.push_back(
        {all[c].name, one_word ? sizeof(std::int64_t) : bytes, median(times[c]), median(ratios), all[reference].name});
  }
  return results;
}

void print_rows(const std::vector<Result>& results) {
  for (const Result& r : results)
    fmt::print("{:>11} {:<20} {:>11.2f} {:>8.3f} {:>9.2f} x {}\n", r.bytes, r.name, r.seconds * 1e6,
               static_cast<double>(r.bytes) / r.seconds / 1e9, r.ratio, r.reference);
  std::fflush(stdout);
}

/// `--mca osc NAME` reaches the program as a variable.
std::string component() {
  const char* const name = std::getenv("OMPI_MCA_osc");
  return name != nullptr ? name : "chosen by MPI";
}

void write_report(const Options& options, int ranks, const std::vector<Result>& results) {
  nlohmann::json document;
  document["ranks"] = ranks;
  document["workers"] = std::max(ranks - 1, 1);
  document["component"] = component();
  document["results"] = nlohmann::json::array();
  for (const Result& r : results)
    document["results"].push_back({{"name", r.name},
                                   {"bytes", r.bytes},
                                   {"seconds_median", r.seconds},
                                   {"bytes_per_second", static_cast<double>(r.bytes) / r.seconds},
                                   {"reference", r.reference},
                                   {"times_reference", r.ratio}});
  document["stamp"] = core::build_stamp();
  core::write_json(options.json, document);
}

std::size_t repetitions_of(const Options& options, std::size_t bytes) {
  if (options.repetitions > 0) return options.repetitions;
  return bytes <= (64 << 10) ? 201 : bytes <= (1 << 20) ? 51 : bytes <= (4 << 20) ? 31 : 11;
}

core::ExitCode run(const core::Communicator& world, const Options& options) {
  const bool serves = world.rank() == kServer, works = world.size() == 1 || !serves;
  const auto workers = static_cast<std::size_t>(std::max(world.size() - 1, 1));
  const core::Communicator group = world.split(works ? 1 : 0, world.rank());
  const bool speaks = works && group.rank() == 0;
  const auto all = contestants(works ? static_cast<std::size_t>(group.rank()) : 0, serves, serve);
  std::vector<Result> results;
  if (speaks && !options.quiet) {
    fmt::print("# {} worker{}, one server, float; one-sided component: {}\n{:>11} {:<20} {:>11} {:>8} {:>9}\n", workers,
               workers == 1 ? "" : "s", component(), "bytes", "call", "microsec.", "GB/s", "speed");
  }
  for (std::size_t bytes = options.min_bytes; bytes <= options.max_bytes; bytes *= 2) {
    Subjects subjects(world, workers, bytes / sizeof(float));
    if (works) {
      const auto times = take_turns(group, subjects, all, repetitions_of(options, bytes));
      const std::vector<Result> rows = results_of(all, times, bytes);
      if (speaks && !options.quiet) print_rows(rows);
      results.insert(results.end(), rows.begin(), rows.end());
    }
    core::Request all_here = core::start_barrier(world);
    while (!all_here.test())
      if (serves) serve(subjects);
  }
  if (speaks && !options.json.empty()) write_report(options, world.size(), results);
  return core::ExitCode::success;
}

} // namespace

int main(int argc, char** argv) {
  return core::run_driver("rma_bench", argc, argv, [](const core::Communicator& world, int count, char** words) {
    const std::optional<Options> options = parse_options(count, words, world.rank() == 0);
    return options ? run(world, *options) : core::ExitCode::success;
  });
}
