// Training state as tables of a checkpoint (core/checkpoint/table.hpp):
//
//   parameters   a row a parameter: index, value, and a column for each state of the update rule
//   keys         of a sparse table: a row a key: key, its steps, and lists `values` and the rule's states
//   workers      a row a worker that has a copy of its own: worker, and lists `parameters` and the rule's states
//
// Rows find their way to the ranks that own them now, so a state of P ranks and S servers restores on any others.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/checkpoint/table.hpp"
#include "core/communicator.hpp"
#include "ps/table/sparse_table.hpp"
#include "ps/training/roles.hpp"
#include "ps/update/update_rule.hpp"

namespace ps {

/// Parameters first .. first + values.size() - 1 with what `rule` (may be null) remembers of them, which begins at
/// entry `in_rule` of its states. Local.
template <class T>
[[nodiscard]] core::checkpoint::Table parameter_table(std::size_t first, std::span<const T> values, UpdateRule<T>* rule,
                                                      std::size_t in_rule = 0);

/// Fills this rank's parameters, consecutive ones, and the states of its rule from the tables that all ranks have read;
/// `owner` names the rank of a parameter. PsError on all ranks when some are missing. Collective.
template <class T>
void take_parameters(const core::Communicator& comm, std::span<const core::checkpoint::Part> parts,
                     const std::function<int(std::size_t index)>& owner, std::span<T> values, UpdateRule<T>* rule);

/// What a server of a sparse table holds, `width` values a key. Local.
template <class T>
[[nodiscard]] core::checkpoint::Table key_table(const SparseContent<T>& content, std::size_t width);

/// The keys of which `owner` names this rank, from the tables that all ranks have read. Collective.
template <class T>
[[nodiscard]] SparseContent<T> take_keys(const core::Communicator& comm, std::span<const core::checkpoint::Part> parts,
                                         const std::function<int(std::uint64_t key)>& owner);

/// A worker's own copy of the parameters.
template <class T>
struct CopyOfWorker {
  std::size_t worker = 0;
  std::span<T> parameters;
  UpdateRule<T>* rule = nullptr; ///< never null
};

/// At least one copy. Local.
template <class T>
[[nodiscard]] core::checkpoint::Table worker_table(std::span<const CopyOfWorker<T>> copies);

/// Fills the copies of this rank's workers, which are listed in ascending order. Errors as above. Collective.
template <class T>
void take_workers(const core::Communicator& comm, std::span<const core::checkpoint::Part> parts, const Roles& roles,
                  std::span<const CopyOfWorker<T>> copies);

} // namespace ps
