#include "report.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/metrics.hpp"

namespace ringbench {
namespace {

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string bandwidth_text(double bytes_per_second) {
  return fmt::format("{:.3f}", bytes_per_second / 1e9);
}

std::size_t most(std::span<const std::size_t> values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

const char* place_of(const Options& options) {
  return options.in_window ? "in the all-reducer's memory" : options.in_place ? "in place" : "out of place";
}

} // namespace

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

void print_head(const Options& options, const Circumstances& where, std::span<const std::string> remarks) {
  const collectives::Topology& topology = where.topology;
  fmt::print("# {}, {} ranks on {} node{}, {} {}, {}, load {:.1f}; bandwidths in GB/s\n", name_of(options.collective),
             topology.ranks, topology.nodes, topology.nodes == 1 ? "" : "s", name_of(options.type),
             options.collective == Collective::all_gather ? "" : collectives::name_of(options.operation),
             place_of(options), where.load);
  for (const std::string& remark : remarks) fmt::print("# {}\n", remark);
  fmt::print("{:>11} {:>10}  {:<22} {:>10} {:>10} {:>10} {:>8} {:>8} {:>6} {:>11} {:>6}\n", "bytes", "count",
             "algorithm", "median", "min", "p99", "algbw", "busbw", "x MPI", "sent", "errors");
  std::fflush(stdout);
}

void print_rows(const Options& options, int ranks, std::span<const Measurement> measurements) {
  for (const Measurement& m : measurements) {
    const double bandwidth = m.algorithm_bandwidth();
    fmt::print("{:>11} {:>10}  {:<22} {:>10} {:>10} {:>10} {:>8} {:>8} {:>6} {:>11} {:>6}\n", m.bytes, m.count,
               m.algorithm, time_text(m.median), time_text(m.min), time_text(m.p99), bandwidth_text(bandwidth),
               bandwidth_text(bandwidth * traffic_factor(options.collective, ranks)),
               m.times_mpi ? fmt::format("{:.2f}", *m.times_mpi) : "-",
               m.bytes_sent.empty() ? "-" : fmt::format("{}", most(m.bytes_sent)), m.errors);
  }
  std::fflush(stdout);
}

void write_json_report(const Options& options, const Circumstances& where, std::span<const Measurement> measurements) {
  const collectives::Topology& topology = where.topology;
  nlohmann::json document;
  document["op"] = name_of(options.collective);
  document["operation"] = collectives::name_of(options.operation);
  document["place"] = place_of(options);
  document["topology"] = {
      {"ranks", topology.ranks}, {"nodes", topology.nodes}, {"shared_memory", topology.shared_memory}};
  document["results"] = nlohmann::json::array();
  for (const Measurement& m : measurements) {
    const double bandwidth = m.algorithm_bandwidth();
    nlohmann::json row{{"algorithm", m.algorithm},
                       {"runs_as", m.runs_as},
                       {"ranks", topology.ranks},
                       {"bytes", m.bytes},
                       {"count", m.count},
                       {"type", name_of(options.type)},
                       {"seconds_median", m.median},
                       {"seconds_min", m.min},
                       {"seconds_p99", m.p99},
                       {"rounds", m.rounds},
                       {"calls_in_a_round", m.calls_in_a_round},
                       {"algbw", bandwidth},
                       {"busbw", bandwidth * traffic_factor(options.collective, topology.ranks)},
                       {"errors", m.errors}};
    row["times_mpi"] = m.times_mpi ? nlohmann::json(*m.times_mpi) : nlohmann::json();
    row["bytes_sent"] = m.bytes_sent.empty() ? nlohmann::json() : nlohmann::json(most(m.bytes_sent));
    row["bytes_sent_by_rank"] = m.bytes_sent;
    row["steps"] = m.bytes_sent.empty() ? nlohmann::json() : nlohmann::json(m.steps);
    document["results"].push_back(std::move(row));
  }
  document["stamp"] = core::build_stamp();
  document["stamp"]["command_line"] = where.command_line;
  document["stamp"]["load_average"] = where.load;
  core::write_json(*options.json, document);
}

void write_csv_report(const Options& options, int ranks, std::span<const Measurement> measurements) {
  core::AtomicFile file(*options.csv);
  file.write(
      "op,algorithm,runs_as,ranks,bytes,count,type,seconds_median,seconds_min,seconds_p99,algbw,busbw,times_mpi,"
      "bytes_sent,steps,errors\n");
  for (const Measurement& m : measurements) {
    const double bandwidth = m.algorithm_bandwidth();
    const bool known = !m.bytes_sent.empty();
    file.write(fmt::format(
        "{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{}\n", name_of(options.collective),
        m.algorithm, m.runs_as, ranks, m.bytes, m.count, name_of(options.type), m.median, m.min, m.p99, bandwidth,
        bandwidth * traffic_factor(options.collective, ranks), m.times_mpi ? fmt::format("{:.6g}", *m.times_mpi) : "",
        known ? fmt::format("{}", most(m.bytes_sent)) : "", known ? fmt::format("{}", m.steps) : "", m.errors));
  }
  file.commit();
}

} // namespace ringbench
