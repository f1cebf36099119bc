#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DMA_JUMPS_BY_REGISTERS 1
#else
#define DMA_JUMPS_BY_REGISTERS 0
#include <ucontext.h>
#endif

#include <cstddef>
#include <cstdint>

namespace dma::host {

/// Where the execution on a stack was left.
///
/// Cost    10 ns for a jump on x86-64. Elsewhere 700 ns: `swapcontext` asks the operating system for the signal mask.
///         The sanitizers need it, since they follow its jumps.
class StackContext {
 public:
  using Function = void (*)(void*);

  /// The stack that runs now.
  StackContext() = default;
  /// A stack on which nothing runs yet. The first jump to it calls `function(argument)`, which does not return.
  StackContext(void* bottom, std::size_t bytes, Function function, void* argument)
      : function_(function), argument_(argument) {
#if DMA_JUMPS_BY_REGISTERS
    // `enter` begins as after a call: its return address, null for a debugger, is 8 below a multiple of 16.
    void** const end =
        reinterpret_cast<void**>((reinterpret_cast<std::uintptr_t>(bottom) + bytes) & ~std::uintptr_t{15});
    end[-1] = nullptr;
    end[-2] = reinterpret_cast<void*>(&StackContext::enter);
    top_ = end - 2;
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp = bottom;
    context_.uc_stack.ss_size = bytes;
    // makecontext passes ints, so the pointer travels in two.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&StackContext::enter_by_halves), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    // The size is hidden: the address sanitizer would clear its shadow of the whole stack at each switch.
    context_.uc_stack.ss_size = 0;
#endif
  }
  StackContext(const StackContext&) = delete;
  StackContext& operator=(const StackContext&) = delete;

  /// Leaves this stack for another one, until a jump returns to it.
  __attribute__((noinline, no_sanitize("thread"))) void leave_for(StackContext& other) {
#if DMA_JUMPS_BY_REGISTERS
    StackContext* to = &other;
    StackContext* from = this;
    // Below the red zone; the compiler saves all other registers that it uses.
    asm volatile(
        "leaq -128(%%rsp), %%rsp\n\t"
        "pushq %%rbp\n\t"
        "pushq %%rbx\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "pushq %%rax\n\t"
        "movq %%rsp, (%%rsi)\n\t"
        "movq (%%rdi), %%rsp\n\t"
        "popq %%rax\n\t"
        "jmpq *%%rax\n"
        "1:\n\t"
        "popq %%rbx\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+D"(to), "+S"(from)
        :
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
          "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
          "memory");
#else
    swapcontext(&context_, &other.context_);
#endif
  }

 private:
  __attribute__((no_sanitize("thread"))) static void enter(StackContext* self) { self->function_(self->argument_); }

#if DMA_JUMPS_BY_REGISTERS
  void* top_ = nullptr;  ///< the first member: a jump reads it
#else
  __attribute__((no_sanitize("thread"))) static void enter_by_halves(unsigned high, unsigned low) {
    enter(reinterpret_cast<StackContext*>(std::uintptr_t{high} << 32 | low));
  }
  ucontext_t context_{};
#endif
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

}  // namespace dma::host
