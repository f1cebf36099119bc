#pragma once

#include <dma/host/emulation/kernel_error.hpp>

#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

namespace dma::inline v0_1::host::detail {

/// The code of the C library, of the dynamic linker and of a sanitizer's allocator in memory.
class LibraryCode {
 public:
  LibraryCode() { dl_iterate_phdr(&LibraryCode::find, this); }
  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
    for (int i = 0; i < count_; ++i) {
      if (address - first_[i] < bytes_[i]) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr int most = 8;

  static int find(dl_phdr_info* object, std::size_t, void* self) {
    auto& code = *static_cast<LibraryCode*>(self);
    const std::string_view path = object->dlpi_name;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    constexpr std::string_view libraries[] = {"libc.", "libc-", "ld-", "libasan."};
    if (std::none_of(std::begin(libraries), std::end(libraries),
                     [name](std::string_view library) { return name.starts_with(library); })) {
      return 0;
    }
    for (int i = 0; i < object->dlpi_phnum && code.count_ < most; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
        code.first_[code.count_] = object->dlpi_addr + segment.p_vaddr;
        code.bytes_[code.count_] = segment.p_memsz;
        ++code.count_;
      }
    }
    return 0;
  }

  std::uintptr_t first_[most] = {};
  std::uintptr_t bytes_[most] = {};
  int count_ = 0;
};

/// Calls a function at intervals in this thread, from the handler of SIGVTALRM, and another one where this thread
/// accesses what is no memory of the process, from that of SIGSEGV and SIGBUS.
///
/// It takes these signals while an object of it exists in any thread, and gives them back. Sanitizers keep theirs.
class TimerInterruptions {
 public:
  /// Returns whether the next call should come soon.
  ///
  /// @param may_leave  whether what was interrupted is outside the C library, so that its stack may be left
  using Call = bool (*)(bool may_leave);
  /// Returns where the access is none of its business: then the program has the signal as it would have without this.
  using Fault = void (*)();

  /// @throw KernelError  the operating system has no timer left
  TimerInterruptions(double seconds, Call call, Fault fault)
      : outer_call_(std::exchange(callback, call)), outer_fault_(std::exchange(fault_callback, fault)) {
    take_signals();
    Event event;
    event.thread = static_cast<int>(syscall(SYS_gettid));
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer_) != 0) {
      callback = outer_call_;
      fault_callback = outer_fault_;
      give_signals_back();
      throw KernelError(
          "dma::host: the process may have no timer more, and one ends threads that spin; raise its limit of pending "
          "signals (ulimit -i)");
    }
    outer_timer_ = std::exchange(running_timer, timer_);
    set(timer_, seconds);
  }
  ~TimerInterruptions() {
    syscall(SYS_timer_delete, timer_);
    running_timer = outer_timer_;
    callback = outer_call_;
    fault_callback = outer_fault_;
    give_signals_back();
  }
  TimerInterruptions(const TimerInterruptions&) = delete;
  TimerInterruptions& operator=(const TimerInterruptions&) = delete;

 private:
  /// The operating system's sigevent, whose member for a thread the C libraries name differently.
  struct Event {
    void* value = nullptr;
    int signal = SIGVTALRM;
    int notify = SIGEV_THREAD_ID;
    int thread = 0;
    int rest[11] = {};
  };

  static void take_signals() {
    const std::lock_guard lock(mutex);
    static_cast<void>(library_code());  // A handler cannot find it.
    if (users++ == 0) {
      for (int i = 0; i < signal_count; ++i) {
        struct sigaction action {};
        action.sa_sigaction = i == 0 ? &TimerInterruptions::handle : &TimerInterruptions::handle_fault;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
        sigaction(signals[i], &action, &actions_before[i]);
      }
    }
  }
  static void give_signals_back() {
    const std::lock_guard lock(mutex);
    if (--users == 0) {
      for (int i = 0; i < signal_count; ++i) {
        sigaction(signals[i], &actions_before[i], nullptr);
      }
    }
  }
  static void set(int timer, double seconds) {
    const auto nanoseconds = static_cast<long>(seconds * 1e9);
    const timespec interval{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    const itimerspec setting{interval, interval};
    syscall(SYS_timer_settime, timer, 0, &setting, nullptr);
  }
  static void handle(int, siginfo_t*, void* context) {
    const int error = errno;
    if (callback != nullptr && callback(!library_code().contains(interrupted_at(context)))) {
      constexpr double soon = 100e-6;
      set(running_timer, soon);
    }
    errno = error;
  }
  static void handle_fault(int signal, siginfo_t*, void* context) {
    if (fault_callback != nullptr && !library_code().contains(interrupted_at(context))) {
      fault_callback();
    }
    // The instruction is made again, for the handler before this one.
    sigaction(signal, &actions_before[signal == signals[1] ? 1 : 2], nullptr);
  }
  /// The address of the next instruction; 0 where it is not known.
  [[nodiscard]] static std::uintptr_t interrupted_at([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    return 0;
#endif
  }
  [[nodiscard]] static const LibraryCode& library_code() {
    static const LibraryCode code;
    return code;
  }

  static constexpr int signals[] = {SIGVTALRM, SIGSEGV, SIGBUS};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr int signal_count = 1;
#else
  static constexpr int signal_count = 3;
#endif

  static inline thread_local Call callback = nullptr;
  static inline thread_local Fault fault_callback = nullptr;
  static inline thread_local int running_timer = 0;
  static inline std::mutex mutex;
  static inline int users = 0;
  static inline struct sigaction actions_before[3]{};

  Call outer_call_;
  Fault outer_fault_;
  int timer_ = 0;
  int outer_timer_ = 0;
};

}  // namespace dma::inline v0_1::host::detail
