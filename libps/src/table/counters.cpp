// Counters on a window that only the home rank has memory in.
#include "ps/table/counters.hpp"

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "ps/error.hpp"

namespace ps {
namespace {

std::size_t elements_here(const core::Communicator& comm, std::size_t count, int home) {
  core::agree(comm, [&] {
    if (home < 0 || home >= comm.size())
      throw PsError(fmt::format("counters cannot live at rank {}: the job has ranks 0 to {}", home, comm.size() - 1));
  });
  return comm.rank() == home ? count : 0;
}

} // namespace

Counters::Counters(const core::Communicator& comm, std::size_t count, int home)
    : count_(count), home_(home), window_(comm, elements_here(comm, count, home)) {}

std::int64_t Counters::read(std::size_t counter) {
  require(counter);
  return window_.fetch_and_op(0, home_, counter, core::RmaOperation::keep);
}

void Counters::read_all(std::span<std::int64_t> values) {
  if (values.empty()) return;
  require(values.size() - 1);
  window_.atomic_get(values, home_, 0);
  window_.flush(home_);
}

std::int64_t Counters::add(std::size_t counter, std::int64_t addend) {
  require(counter);
  return window_.fetch_and_op(addend, home_, counter, core::RmaOperation::sum);
}

void Counters::write(std::size_t counter, std::int64_t value) {
  require(counter);
  window_.accumulate(std::span<const std::int64_t>(&value, 1), home_, counter, core::RmaOperation::replace);
  window_.flush(home_);
}

void Counters::raise(std::size_t counter, std::int64_t value) {
  require(counter);
  window_.accumulate(std::span<const std::int64_t>(&value, 1), home_, counter, core::RmaOperation::max);
  window_.flush(home_);
}

void Counters::require(std::size_t counter) const {
  if (counter >= count_) throw PsError(fmt::format("there are {} counters: number {} does not exist", count_, counter));
}

} // namespace ps
