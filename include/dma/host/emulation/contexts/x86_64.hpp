#pragma once

#if defined(__x86_64__)

#include <dma/host/emulation/contexts/linux.hpp>

#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// The stack context of x86-64: the stack pointer, and what a call keeps on the stack.
///
/// Cost    10 ns for a switch
/// Source  the System V ABI of AMD64, section 3.2.1, without the control words of floating-point units
class X86Context {
 public:
  using Function = void (*)(void*);

  X86Context() = default;
  X86Context(void* bottom, std::size_t bytes, Function function, void* argument)
      : function_(function), argument_(argument) {
    // `enter` begins as after a call: its return address, null for a debugger, is 8 below a multiple of 16.
    void** const end =
        reinterpret_cast<void**>((reinterpret_cast<std::uintptr_t>(bottom) + bytes) & ~std::uintptr_t{15});
    end[-1] = nullptr;
    end[-2] = reinterpret_cast<void*>(&X86Context::enter);
    top_ = end - 2;
  }
  X86Context(const X86Context&) = delete;
  X86Context& operator=(const X86Context&) = delete;

  __attribute__((noinline, no_sanitize("thread"))) void leave_for(X86Context& other) {
    X86Context* to = &other;
    X86Context* from = this;
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
  }

 private:
  __attribute__((no_sanitize("thread"))) static void enter(X86Context* self) { self->function_(self->argument_); }

  void* top_ = nullptr;  ///< the first member: a switch reads it
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

/// The platform of x86-64.
struct X86Platform : LinuxPlatform {
  using Context = X86Context;
};

}  // namespace dma::inline v0_1::host::detail

#endif
