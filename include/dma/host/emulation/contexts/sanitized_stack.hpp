#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
// In a program that sees every access, -fsanitize=thread instruments the kernels for the recorder, without libtsan.
#if defined(__SANITIZE_THREAD__) && !defined(DMA_EVERY_ACCESS)
#define DMA_DETAIL_THREAD_SANITIZER 1
#include <sanitizer/tsan_interface.h>
#endif

namespace dma::inline v0_1::host::detail {

/// Declares a stack, and the switches to and from it, to the address and the thread sanitizer. Does nothing in a
/// program without them.
///
/// Source  sanitizer/common_interface_defs.h and sanitizer/tsan_interface.h, of GCC and of LLVM
class SanitizedStack {
 public:
#if defined(__SANITIZE_ADDRESS__) || defined(DMA_DETAIL_THREAD_SANITIZER)
  static constexpr std::size_t bytes_factor = 8;  ///< how much more stack a sanitized function needs at most
#else
  static constexpr std::size_t bytes_factor = 1;
#endif

  /// The stack that runs now.
  SanitizedStack() = default;
  /// A stack that fibers run on, one after another.
  SanitizedStack([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    bottom_ = bottom;
    bytes_ = bytes;
#endif
#if defined(DMA_DETAIL_THREAD_SANITIZER)
    fiber_ = __tsan_create_fiber(0);
    is_own_ = true;
#endif
  }
  SanitizedStack(const SanitizedStack&) = delete;
  SanitizedStack& operator=(const SanitizedStack&) = delete;
#if defined(DMA_DETAIL_THREAD_SANITIZER)
  ~SanitizedStack() {
    if (is_own_) {
      __tsan_destroy_fiber(fiber_);
    }
  }
#endif

  /// A fiber begins on the stack. The fiber before it may have ended inside a function.
  void begin() {
#if defined(__SANITIZE_ADDRESS__)
    kept_ = nullptr;
    __asan_unpoison_memory_region(bottom_, bytes_);
#endif
  }
  /// To be called right before the switch from this stack to `other`; no switch returns to a fiber that `ends`.
  __attribute__((always_inline)) void leave_for([[maybe_unused]] SanitizedStack& other, [[maybe_unused]] bool ends) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(ends ? nullptr : &kept_, other.bottom_, other.bytes_);
#endif
#if defined(DMA_DETAIL_THREAD_SANITIZER)
    if (!is_own_) {
      fiber_ = __tsan_get_current_fiber();
    }
    __tsan_switch_to_fiber(other.fiber_, 0);
#endif
  }
  /// To be called right after a switch from `other` to this stack.
  void arrive_from([[maybe_unused]] SanitizedStack& other) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept_, &other.bottom_, &other.bytes_);
#endif
  }

#if defined(__SANITIZE_ADDRESS__)
 private:
  void* kept_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#endif
#if defined(DMA_DETAIL_THREAD_SANITIZER)
 private:
  void* fiber_ = nullptr;
  bool is_own_ = false;
#endif
};

}  // namespace dma::inline v0_1::host::detail
