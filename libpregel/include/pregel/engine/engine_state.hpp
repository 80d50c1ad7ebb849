// Saving and restoring a run: the typed half. Values and messages are stored as they are if they are trivially
// copyable, else as Boost.Serialization archives, one an element, so that they can be dealt out to other ranks. Mirrors
// are not stored: their owners send them again.
#pragma once

#include <sstream>
#include <string>

#include "pregel/engine/engine.hpp"

namespace pregel {

namespace detail {

template <class T>
[[nodiscard]] std::string to_archive(const T& x) {
  std::ostringstream out;
  {
    boost::archive::binary_oarchive archive(out, boost::archive::no_header);
    archive << x;
  }
  return out.str();
}

template <class T>
void from_archive(const std::string& bytes, T& x) {
  std::istringstream in(bytes);
  boost::archive::binary_iarchive archive(in, boost::archive::no_header);
  archive >> x;
}

/// Adds a column of at(0) .. at(rows-1).
template <class T, class At>
void add_column(core::checkpoint::Table& table, const std::string& name, At&& at) {
  const std::size_t rows = table.rows();
  if constexpr (std::is_empty_v<T>) {
    return;
  } else if constexpr (core::Transferable<T>) {
    std::vector<T> cells;
    cells.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) cells.push_back(at(i));
    table.add<T>(name, std::span<const T>(cells));
  } else {
    std::vector<std::uint64_t> counts;
    std::string bytes;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string cell = to_archive(at(i));
      counts.push_back(cell.size());
      bytes += cell;
    }
    table.add_list<std::uint8_t>(
        name, std::move(counts),
        std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
}

/// Calls put(i, x) for each cell of such a column.
template <class T, class Put>
void read_column(const core::checkpoint::Table& table, const std::string& name, Put&& put) {
  if constexpr (std::is_empty_v<T>) {
    for (std::size_t i = 0; i < table.rows(); ++i) put(i, T{});
  } else if constexpr (core::Transferable<T>) {
    const std::span<const T> cells = table.column<T>(name);
    for (std::size_t i = 0; i < cells.size(); ++i) put(i, cells[i]);
  } else {
    const std::span<const std::uint64_t> counts = table.counts(name);
    const std::span<const std::uint8_t> bytes = table.column<std::uint8_t>(name);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < counts.size(); begin += counts[i++]) {
      T x;
      from_archive(std::string(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                               bytes.begin() + static_cast<std::ptrdiff_t>(begin + counts[i])),
                   x);
      put(i, std::move(x));
    }
  }
}

} // namespace detail

template <class P>
const char* Engine<P>::why_not_saved() const noexcept {
  if constexpr (HasMaster<P> && !HasConstantMaster<P> && !HasSerializableState<P>)
    return "its master() changes the program, which has no serialize(archive, version) to save what changed";
  else
    return nullptr;
}

template <class P>
std::string Engine<P>::save_program() const {
  std::ostringstream out;
  if constexpr (HasSerializableState<P>) {
    boost::archive::binary_oarchive archive(out, boost::archive::no_header);
    const_cast<P&>(program_).serialize(archive, 0U); // one function for both ways: saving does not change it
  }
  return out.str();
}

template <class P>
void Engine<P>::load_program([[maybe_unused]] const std::string& bytes) {
  if constexpr (HasSerializableState<P>) {
    std::istringstream in(bytes);
    boost::archive::binary_iarchive archive(in, boost::archive::no_header);
    program_.serialize(archive, 0U);
  }
}

template <class P>
core::checkpoint::Part Engine<P>::save_tables() const {
  using core::checkpoint::Table;
  Table vertices("vertices", graph_.local_count);
  vertices.add<GlobalId>("id", std::span<const GlobalId>(graph_.slot_ids.data(), graph_.local_count));
  detail::add_column<Value>(vertices, "value", [&](std::size_t v) -> const Value& { return values_[v]; });
  if constexpr (!AlwaysActive<P>) {
    detail::add_column<std::uint8_t>(vertices, "active", [&](std::size_t v) {
      return static_cast<std::uint8_t>(active_.contains(static_cast<std::uint32_t>(v)) ? 1 : 0);
    });
    vertices.add<std::uint32_t>("last_computed", last_computed_);
  }

  std::vector<std::uint32_t> published;
  for (std::uint32_t v = 0; v < graph_.local_count; ++v) {
    if (incoming_.all || incoming_.set.contains(v)) published.push_back(v);
  }
  Table messages("messages", published.size());
  detail::add_column<GlobalId>(messages, "sender", [&](std::size_t i) { return graph_.slot_ids[published[i]]; });
  if constexpr (kHasContent)
    detail::add_column<Message>(messages, "message",
                                [&](std::size_t i) -> const Message& { return incoming_.messages[published[i]]; });

  Table direct("direct", direct_.size());
  const auto& unread = direct_.all();
  detail::add_column<GlobalId>(direct, "target", [&](std::size_t i) { return graph_.id_of(unread[i].target); });
  detail::add_column<GlobalId>(direct, "sender", [&](std::size_t i) { return unread[i].sender; });
  detail::add_column<Message>(direct, "message", [&](std::size_t i) -> const Message& { return unread[i].message; });

  core::checkpoint::Part part;
  part.push_back(std::move(vertices));
  part.push_back(std::move(messages));
  part.push_back(std::move(direct));
  return part;
}

template <class P>
void Engine<P>::load_tables(const core::checkpoint::Part& part) {
  const auto local = [&](GlobalId id) {
    const std::optional<LocalId> v = graph_.find(id);
    if (!v) throw GraphError("the checkpoint has vertex " + std::to_string(number(id)) + ", which the graph lacks");
    return *v;
  };
  const core::checkpoint::Table& vertices = core::checkpoint::require_table(part, "vertices");
  if (vertices.rows() != graph_.local_count)
    throw GraphError("the checkpoint has " + std::to_string(vertices.rows()) + " of this rank's " +
                     std::to_string(graph_.local_count) + " vertices");
  const std::span<const GlobalId> ids = vertices.column<GlobalId>("id");
  std::vector<std::uint32_t> at;
  at.reserve(ids.size());
  for (const GlobalId id : ids) at.push_back(index(local(id)));
  detail::read_column<Value>(vertices, "value", [&](std::size_t i, Value value) { values_[at[i]] = std::move(value); });
  active_.clear();
  if constexpr (!AlwaysActive<P>) {
    detail::read_column<std::uint8_t>(vertices, "active", [&](std::size_t i, std::uint8_t active) {
      if (active != 0) active_.insert(at[i]);
    });
    detail::read_column<std::uint32_t>(vertices, "last_computed",
                                       [&](std::size_t i, std::uint32_t k) { last_computed_[at[i]] = k; });
  }

  const core::checkpoint::Table& messages = core::checkpoint::require_table(part, "messages");
  incoming_.set.clear();
  at.clear();
  for (const GlobalId id : messages.column<GlobalId>("sender")) {
    at.push_back(index(local(id)));
    incoming_.set.insert(at.back());
  }
  if constexpr (kHasContent)
    detail::read_column<Message>(messages, "message",
                                 [&](std::size_t i, Message m) { incoming_.messages[at[i]] = std::move(m); });

  const core::checkpoint::Table& direct = core::checkpoint::require_table(part, "direct");
  const std::span<const GlobalId> targets = direct.column<GlobalId>("target");
  const std::span<const GlobalId> senders = direct.column<GlobalId>("sender");
  direct_.clear();
  detail::read_column<Message>(direct, "message", [&](std::size_t i, Message m) {
    direct_.add({local(targets[i]), senders[i], std::move(m)});
  });
  direct_.sort();
}

template <class P>
void Engine<P>::refill_mirrors(bool all_published) {
  (void)boundary_.exchange(incoming_.messages, incoming_.set, all_published);
  if (all_published) incoming_.set.clear();
  incoming_.all = all_published;
}

} // namespace pregel
