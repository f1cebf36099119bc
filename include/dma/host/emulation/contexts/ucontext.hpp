#pragma once

#include <dma/host/emulation/contexts/linux.hpp>

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// The stack context of any system that has `swapcontext`.
///
/// Cost    200 to 700 ns for a switch: `swapcontext` asks the operating system for the signal mask
class SystemContext {
 public:
  using Function = void (*)(void*);

  SystemContext() = default;
  SystemContext(void* bottom, std::size_t bytes, Function function, void* argument)
      : function_(function), argument_(argument) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = bottom;
    context_.uc_stack.ss_size = bytes;
    // makecontext passes ints, so the pointer travels in two.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&SystemContext::enter_by_halves), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    // The size is hidden: the address sanitizer would clear its shadow of the whole stack at each switch.
    context_.uc_stack.ss_size = 0;
  }
  SystemContext(const SystemContext&) = delete;
  SystemContext& operator=(const SystemContext&) = delete;

  __attribute__((noinline, no_sanitize("thread"))) void leave_for(SystemContext& other) {
    swapcontext(&context_, &other.context_);
  }

 private:
  __attribute__((no_sanitize("thread"))) static void enter_by_halves(unsigned high, unsigned low) {
    const auto* const self = reinterpret_cast<SystemContext*>(std::uintptr_t{high} << 32 | low);
    self->function_(self->argument_);
  }

  ucontext_t context_{};
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

/// The platform of a processor without a switch of its own, or of a sanitized program.
struct SystemPlatform : LinuxPlatform {
  using Context = SystemContext;
};

}  // namespace dma::inline v0_1::host::detail
