// Programs whose result depends on what was aggregated, and on what their master has decided.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "resumption_programs.hpp"

namespace pregel::testing_support {

/// An aggregator of every kind and type, most of them fed in some supersteps only, with numbers that break careless
/// sums. The value is a digest of all that was read.
struct Census {
  using Value = std::uint64_t;
  using Message = std::uint64_t;

  SumAggregator<double> exact{}, infinite{}, undefined{};
  SumAggregator<std::int64_t> balance{};
  SumAggregator<std::uint64_t> total{};
  MinAggregator<double> low{};
  MaxAggregator<double> high{};
  MinAggregator<std::int64_t> first{};
  MaxAggregator<std::uint64_t> last{};
  AndAggregator all{};
  OrAggregator any{};
  CountAggregator count{};
  SumAggregator<double> never{};

  void declare(AggregatorRegistry& registry) {
    exact = registry.sum<double>("exact");
    infinite = registry.sum<double>("infinite");
    undefined = registry.sum<double>("undefined");
    balance = registry.sum<std::int64_t>("balance");
    total = registry.sum<std::uint64_t>("total");
    low = registry.min<double>("low");
    high = registry.max<double>("high");
    first = registry.min<std::int64_t>("first");
    last = registry.max<std::uint64_t>("last");
    all = registry.logical_and("all");
    any = registry.logical_or("any");
    count = registry.count("count");
    never = registry.sum<double>("never");
  }

  static double nasty(std::uint64_t id, std::uint64_t k) {
    constexpr double kNasty[] = {1e308, -1e308, 5e-324, -5e-324, 0.1, 1e16, -1e16, 3.0e-200, -0.0};
    return kNasty[scramble(id, k) % std::size(kNasty)];
  }

  void feed(std::uint64_t id, Context& context) const {
    const std::uint64_t k = context.superstep();
    if (k % 3 != 2) context.aggregate(exact, nasty(id, k));
    if (k == 1 || k == 4) context.aggregate(infinite, id % 2 == 0 ? std::numeric_limits<double>::infinity() : 1.0);
    if (k == 2 || k == 3) context.aggregate(undefined, std::numeric_limits<double>::quiet_NaN());
    context.aggregate(balance, static_cast<std::int64_t>(scramble(id, k) >> 8U) - (std::int64_t{1} << 54U));
    context.aggregate(total, scramble(k, id));
    if (k % 2 == 0) context.aggregate(low, -fraction(id, k));
    if (k % 2 == 1) context.aggregate(high, k == 5 ? -std::numeric_limits<double>::infinity() : fraction(id, k));
    context.aggregate(first,
                      std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(scramble(id, k) >> 9U));
    context.aggregate(last, scramble(id, k));
    context.aggregate(all, id % 64 != k);
    if (k != 3) context.aggregate(any, id % 64 == k);
    if (id % 2 == 0) context.aggregate(count, 1);
  }

  template <class T>
  static void digest(std::uint64_t& value, const std::optional<T>& x) {
    std::uint64_t bits = 7;
    if (x) {
      if constexpr (std::same_as<T, double>)
        bits = std::bit_cast<std::uint64_t>(*x);
      else
        bits = static_cast<std::uint64_t>(*x);
    }
    value = scramble(value + (x ? 1 : 0), bits);
  }

  void compute(Vertex<Census>& vertex, std::span<const Message>, Context& context) const {
    std::uint64_t& value = vertex.value();
    digest(value, context.aggregated(exact));
    digest(value, context.aggregated(infinite));
    digest(value, context.aggregated(undefined));
    digest(value, context.aggregated(balance));
    digest(value, context.aggregated(total));
    digest(value, context.aggregated(low));
    digest(value, context.aggregated(high));
    digest(value, context.aggregated(first));
    digest(value, context.aggregated(last));
    digest(value, context.aggregated(all));
    digest(value, context.aggregated(any));
    digest(value, context.aggregated(count));
    digest(value, context.aggregated(never));
    if (context.superstep() < 6)
      feed(number(vertex.id()), context);
    else
      vertex.vote_to_halt();
  }
};

/// A master that leads from phase to phase, and remembers; what vertices do is the phase's. kSaves: it can be saved.
template <bool kSaves>
struct Phases {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static constexpr bool always_active = true;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return a + b; }

  CountAggregator odd{};
  std::uint32_t phase = 0;
  std::vector<std::uint64_t> memory{};

  void declare(AggregatorRegistry& registry) { odd = registry.count("odd"); }
  void compute(Vertex<Phases>& vertex, std::span<const Message> messages, Context& context) const {
    std::uint64_t sum = memory.empty() ? 0 : memory.back();
    for (const Message m : messages) sum += m;
    vertex.value() = scramble(vertex.value() + sum, phase);
    if (vertex.value() % 2 == 1) context.aggregate(odd, 1);
    if (phase % 2 == 0) vertex.send_to_neighbors(vertex.value());
  }
  void master(MasterContext& context) {
    memory.push_back(context.aggregated(odd).value_or(12345));
    if (memory.back() % 3 != 0 || context.superstep() % 2 == 1) ++phase;
    if (context.superstep() == 7) context.halt();
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned) requires kSaves {
    archive& phase;
    archive& memory;
  }
};

} // namespace pregel::testing_support
