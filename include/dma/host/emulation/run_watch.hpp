#pragma once

#include <dma/host/deadline.hpp>
#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/contexts/platform.hpp>
#include <dma/host/emulation/exceeded.hpp>

#include <algorithm>
#include <csignal>
#include <ctime>

namespace dma::inline v0_1::host::detail {

/// Ends fibers that exceed the limits of a run. A loop on a flag that only another fiber can set never ends by itself.
/// The fiber is left where it is: its stack is not unwound, and not used again.
///
/// A timer interrupts the fiber and looks at the clocks. What the emulator does for the fiber is not left in its middle
/// (`Section`), nor is a function of the C library, such as malloc.
///
/// Not under ThreadSanitizer, which delivers a signal at the next function that it intercepts: a loop on memory calls
/// none.
///
/// A fiber that accesses what is no memory of the process is left in the same way.
class RunWatch {
 public:
  /// @throw KernelError  the operating system has no timer left
  explicit RunWatch(const RunLimits& limits)
      : limits_(limits), outer_(active), ticks_(tick_seconds(limits), &RunWatch::tick, &RunWatch::fault) {
    active = this;
  }
  ~RunWatch() { active = outer_; }
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  void resume(Fiber& fiber) {
    due = Exceeded::nothing;
    resumed_at_ = not_yet;
    running_ = &fiber;
    fiber.resume();
    running_ = nullptr;
    due = Exceeded::nothing;  // for a fiber that has launched this run
  }
  /// By the first fiber that was left.
  [[nodiscard]] Exceeded exceeded() const noexcept { return exceeded_; }

  /// Work of the emulator in a fiber, which a limit ends only after it.
  class Section {
   public:
    Section() { sections = sections + 1; }
    ~Section() {
      sections = sections - 1;
      if (sections == 0 && due != Exceeded::nothing) {
        leave();
      }
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
  };

  /// The fiber that runs has exceeded a limit: it is left at the end of its section.
  static void exceed(Exceeded limit) {
    if (due == Exceeded::nothing) {
      due = limit;
    }
  }
  /// Leaves the fiber that runs now, in a section too. Returns where none runs.
  static void leave_now(Exceeded limit) {
    exceed(limit);
    leave();
  }

 private:
  static constexpr double not_yet = -1;

  [[nodiscard]] static double tick_seconds(const RunLimits& limits) {
    const double left = limits.deadline == nullptr ? limits.spin_seconds : limits.deadline->seconds_left();
    return std::clamp(std::min(limits.spin_seconds, left) / 8, 0.005, 0.05);
  }
  /// CPU time of this thread: a process's other threads and a machine's other work do not count.
  [[nodiscard]] static double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  [[gnu::cold]] static void leave() {
    if (active != nullptr && active->running_ != nullptr) {
      sections = 0;
      if (active->exceeded_ == Exceeded::nothing) {
        active->exceeded_ = due;
      }
      active->running_->abandon();
    }
  }
  /// @return  whether it waits for a moment at which it may leave
  static bool tick(bool may_leave) {
    RunWatch* const self = active;
    if (self == nullptr || self->running_ == nullptr) {
      return false;
    }
    const double now = cpu_seconds();
    if (self->resumed_at_ == not_yet) {
      self->resumed_at_ = now;
    }
    // A scheduler resumes none after the deadline: by then this one has run for as long.
    const bool is_late =
        self->limits_.deadline != nullptr && self->limits_.deadline->seconds_left() < -self->limits_.spin_seconds;
    if (now - self->resumed_at_ > self->limits_.spin_seconds || is_late) {
      exceed(Exceeded::spin_seconds);
    }
    const bool is_due = due != Exceeded::nothing && sections == 0;
    if (is_due && may_leave) {
      leave();
    }
    return is_due;
  }

  /// Returns where no fiber runs, or the emulator works for it.
  static void fault() {
    if (sections == 0) {
      leave_now(Exceeded::address_space);
    }
  }

  static inline thread_local RunWatch* active = nullptr;
  static inline thread_local volatile int sections = 0;  ///< that the fiber is in
  static inline thread_local volatile Exceeded due = Exceeded::nothing;

  RunLimits limits_;
  RunWatch* outer_;
  Fiber* volatile running_ = nullptr;
  volatile double resumed_at_ = not_yet;  ///< the first tick since then
  volatile Exceeded exceeded_ = Exceeded::nothing;
  Platform::Interruptions ticks_;
};

}  // namespace dma::inline v0_1::host::detail
