#pragma once

#include <dma/host/emulation/fiber.hpp>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace dma::host {

/// Ends fibers that run too long without a switch: a loop on a flag that only another fiber can set never ends by
/// itself. A timer of the process's CPU time interrupts the fiber, which is left where it is: its stack is not unwound,
/// and not used again.
///
/// Not under ThreadSanitizer, which delivers a signal at the next function that it intercepts: a loop on memory calls
/// none.
///
/// It takes SIGVTALRM and the timer of that signal while it exists, and gives them back.
///
/// @pre The fiber does not run inside the allocator or another function of the C library when it is left: a loop on
///      memory does not.
class SpinWatch {
 public:
  /// @param seconds  of CPU time
  explicit SpinWatch(double seconds) : outer_(std::exchange(active, this)) {
    owner_ = static_cast<int>(syscall(SYS_gettid));
    struct sigaction action {};
    action.sa_handler = &SpinWatch::tick;
    action.sa_flags = SA_NODEFER | SA_RESTART;
    sigaction(SIGVTALRM, &action, &action_before_);
    const auto microseconds = static_cast<long>(std::clamp(seconds, 0.04, 1e6) / ticks_a_limit * 1e6);
    const timeval interval{microseconds / 1'000'000, microseconds % 1'000'000};
    const itimerval timer{interval, interval};
    setitimer(ITIMER_VIRTUAL, &timer, &timer_before_);
  }
  ~SpinWatch() {
    setitimer(ITIMER_VIRTUAL, &timer_before_, nullptr);
    sigaction(SIGVTALRM, &action_before_, nullptr);
    active = outer_;
    owner_ = outer_ == nullptr ? 0 : owner_;
  }
  SpinWatch(const SpinWatch&) = delete;
  SpinWatch& operator=(const SpinWatch&) = delete;

  void resume(Fiber& fiber) {
    ticks_ = 0;
    running_ = &fiber;
    fiber.resume();
    running_ = nullptr;
  }

 private:
  static constexpr int ticks_a_limit = 4;

  static void tick(int) {
    SpinWatch* const self = active;
    if (self == nullptr) {
      // The timer is the process's: any thread may get its signal.
      if (owner_ != 0) {
        syscall(SYS_tgkill, getpid(), static_cast<int>(owner_), SIGVTALRM);
      }
    } else if (self->running_ != nullptr) {
      self->ticks_ = self->ticks_ + 1;
      if (self->ticks_ > ticks_a_limit) {
        self->running_->abandon();
      }
    }
  }

  static inline thread_local SpinWatch* active = nullptr;
  static inline volatile int owner_ = 0;  ///< the thread that runs fibers

  SpinWatch* outer_;
  struct sigaction action_before_ {};
  itimerval timer_before_{};
  Fiber* volatile running_ = nullptr;
  volatile int ticks_ = 0;  ///< since the fiber was resumed
};

}  // namespace dma::host
