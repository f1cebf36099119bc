#pragma once

#if defined(__aarch64__)

#include <dma/host/emulation/contexts/linux.hpp>

#include <cstddef>
#include <cstdint>

namespace dma::inline v0_1::host::detail {

/// The stack context of 64-bit Arm: the stack pointer, and what a call keeps on the stack.
///
/// Cost    28 ns for a switch under QEMU, where `swapcontext` takes 900
/// Source  the procedure call standard for AArch64, section 6.1, without the control register of floating-point units
class Aarch64Context {
 public:
  using Function = void (*)(void*);

  Aarch64Context() = default;
  Aarch64Context(void* bottom, std::size_t bytes, Function function, void* argument)
      : function_(function), argument_(argument) {
    // What a switch takes from the stack: a frame pointer, null for a debugger, and where to go on.
    void** const end =
        reinterpret_cast<void**>((reinterpret_cast<std::uintptr_t>(bottom) + bytes) & ~std::uintptr_t{15});
    end[-2] = nullptr;
    end[-1] = reinterpret_cast<void*>(&Aarch64Context::enter);
    top_ = end - 2;
  }
  Aarch64Context(const Aarch64Context&) = delete;
  Aarch64Context& operator=(const Aarch64Context&) = delete;

  __attribute__((noinline, no_sanitize("thread"))) void leave_for(Aarch64Context& other) {
    register Aarch64Context* to asm("x0") = &other;
    register Aarch64Context* from asm("x1") = this;
    // The compiler saves all other registers that it uses. `enter` begins as after a call from nowhere: x30 is 0. With
    // branch protection a jump by x17 may go to a function, or to the hint `bti j`.
    asm volatile(
        "adr x17, 1f\n\t"
        "stp x29, x17, [sp, #-16]!\n\t"
        "mov x16, sp\n\t"
        "str x16, [x1]\n\t"
        "ldr x16, [x0]\n\t"
        "mov sp, x16\n\t"
        "ldp x29, x17, [sp], #16\n\t"
        "mov x30, xzr\n\t"
        "br x17\n"
        "1:\n\t"
        "hint #36"
        : "+r"(to), "+r"(from)
        :
        : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
          "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4",
          "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
          "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
  }

 private:
  __attribute__((no_sanitize("thread"))) static void enter(Aarch64Context* self) { self->function_(self->argument_); }

  void* top_ = nullptr;  ///< the first member: a switch reads it
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

/// The platform of 64-bit Arm.
struct Aarch64Platform : LinuxPlatform {
  using Context = Aarch64Context;
};

}  // namespace dma::inline v0_1::host::detail

#endif
