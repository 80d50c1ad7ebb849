#include "algorithm_choice.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_line.hpp"
#include "core/error.hpp"
#include "pregel/algorithms/algorithm.hpp"

namespace drivers {
namespace {

using core::InputError;

void add_run_options(CLI::App& app, AlgorithmChoice& o) {
  app.add_option("--source", o.source, "source vertex (bfs, sssp, ppr, bc)")->group("Run");
  app.add_option("--sources", o.sources_file,
                 "file with a source a line: one run for each, on the same loaded graph (bc: one run, the sum of all)")
      ->group("Run");
  app.add_option("--iterations", o.iterations,
                 "exactly N updates: pagerank, ppr, hits (instead of --tolerance), cdlp, random-walk (10)")
      ->check(whole_number())
      ->group("Run");
  app.add_option("--damping", o.damping, "pagerank, ppr: probability of following an edge (0.85)")
      ->check(real_between(0, 1))
      ->group("Run");
  app.add_option("--tolerance", o.tolerance, "pagerank, ppr, hits: stop when no vertex changes by as much (1e-9)")
      ->check(real_between(0, std::numeric_limits<double>::max()))
      ->group("Run");
  app.add_option("--max-supersteps", o.max_supersteps, "stop after N supersteps (default: none)")
      ->check(whole_number(1))
      ->group("Run");
  app.add_option(
         "--variant", o.variant,
         "standard, textbook (pagerank, sssp, wcc, matching), sage (gcn) or local-halt (pagerank, wrong on purpose)")
      ->capture_default_str()
      ->group("Run");
  app.add_option("--combiner", o.combiner, "off: deliver every message by itself")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->group("Run");
  app.add_option("--values", o.values_file,
                 "start values, a line \"id value\" each (aggregate), or \"id value value ...\" (gcn)")
      ->group("Run");
  app.add_option("--p", o.walk_p, "random-walk: reluctance to go back (1)")
      ->check(real_between(1e-6, 1e6))
      ->group("Run");
  app.add_option("--q", o.walk_q, "random-walk: reluctance to go away from the last vertex's neighbours (1)")
      ->check(real_between(1e-6, 1e6))
      ->group("Run");
  app.add_option("--layers", o.layers, "gcn: number of layers (2)")->check(CLI::Range(1, 1000))->group("Run");
  app.add_option("--width", o.width, "gcn: columns of a vertex's row (16)")->check(CLI::Range(1, 4096))->group("Run");
  app.add_option("--sample", o.sample, "gcn --variant sage: neighbours that a vertex draws in each layer (10)")
      ->check(whole_number(1))
      ->group("Run");
  app.add_flag("--parents", o.parents, "bfs: also write each vertex's parent (smallest id one level nearer)")
      ->group("Run");
  app.add_option("--seed", o.seed, "of the vertex programs' random numbers")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Run");
  app.add_option("--repeat", o.repeat, "run N times; run_seconds is the median")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group("Run");
}

void add_output_options(CLI::App& app, AlgorithmChoice& o) {
  app.add_option("--output", o.output,
                 "results: text \"id value\" a line, CSV with a header if the name ends in .csv, or HDF5 if in .h5; of "
                 "the last run")
      ->group("Output");
  app.add_option("--trace", o.trace, "CSV, a row a superstep; counts deliveries exactly")->group("Output");
  app.add_option("--trace-vertices", o.trace_vertices, "CSV, a row a vertex a superstep (small graphs)")
      ->group("Output");
  app.add_option("--top", o.top, "print the N vertices with the largest values")
      ->check(whole_number())
      ->group("Output");
  app.add_flag("--summary", o.summary, "print extremes, quantiles and a distribution of the result, or its groups")
      ->group("Output");
}
/// Options that only some algorithms read, as far as they were given.
std::vector<std::string_view> given_algorithm_options(const AlgorithmChoice& o) {
  std::vector<std::string_view> given;
  if (o.damping) given.emplace_back("--damping");
  if (o.tolerance) given.emplace_back("--tolerance");
  if (o.iterations) given.emplace_back("--iterations");
  if (o.parents) given.emplace_back("--parents");
  if (o.walk_p) given.emplace_back("--p");
  if (o.walk_q) given.emplace_back("--q");
  if (o.layers) given.emplace_back("--layers");
  if (o.width) given.emplace_back("--width");
  if (o.sample) given.emplace_back("--sample");
  if (!o.values_file.empty()) given.emplace_back("--values");
  return given;
}

bool reads(const pregel::Algorithm& algorithm, std::string_view option) {
  return std::ranges::find(algorithm.options, option) != algorithm.options.end();
}

void check_words(const AlgorithmChoice& o) {
  const pregel::Algorithm& algorithm = pregel::find_algorithm(o.algorithm);
  const bool many_runs = o.repeat > 1 || !o.sources_file.empty();
  if (many_runs && !(o.trace.empty() && o.trace_vertices.empty()))
    throw InputError("--trace and --trace-vertices describe one run; leave --repeat and --sources out");
  if (std::ranges::find(algorithm.variants, o.variant) == algorithm.variants.end()) {
    throw InputError(
        fmt::format("--variant {}: {} has {}", o.variant, o.algorithm, fmt::join(algorithm.variants, ", ")));
  }
  for (const std::string_view option : given_algorithm_options(o)) {
    if (reads(algorithm, option)) continue;
    std::vector<std::string_view> readers;
    for (const pregel::Algorithm& other : pregel::algorithms())
      if (reads(other, option)) readers.push_back(other.name);
    throw InputError(
        fmt::format("{} does not go with {}; it is for {}", option, o.algorithm, fmt::join(readers, ", ")));
  }
  if (o.sample && o.variant != "sage") throw InputError("--sample goes with --variant sage only");
  if (o.iterations && o.tolerance)
    throw InputError("give either --iterations or --tolerance: one of them ends the run");
  if (o.tolerance == 0.0 && o.max_supersteps == AlgorithmChoice{}.max_supersteps)
    throw InputError("--tolerance 0 is never reached, as roundings go on for ever; give --max-supersteps too");
  if (o.iterations && o.variant != "standard") {
    throw InputError(
        fmt::format("--iterations goes with --variant standard only; use --max-supersteps with {}", o.variant));
  }
  if (algorithm.takes_sources) {
    if (!o.source.empty() && !o.sources_file.empty()) throw InputError("give either --source ID or --sources FILE");
    return;
  }
  if (algorithm.needs_source && o.source.empty() == o.sources_file.empty()) {
    throw InputError(o.algorithm + " needs either --source ID or --sources FILE");
  }
  if (!algorithm.needs_source && !(o.source.empty() && o.sources_file.empty())) {
    throw InputError(o.algorithm + " has no source; leave --source and --sources out");
  }
}

/// Runs `check`; its errors say which --then they are about.
template <class F>
void in_words_of(const std::string& then, F&& check) {
  try {
    check();
  } catch (const InputError& error) {
    throw InputError(fmt::format("--then \"{}\": {}", then, error.what()));
  }
}

/// `first` as far as it means something to `algorithm`: what a --then says nothing about.
AlgorithmChoice inherited(const AlgorithmChoice& first, const pregel::Algorithm& algorithm) {
  AlgorithmChoice choice = first;
  choice.output = choice.trace = choice.trace_vertices = {};
  if (std::ranges::find(algorithm.variants, choice.variant) == algorithm.variants.end()) choice.variant = "standard";
  if (!algorithm.needs_source && !algorithm.takes_sources) choice.source = choice.sources_file = {};
  if (!reads(algorithm, "--damping")) choice.damping.reset();
  if (!reads(algorithm, "--tolerance")) choice.tolerance.reset();
  if (!reads(algorithm, "--iterations")) choice.iterations.reset();
  if (!reads(algorithm, "--p")) choice.walk_p.reset();
  if (!reads(algorithm, "--q")) choice.walk_q.reset();
  if (!reads(algorithm, "--layers")) choice.layers.reset();
  if (!reads(algorithm, "--width")) choice.width.reset();
  if (!reads(algorithm, "--sample")) choice.sample.reset();
  if (!reads(algorithm, "--values")) choice.values_file.clear();
  choice.parents = choice.parents && reads(algorithm, "--parents");
  return choice;
}

/// A quote at the beginning of a word, or of a value behind `=`, must have its end: CLI11 takes all that follows for
/// one word, and a file would get a name that nobody meant.
void require_closed_quotes(const std::string& text) {
  const auto begins_quote = [&](std::size_t at) {
    const bool is_quote = text[at] == '\'' || text[at] == '"' || text[at] == '`';
    return is_quote && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '=');
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins_quote(at)) continue;
    std::size_t end = text.find(text[at], at + 1);
    while (end != std::string::npos && text[end - 1] == '\\') end = text.find(text[at], end + 1);
    if (end == std::string::npos)
      throw InputError(fmt::format("the quote {} in {} is not closed", text[at], text.substr(at)));
    at = end;
  }
}

/// Parses the words of a --then with `app`, which knows afterwards what was given.
void parse_words(CLI::App& app, const std::string& text, const CLI::App& job) {
  app.name("pregel");
  app.set_help_flag();
  std::vector<std::string> words = CLI::detail::split_up(text);
  for (const std::string& word : words) {
    const std::string option = word.substr(0, word.find('='));
    const bool of_the_job = option.starts_with("-") && job.get_option_no_throw(option) != nullptr;
    if (of_the_job && app.get_option_no_throw(option) == nullptr)
      throw InputError(option + " is for the whole job; it does not go into a --then");
  }
  std::ranges::reverse(words); // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw InputError(reason_of(app, error) + " (see pregel --help)");
  }
}

} // namespace

void add_algorithm_options(CLI::App& app, AlgorithmChoice& choice) {
  app.add_option("algorithm", choice.algorithm, "what to compute (see below)")->required();
  add_run_options(app, choice);
  add_output_options(app, choice);
  for (const char* name : {"--source", "--sources", "--values", "--output", "--trace", "--trace-vertices"})
    app.get_option(name)->check(not_empty());
}

AlgorithmChoice parse_then(const std::string& text, const AlgorithmChoice& first, const CLI::App& job) {
  AlgorithmChoice choice;
  in_words_of(text, [&] {
    require_closed_quotes(text);
    CLI::App glance;
    add_algorithm_options(glance, choice);
    parse_words(glance, text, job);
    choice = inherited(first, pregel::find_algorithm(choice.algorithm));
    CLI::App app;
    add_algorithm_options(app, choice);
    parse_words(app, text, job);
    // Of two ways to say one thing the one that was said here counts.
    const auto given = [&](const char* option) { return app.count(option) != 0; };
    if (given("--iterations") && !given("--tolerance")) choice.tolerance.reset();
    if (given("--tolerance") && !given("--iterations")) choice.iterations.reset();
    if (choice.variant != "sage" && !given("--sample")) choice.sample.reset();
    if (given("--source") && !given("--sources")) choice.sources_file.clear();
    if (given("--sources") && !given("--source")) choice.source.clear();
    choice.then = text;
  });
  return choice;
}
void check_choice(const AlgorithmChoice& choice) {
  if (choice.then.empty())
    check_words(choice);
  else
    in_words_of(choice.then, [&] { check_words(choice); });
}

} // namespace drivers
