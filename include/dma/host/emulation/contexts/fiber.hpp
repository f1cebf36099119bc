#pragma once

#include <dma/host/emulation/contexts/exception_state.hpp>
#include <dma/host/emulation/contexts/platform.hpp>
#include <dma/host/emulation/contexts/sanitized_stack.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dma::inline v0_1::host::detail {

/// Where a stack is in memory.
struct StackRange {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept { return address - first < bytes; }
};
/// The stack of the emulated thread that runs: no other thread of a GPU has access to it. All memory where none runs.
inline thread_local StackRange running_stack{0, SIZE_MAX};

/// A function with its own stack. `resume()` continues it; `suspend()`, called inside, returns from `resume()`.
///
/// Cost    two context switches for each `resume()`; a stack of `stack_bytes`, which the next fiber reuses
template <FiberPlatform Platform>
class BasicFiber {
 public:
  static constexpr std::size_t stack_bytes = Platform::stack_bytes;

  explicit BasicFiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
    stack_->sanitized.begin();
    stack_->fiber = this;
  }
  ~BasicFiber() {
    if (!is_given_up_) {
      (is_abandoned_ ? abandoned_stacks() : spare_stacks()).push_back(std::move(stack_));
    }
  }
  BasicFiber(const BasicFiber&) = delete;
  BasicFiber& operator=(const BasicFiber&) = delete;

  void resume() {
    is_started_ = true;
    switch_between(resumer_, sanitized_resumer_, stack_->context, stack_->sanitized);
    stack_->memory.expect_not_overrun();
  }
  void suspend() { switch_between(stack_->context, stack_->sanitized, resumer_, sanitized_resumer_); }

  /// Called inside, in a signal's handler too: ends the fiber where it is, without unwinding its stack.
  __attribute__((no_sanitize("thread"))) void abandon() {
    is_abandoned_ = is_finished_ = true;
    stack_->sanitized.leave_for(sanitized_resumer_, true);
    stack_->context.leave_for(resumer_);
  }

  /// The same at the end of a run: nothing uses what is on its stack.
  __attribute__((no_sanitize("thread"))) void give_up() {
    is_given_up_ = true;
    abandon();
  }

  [[nodiscard]] bool is_abandoned() const noexcept { return is_abandoned_; }
  [[nodiscard]] StackRange stack() const noexcept {
    return {reinterpret_cast<std::uintptr_t>(stack_->memory.bottom()), stack_bytes};
  }
  [[nodiscard]] bool is_started() const noexcept { return is_started_; }
  [[nodiscard]] bool is_finished() const noexcept { return is_finished_; }
  /// The exception that left the body, null where none did.
  [[nodiscard]] std::exception_ptr error() const noexcept { return error_; }

 private:
  using Context = typename Platform::Context;

  /// A stack, which runs one fiber after another.
  struct Stack {
    explicit Stack(std::size_t bytes)
        : memory(bytes),
          sanitized(memory.bottom(), bytes),
          context(memory.bottom(), bytes - offset_of_next(), &BasicFiber::run_on, this) {}
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    /// Stacks begin at different offsets in their pages. At one offset all would use the same few sets of the cache:
    /// fibers take turns after some hundred instructions.
    [[nodiscard]] static std::size_t offset_of_next() {
      static thread_local std::size_t next = 0;
      return next++ % 16 * 256;
    }

    typename Platform::Memory memory;
    SanitizedStack sanitized;
    Context context;
    BasicFiber* fiber = nullptr;  ///< that runs on it
  };

  /// Stacks of destroyed fibers, for reuse: mapping a stack and declaring it to a sanitizer costs more than running on
  /// it.
  static std::vector<std::unique_ptr<Stack>>& spare_stacks() {
    static thread_local std::vector<std::unique_ptr<Stack>> spare;
    return spare;
  }
  /// Stacks of abandoned fibers: objects of the kernel are on them.
  static std::vector<std::unique_ptr<Stack>>& abandoned_stacks() {
    static thread_local auto* const abandoned = new std::vector<std::unique_ptr<Stack>>;
    return *abandoned;
  }
  static std::unique_ptr<Stack> take_stack() {
    auto& spare = spare_stacks();
    if (spare.empty()) {
      return std::make_unique<Stack>(stack_bytes);
    }
    auto stack = std::move(spare.back());
    spare.pop_back();
    return stack;
  }

  // Without instrumentation of the thread sanitizer: one fiber enters, another leaves.
  __attribute__((no_sanitize("thread"))) static void switch_between(Context& from, SanitizedStack& from_stack,
                                                                    Context& to, SanitizedStack& to_stack) {
    ExceptionState& state = ExceptionState::running();
    const ExceptionState mine = state;
    state = {};
    // Between these two calls a sanitizer assumes the other stack.
    from_stack.leave_for(to_stack, false);
    from.leave_for(to);
    from_stack.arrive_from(to_stack);
    state = mine;
  }

  // Without instrumentation for the same reason.
  __attribute__((no_sanitize("thread"))) static void run_on(void* self) {
    auto& stack = *static_cast<Stack*>(self);
    while (true) {
      stack.sanitized.arrive_from(stack.fiber->sanitized_resumer_);
      stack.fiber->run();
      stack.sanitized.leave_for(stack.fiber->sanitized_resumer_, true);
      stack.context.leave_for(stack.fiber->resumer_);
    }
  }
  void run() {
    try {
      body_();
    } catch (...) {
      error_ = std::current_exception();
    }
    is_finished_ = true;
  }

  std::function<void()> body_;
  std::unique_ptr<Stack> stack_;
  SanitizedStack sanitized_resumer_;
  Context resumer_;
  std::exception_ptr error_;
  bool is_started_ = false;
  bool is_finished_ = false;
  bool is_abandoned_ = false;
  bool is_given_up_ = false;
};

using Fiber = BasicFiber<Platform>;

}  // namespace dma::inline v0_1::host::detail
