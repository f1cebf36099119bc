#pragma once

#if defined(__wasm__)

#include <dma/host/emulation/kernel_error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <string>

extern "C" {
/// Of emscripten: the stack in memory, for variables whose address is taken.
void* stackSave();
void stackRestore(void* top);
/// Of src/emscripten/stacks.js: begins the execution on `to`, whose stack ends at `top`, or continues it. Returns when
/// an execution leaves for `from`.
void dma_leave_for(void* from, void* to, void* top);
}

namespace dma::inline v0_1::host::detail {

/// The stack context of WebAssembly, which has no jump to another stack. JavaScript's promises have (JSPI), where none
/// of its own functions is on the stacks: exceptions are those of WebAssembly, by -fwasm-exceptions.
///
/// Cost    about a microsecond for a switch in Chromium
/// Source  JavaScript Promise Integration, https://github.com/WebAssembly/js-promise-integration
class PromiseContext {
 public:
  using Function = void (*)(void*);

  PromiseContext() = default;
  PromiseContext(void* bottom, std::size_t bytes, Function function, void* argument)
      : top_(reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(bottom) + bytes) & ~std::uintptr_t{15})),
        function_(function),
        argument_(argument) {}
  PromiseContext(const PromiseContext&) = delete;
  PromiseContext& operator=(const PromiseContext&) = delete;

  __attribute__((noinline)) void leave_for(PromiseContext& other) {
    void* const top = stackSave();
    dma_leave_for(this, &other, other.top_);
    stackRestore(top);
  }
  void enter() const { function_(argument_); }

 private:
  void* top_ = nullptr;
  Function function_ = nullptr;
  void* argument_ = nullptr;
};
/// For src/emscripten/stacks.js.
extern "C" __attribute__((used, export_name("dma_enter"))) inline void dma_enter(const PromiseContext* to) {
  to->enter();
}

/// The memory of a stack from the heap. No page of WebAssembly's memory faults: a pattern below the stack shows that a
/// thread has written there.
class HeapStack {
 public:
  explicit HeapStack(std::size_t bytes)
      : base_(static_cast<char*>(::operator new(guard_bytes + bytes, alignment))), bytes_(bytes) {
    std::fill_n(reinterpret_cast<std::uint64_t*>(base_), words, pattern);
  }
  ~HeapStack() { ::operator delete(base_, alignment); }
  HeapStack(const HeapStack&) = delete;
  HeapStack& operator=(const HeapStack&) = delete;

  [[nodiscard]] void* bottom() const noexcept { return base_ + guard_bytes; }
  /// @throw KernelError  the thread needs a longer stack
  void expect_not_overrun() const {
    const auto* const guard = reinterpret_cast<const std::uint64_t*>(base_);
    if (!std::all_of(guard, guard + words, [](std::uint64_t word) { return word == pattern; })) {
      throw KernelError("dma::host: a thread of the kernel overran its stack of " + std::to_string(bytes_) +
                        " bytes, which is all that WebAssembly gives one; keep large arrays in shared memory");
    }
  }

 private:
  static constexpr std::align_val_t alignment{16};
  static constexpr std::size_t guard_bytes = 256;
  static constexpr std::size_t words = guard_bytes / sizeof(std::uint64_t);
  static constexpr std::uint64_t pattern = 0x9E3779B97F4A7C15;

  char* base_;
  std::size_t bytes_;
};

/// None: nothing interrupts WebAssembly. A page has its proofs in a worker, and ends the worker.
struct NoInterruptions {
  NoInterruptions(double /*seconds*/, bool (* /*call*/)(bool may_leave), void (* /*fault*/)()) {}
};

/// The platform of WebAssembly.
struct WebAssemblyPlatform {
  using Context = PromiseContext;
  using Memory = HeapStack;
  using Interruptions = NoInterruptions;
  static constexpr std::size_t stack_bytes = 64 * 1024;  ///< most variables are in no memory there
};

}  // namespace dma::inline v0_1::host::detail

#endif
