#pragma once

#if defined(__wasm__)
#include <dma/host/emulation/contexts/web_assembly.hpp>
#define DMA_DETAIL_PLATFORM WebAssemblyPlatform
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <dma/host/emulation/contexts/ucontext.hpp>
#define DMA_DETAIL_PLATFORM SystemPlatform  // The sanitizers follow its switches.
#elif defined(__x86_64__)
#include <dma/host/emulation/contexts/x86_64.hpp>
#define DMA_DETAIL_PLATFORM X86Platform
#elif defined(__aarch64__)
#include <dma/host/emulation/contexts/aarch64.hpp>
#define DMA_DETAIL_PLATFORM Aarch64Platform
#else
#include <dma/host/emulation/contexts/ucontext.hpp>
#define DMA_DETAIL_PLATFORM SystemPlatform
#endif

#include <concepts>
#include <cstddef>

namespace dma::inline v0_1::host::detail {

/// Where the execution on a stack was left.
///
/// `C()` is the stack that runs now. `C(bottom, bytes, function, argument)` is one on which nothing runs yet: the first
/// switch to it calls `function(argument)`, which does not return. `leave_for(other)` leaves this stack for another
/// one, until a switch returns to it; registers that a call keeps have their values then.
template <class C>
concept StackSwitch = std::default_initializable<C> &&
    std::constructible_from<C, void*, std::size_t, void (*)(void*), void*> && requires(C context, C& other) {
  context.leave_for(other);
};

/// The memory of a stack: `bytes` of it from `bottom()` on. What writes below is stopped there, or found by the next
/// call of `expect_not_overrun()`, which throws a `KernelError`.
template <class M>
concept StackMemory = std::constructible_from<M, std::size_t> && requires(const M memory) {
  { memory.bottom() } -> std::same_as<void*>;
  memory.expect_not_overrun();
};

/// A watch that interrupts what runs: `I(seconds, call, fault)` calls `call(may_leave)` at intervals while it exists,
/// and `fault()` where it can tell that what runs has accessed no memory of the process.
template <class I>
concept Interrupter = std::constructible_from<I, double, bool (*)(bool), void (*)()>;

/// What a processor and a system give a fiber. One file of `contexts/` each; the state of exceptions is the C++
/// runtime's, the same on all (exception_state.hpp).
template <class P>
concept FiberPlatform = StackSwitch<typename P::Context> && StackMemory<typename P::Memory> &&
                        Interrupter<typename P::Interruptions> && P::stack_bytes >
0;

/// The one that fibers have here.
using Platform = DMA_DETAIL_PLATFORM;

}  // namespace dma::inline v0_1::host::detail
