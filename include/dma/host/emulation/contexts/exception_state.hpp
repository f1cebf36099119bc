#pragma once

#include <cxxabi.h>

namespace __cxxabiv1 {

// Of the Itanium C++ ABI; the <cxxabi.h> of libc++ does not declare it.
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;

}  // namespace __cxxabiv1

namespace dma::inline v0_1::host::detail {

/// The exceptions of a stack, in the C++ runtime. They belong to the stack, but the runtime has one such state for each
/// thread.
struct ExceptionState {
  void* caught;
  unsigned uncaught;

  /// Of this thread.
  ///
  /// Cost    a load of its address; the runtime looks it up at each call
  [[nodiscard]] static ExceptionState& running() noexcept {
    static thread_local constinit ExceptionState* state = nullptr;
    if (state == nullptr) {
      state = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
    }
    return *state;
  }
};

/// Whether an exception leaves functions of the stack that runs, as `std::uncaught_exceptions() > 0`.
[[nodiscard]] inline bool is_unwinding() noexcept { return ExceptionState::running().uncaught != 0; }

}  // namespace dma::inline v0_1::host::detail
