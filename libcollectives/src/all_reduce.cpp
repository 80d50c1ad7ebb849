// The public face of the reducer.
#include "collectives/all_reduce.hpp"

#include <exception>

#include <fmt/format.h>

#include "reducer.hpp"

namespace collectives {

bool check_by_default() noexcept {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

Chunk chunk_of(std::size_t count, int ranks, int rank) noexcept {
  const auto m = static_cast<std::size_t>(ranks), r = static_cast<std::size_t>(rank);
  const std::size_t length = count / m, longer = count % m;
  return {r * length + std::min(r, longer), length + (r < longer ? 1 : 0)};
}

AllReduceHandle::AllReduceHandle(detail::Reducer& reducer, detail::Call& call)
    : reducer_(&reducer), call_(&call), exceptions_(std::uncaught_exceptions()) {}

AllReduceHandle::AllReduceHandle(AllReduceHandle&& other) noexcept
    : reducer_(other.reducer_), call_(std::exchange(other.call_, nullptr)), exceptions_(other.exceptions_) {}

AllReduceHandle& AllReduceHandle::operator=(AllReduceHandle&& other) noexcept {
  std::swap(reducer_, other.reducer_);
  std::swap(call_, other.call_);
  std::swap(exceptions_, other.exceptions_);
  return *this;
}

AllReduceHandle::~AllReduceHandle() {
  if (call_ == nullptr) return;
  if (std::uncaught_exceptions() > exceptions_) {
    reducer_->abandon(*call_);
    return;
  }
  try {
    wait();
  } catch (...) { // whoever wants to know waits; the reducer refuses what follows
  }
}

bool AllReduceHandle::test() {
  if (call_ == nullptr) return true;
  detail::Call* const call = std::exchange(call_, nullptr); // the reducer keeps it if this throws
  if (reducer_->test(*call)) return true;
  call_ = call;
  return false;
}

void AllReduceHandle::wait() {
  if (call_ != nullptr) reducer_->wait(*std::exchange(call_, nullptr));
}

AllReducer::AllReducer(const core::Communicator& comm, AllReduceOptions options)
    : reducer_(std::make_unique<detail::Reducer>(comm, std::move(options))) {}
AllReducer::~AllReducer() = default;

void AllReducer::all_reduce_erased(const void* input, void* output, std::size_t count, ElementType type,
                                   std::optional<Operation> operation) {
  reducer_->run(
      {detail::Kind::all_reduce, type, element_bytes(type), operation, nullptr, {&input, 1}, output, count, nullptr});
}

void AllReducer::all_reduce_erased(const void* input, void* output, std::size_t count, std::size_t element_bytes,
                                   const UserFunction& function) {
  reducer_->run({detail::Kind::all_reduce,
                 ElementType::opaque,
                 element_bytes,
                 {},
                 &function,
                 {&input, 1},
                 output,
                 count,
                 nullptr});
}

AllReduceHandle AllReducer::start_all_reduce_erased(const void* input, void* output, std::size_t count,
                                                    ElementType type, std::optional<Operation> operation) {
  return {*reducer_, reducer_->start({detail::Kind::all_reduce,
                                      type,
                                      element_bytes(type),
                                      operation,
                                      nullptr,
                                      {&input, 1},
                                      output,
                                      count,
                                      nullptr})};
}

AllReduceHandle AllReducer::start_all_reduce_erased(const void* input, void* output, std::size_t count,
                                                    std::size_t element_bytes, const UserFunction& function) {
  return {*reducer_, reducer_->start({detail::Kind::all_reduce,
                                      ElementType::opaque,
                                      element_bytes,
                                      {},
                                      &function,
                                      {&input, 1},
                                      output,
                                      count,
                                      nullptr})};
}

void AllReducer::reduce_scatter_erased(const void* input, void* chunk, std::size_t count, ElementType type,
                                       std::optional<Operation> operation) {
  reducer_->run({detail::Kind::reduce_scatter,
                 type,
                 element_bytes(type),
                 operation,
                 nullptr,
                 {&input, 1},
                 chunk,
                 count,
                 nullptr});
}

void AllReducer::all_gather_erased(const void* chunk, void* all, std::size_t count, std::size_t element_bytes) {
  reducer_->run(
      {detail::Kind::all_gather, ElementType::opaque, element_bytes, {}, nullptr, {&chunk, 1}, all, count, nullptr});
}

void AllReducer::all_reduce_many_erased(const WorkerLayout& layout, std::span<const void* const> addends, void* result,
                                        std::size_t count, ElementType type, std::optional<Operation> operation) {
  reducer_->run(
      {detail::Kind::all_reduce_many, type, element_bytes(type), operation, nullptr, addends, result, count, &layout});
}

void* AllReducer::allocate_erased(std::size_t bytes) {
  return reducer_->allocate(bytes);
}

int AllReducer::rank() const noexcept {
  return reducer_->rank();
}
int AllReducer::size() const noexcept {
  return reducer_->size();
}
const AllReduceOptions& AllReducer::options() const noexcept {
  return reducer_->options();
}
const Topology& AllReducer::topology() const noexcept {
  return reducer_->topology();
}
Algorithm AllReducer::algorithm_for(std::size_t count, ElementType type) const {
  return reducer_->choose(detail::Kind::all_reduce, type, reducer_->options().operation, count * element_bytes(type))
      .algorithm;
}
std::size_t AllReducer::bytes_sent() const noexcept {
  return reducer_->bytes_sent();
}
std::size_t AllReducer::steps() const noexcept {
  return reducer_->steps();
}

void AllReducer::require_equal_lengths(std::size_t a, std::size_t b) {
  if (a != b) throw core::Error(fmt::format("all-reduce: a buffer has {} elements where {} are needed", b, a));
}

} // namespace collectives
