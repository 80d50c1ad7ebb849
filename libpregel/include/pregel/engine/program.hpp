// What a vertex program is.
//
//   struct LargestId {
//     using Value = std::uint64_t;    // kept by each vertex
//     using Message = std::uint64_t;  // sent along arcs
//     static Message combine(Message a, Message b) { return std::max(a, b); }
//     static constexpr bool combine_in_any_order = true;
//     void compute(pregel::Vertex<LargestId>& vertex, std::span<const Message> messages, pregel::Context& context)
//     const;
//   };
//
// compute() runs in every superstep on every vertex that is active or has messages; all vertices are active in
// superstep 0. A vertex stays active until it votes to halt; a message wakes it. compute() is const and runs on several
// threads: a vertex touches only itself. Messages sent in superstep k arrive in k+1, with a combiner as a span of one,
// else one by one in ascending order of the senders' ids.
//
// Everything else is optional and found by its name:
//   combine(a, b)          associative and commutative; folded in ascending order of the senders' ids
//   combine_in_any_order   true when the order cannot change a bit (min, max, and, or, integer sum): allows PUSH
//   along(m, weight)       applied, for each arc, to a message sent to all neighbours
//   neutral()              a message that combine() ignores, along() keeps and nobody sends (infinity for min):
//                          spares PULL a test an arc
//   needs_messages(value)  false: messages to this vertex may be left out (it has settled); it is not computed for them
//   one_is_enough          combine(first, any) == first: PULL stops at the first sender that published
//   always_active          nobody votes; the master ends the job (saves the bookkeeping of who is active)
//   declare(registry)      makes the aggregators (aggregators.hpp)
//   begin_superstep(ctx)   on the program itself, before the vertices, once a superstep on each rank
//   master(ctx)            after the barrier, on every rank with equal aggregates: read them, change the program, wake
//                          all vertices for a new phase, halt the job; must do the same on every rank
//   serialize(archive, n)  saves and restores what master() has changed, so that the job can be checkpointed
//
// A Message that is not trivially copyable travels by Boost.Serialization and needs its serialize(). Inside it ids must
// be written as std::uint64_t, because Boost.Serialization cuts every enum to an int.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

namespace boost::archive {
class binary_oarchive;
class binary_iarchive;
} // namespace boost::archive

namespace pregel {

class Context;
class MasterContext;
class AggregatorRegistry;
template <class P>
class Vertex;

template <class P>
concept VertexProgram = requires(const P& program, Vertex<P>& vertex, std::span<const typename P::Message> messages,
                                 Context& context) {
  typename P::Value;
  typename P::Message;
  program.compute(vertex, messages, context);
};

template <class P>
concept HasCombiner = requires(const P& p, const typename P::Message& m) {
  { p.combine(m, m) } -> std::convertible_to<typename P::Message>;
};
template <class P>
concept CombinesInAnyOrder = HasCombiner<P> && requires {
  requires P::combine_in_any_order;
};
template <class P>
concept ChangesAlongArcs = requires(const P& p, const typename P::Message& m) {
  { p.along(m, 1.0) } -> std::convertible_to<typename P::Message>;
};
template <class P>
concept HasNeutralMessage = HasCombiner<P> && requires {
  { P::neutral() } -> std::convertible_to<typename P::Message>;
};
template <class P>
concept SettlesVertices = requires(const P& p, const typename P::Value& v) {
  { p.needs_messages(v) } -> std::convertible_to<bool>;
};
template <class P>
concept OneIsEnough = requires {
  requires P::one_is_enough;
};
template <class P>
concept AlwaysActive = requires {
  requires P::always_active;
};
template <class P>
concept DeclaresAggregators = requires(P& p, AggregatorRegistry& r) {
  p.declare(r);
};
template <class P>
concept PreparesSupersteps = requires(P& p, const Context& c) {
  p.begin_superstep(c);
};
template <class P>
concept HasMaster = requires(P& p, MasterContext& c) {
  p.master(c);
};
/// master() that leaves the program as it is.
template <class P>
concept HasConstantMaster = requires(const P& p, MasterContext& c) {
  p.master(c);
};
/// The program saves and restores its own state: void serialize(Archive&, unsigned version), as Boost.Serialization has
/// it.
template <class P>
concept HasSerializableState = requires(P& p, boost::archive::binary_oarchive& out,
                                        boost::archive::binary_iarchive& in) {
  p.serialize(out, 0U);
  p.serialize(in, 0U);
};

} // namespace pregel
