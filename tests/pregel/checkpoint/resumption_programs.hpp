// Vertex programs that make a state as rich as it can be. What each of them depends on is in its comment: a checkpoint
// that leaves it out changes the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "pregel/engine/engine.hpp"

namespace pregel::testing_support {

/// A number that looks random and follows from two others.
[[nodiscard]] inline std::uint64_t scramble(std::uint64_t a, std::uint64_t b) {
  return core::mix64(core::mix64(a) ^ (b * 0x9e3779b97f4a7c15ULL));
}
/// 0.1, 0.2 ...: sums of them round.
[[nodiscard]] inline double fraction(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(scramble(a, b) % 97 + 1) / 10;
}

/// What programs that write to given ids know: who there is.
struct Correspondents {
  const std::vector<std::uint64_t>* ids;
  std::uint64_t last = 6; ///< superstep in which nobody sends any more

  /// Whom `id` writes to in a superstep: near and far, some more than once, and in some supersteps nobody.
  [[nodiscard]] std::vector<GlobalId> targets(std::uint64_t id, std::uint64_t superstep) const {
    std::vector<GlobalId> targets;
    if (superstep >= last) return targets;
    const std::uint64_t lot = scramble(id, superstep);
    for (std::uint64_t i = 0; i < lot % 4; ++i) targets.push_back(GlobalId{(*ids)[(lot >> 8U) % ids->size()]});
    if (lot % 3 == 0) targets.push_back(GlobalId{(*ids)[(lot >> 32U) % ids->size()]});
    return targets;
  }
  [[nodiscard]] static bool publishes(std::uint64_t id, std::uint64_t superstep) {
    return superstep % 4 == 1 || scramble(superstep, id) % 3 == 0;
  }
};

/// Messages one by one, to neighbours and to given ids: the value depends on their order, and on each of them.
struct Letters {
  using Value = double;
  using Message = double;
  Correspondents post;

  void compute(Vertex<Letters>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    double& value = vertex.value();
    if (k == 0) value = 1;
    for (const Message m : messages) value = value * 1.1 + m;
    double part = fraction(id, k);
    for (const GlobalId target : post.targets(id, k)) vertex.send(target, part += 1.3);
    if (k < post.last && Correspondents::publishes(id, k)) vertex.send_to_neighbors(value / 3);
    if (scramble(id, k + 99) % 2 == 0 || k >= post.last) vertex.vote_to_halt();
  }
};

/// The same with a combiner that ignores order, with and without direct messages.
struct SmallestLetters {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  static constexpr bool combine_in_any_order = true;
  static Message combine(Message a, Message b) { return std::min(a, b); }
  static Message along(Message m, double weight) { return m + static_cast<std::uint64_t>(weight); }
  Correspondents post;

  void compute(Vertex<SmallestLetters>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    if (k == 0) vertex.value() = id;
    for (const Message m : messages) vertex.value() = scramble(vertex.value(), m);
    for (const GlobalId target : post.targets(id, k)) vertex.send(target, vertex.value() / 2);
    if (k < post.last && Correspondents::publishes(id, k)) vertex.send_to_neighbors(vertex.value() / 4);
    vertex.vote_to_halt();
  }
};

/// A sum that rounds: its combiner is applied in the order of senders.
struct SummedLetters {
  using Value = double;
  using Message = double;
  static Message combine(Message a, Message b) { return a + b; }
  Correspondents post;

  void compute(Vertex<SummedLetters>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    for (const Message m : messages) vertex.value() = vertex.value() / 3 + m;
    if (k == 0) vertex.value() = fraction(id, 5);
    for (const GlobalId target : post.targets(id, k)) vertex.send(target, vertex.value() + fraction(id, k));
    if (k < post.last && Correspondents::publishes(id, k)) vertex.send_to_neighbors(vertex.value() / 7);
    vertex.vote_to_halt();
  }
};

/// Values and messages that travel as archives.
struct Chronicle {
  using Message = std::string;
  struct Value {
    std::map<std::string, std::vector<std::uint32_t>> heard;
    std::string last;

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& heard;
      archive& last;
    }
  };
  Correspondents post;

  void compute(Vertex<Chronicle>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    for (const Message& m : messages) {
      vertex.value().heard[m.substr(0, 3)].push_back(static_cast<std::uint32_t>(m.size()));
      vertex.value().last = m;
    }
    std::string text = std::to_string(id % 1000) + std::string(scramble(id, k) % 40, 'x');
    for (const GlobalId target : post.targets(id, k)) vertex.send(target, text += "y");
    if (k < post.last && Correspondents::publishes(id, k))
      vertex.send_to_neighbors(id % 5 == 0 ? std::string() : vertex.value().last.substr(0, 9) + text);
    vertex.vote_to_halt();
  }
};

/// Messages without content, values in archives.
struct Knocks {
  struct Message {};
  using Value = std::vector<std::uint64_t>;
  Correspondents post;

  void compute(Vertex<Knocks>& vertex, std::span<const Message> messages, Context& context) const {
    const std::uint64_t id = number(vertex.id()), k = context.superstep();
    if (!messages.empty()) vertex.value().push_back(k * 1000 + messages.size());
    for (const GlobalId target : post.targets(id, k)) vertex.send(target, {});
    if (k < post.last && Correspondents::publishes(id, k)) vertex.send_to_neighbors({});
    vertex.vote_to_halt();
  }
};

/// Nobody is computed unless a message wakes it: a saved state without its messages ends at once.
struct Sleepers {
  using Value = std::uint64_t;
  using Message = std::uint64_t;
  const std::vector<std::uint64_t>* ids;

  void compute(Vertex<Sleepers>& vertex, std::span<const Message> messages, Context& context) const {
    if (context.superstep() == 0 && number(vertex.id()) == ids->front()) vertex.send(GlobalId{ids->back()}, 1);
    for (const Message hop : messages) {
      vertex.value() = vertex.value() * 31 + hop;
      if (hop < 8) vertex.send(GlobalId{(*ids)[scramble(hop, 3) % ids->size()]}, hop + 1);
    }
    vertex.vote_to_halt();
  }
};

/// Random numbers are keyed by the superstep.
struct Dice {
  using Value = std::uint64_t;
  using Message = double;
  static constexpr bool always_active = true;

  void compute(Vertex<Dice>& vertex, std::span<const Message>, Context& context) const {
    core::CounterRandom random = context.random(vertex.id());
    vertex.value() = scramble(vertex.value(), random.below(1'000'000'007));
  }
  void master(MasterContext& context) const {
    if (context.superstep() == 5) context.halt();
  }
};

} // namespace pregel::testing_support
