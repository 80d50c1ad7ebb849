// Coroutines that describe an algorithm once, for blocking and for background calls alike.
//
// An algorithm is written as if it blocked: it co_awaits a group of messages, or a condition in shared memory. In a
// blocking call the waiting really happens there (Until in call.hpp) and the coroutine never suspends; in a background
// call it suspends, and whoever tests the call's handle resumes it once the condition holds. A Task may co_await
// another Task.
//
// Frames come from a small stack inside the call, so that starting an algorithm allocates nothing.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

namespace collectives::detail {

struct Call;

/// Last in, first out: nested coroutines end before those that await them. What does not fit comes from the heap.
class FrameStack {
 public:
  [[nodiscard]] void* push(std::size_t bytes) {
    const std::size_t whole = kHeader + (bytes + kHeader - 1) / kHeader * kHeader;
    const bool fits = whole <= sizeof(memory_) - used_;
    std::byte* const block = fits ? memory_ + used_ : static_cast<std::byte*>(::operator new(whole));
    if (fits) used_ += whole;
    new (block) FrameStack*(fits ? this : nullptr);
    return block + kHeader;
  }
  static void pop(void* frame) noexcept {
    std::byte* const block = static_cast<std::byte*>(frame) - kHeader;
    FrameStack* const stack = *reinterpret_cast<FrameStack**>(block);
    if (stack != nullptr)
      stack->used_ = static_cast<std::size_t>(block - stack->memory_);
    else
      ::operator delete(block);
  }

 private:
  static constexpr std::size_t kHeader = 2 * alignof(std::max_align_t); // where a frame came from
  static constexpr std::size_t kBytes = 6144;

  std::size_t used_ = 0;
  alignas(kHeader) std::byte memory_[kBytes];
};

/// The frames of a call (call.hpp). Local.
[[nodiscard]] FrameStack& frames_of(Call& call) noexcept;

/// A coroutine without a result whose first parameter is the Call it works for. Starts when it is awaited or resumed.
class [[nodiscard]] Task {
 public:
  struct promise_type { // NOLINT(readability-identifier-naming): the name that the language looks for
    std::coroutine_handle<> continuation;
    std::exception_ptr error;

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Continue {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          const std::coroutine_handle<> next = ended.promise().continuation;
          return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Continue{};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }

    template <class... Rest>
    static void* operator new(std::size_t bytes, Call& call, Rest&...) {
      return frames_of(call).push(bytes);
    }
    static void operator delete(void* frame) noexcept { FrameStack::pop(frame); }
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    other.clear();
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { clear(); }

  /// Begins the outermost coroutine.
  void start() { handle_.resume(); }
  [[nodiscard]] bool done() const noexcept { return handle_.done(); }
  /// After the end: what the coroutine threw, if anything; and throws it.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return handle_.promise().error; }
  void rethrow() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }
  void clear() noexcept {
    if (handle_) handle_.destroy();
    handle_ = nullptr;
  }

  // co_await of a nested coroutine: runs it here as far as it comes; only if it has to wait is the outer one suspended.
  bool await_ready() {
    handle_.resume();
    return handle_.done();
  }
  void await_suspend(std::coroutine_handle<> outer) noexcept { handle_.promise().continuation = outer; }
  void await_resume() const { rethrow(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_ = nullptr;
};

} // namespace collectives::detail
