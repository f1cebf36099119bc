#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <dma/host/emulation/contexts/ucontext.hpp>
#define DMA_DETAIL_STACK_CONTEXT SystemContext  // The sanitizers follow its switches.
#elif defined(__x86_64__)
#include <dma/host/emulation/contexts/x86_64.hpp>
#define DMA_DETAIL_STACK_CONTEXT X86Context
#elif defined(__aarch64__)
#include <dma/host/emulation/contexts/aarch64.hpp>
#define DMA_DETAIL_STACK_CONTEXT Aarch64Context
#else
#include <dma/host/emulation/contexts/ucontext.hpp>
#define DMA_DETAIL_STACK_CONTEXT SystemContext
#endif

#include <concepts>
#include <cstddef>

namespace dma::inline v0_1::host::detail {

/// Where the execution on a stack was left: what a processor, or a system, gives a fiber. One file of `contexts/` each.
///
/// `C()` is the stack that runs now. `C(bottom, bytes, function, argument)` is one on which nothing runs yet: the first
/// switch to it calls `function(argument)`, which does not return. `leave_for(other)` leaves this stack for another
/// one, until a switch returns to it; registers that a call keeps have their values then.
template <class C>
concept StackSwitch = std::default_initializable<C> &&
    std::constructible_from<C, void*, std::size_t, void (*)(void*), void*> && requires(C context, C& other) {
  context.leave_for(other);
};

/// The one that fibers have here.
using StackContext = DMA_DETAIL_STACK_CONTEXT;

}  // namespace dma::v0_1::host::detail
