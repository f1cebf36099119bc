// What -fsanitize=thread makes a compiler call at each load and store: here each goes to the emulated thread that runs.
// It replaces libtsan. The emulator and the judges are compiled here too, without instrumentation.
#define DMA_EMULATOR_HERE

// g++ leaves the kernels' calls of these as they are, and the linker renames them (--wrap); calls from here keep their
// meaning. clang++ makes calls of __tsan_memcpy and so on.
#if !defined(__clang__)
extern "C" {
void* memcpy(void* __restrict, const void* __restrict, __SIZE_TYPE__) noexcept __asm__("__real_memcpy");
void* memmove(void*, const void*, __SIZE_TYPE__) noexcept __asm__("__real_memmove");
void* memset(void*, int, __SIZE_TYPE__) noexcept __asm__("__real_memset");
}
#endif

#include <dma/host/emulation/memory/own_heap.hpp>
#include <dma/host/emulation/run_watch.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/run_group.hpp>
#include <dma/proof/judge_grid.hpp>
#include <dma/proof/replay.hpp>

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <typeinfo>

namespace {

using dma::Order;
using dma::host::detail::RunWatch;
using dma::machine::Access;
using dma::machine::AtomicInstruction;
using dma::machine::AtomicKind;

constinit dma::host::detail::OwnHeap own_heap;

/// The beginning of the program, or of the library that this is linked into, which nothing writes once it is linked:
/// code, constants, tables of virtual functions. An operation of an emulated thread reads such a table.
class ConstantMemory {
 public:
  ConstantMemory() { dl_iterate_phdr(&ConstantMemory::find, this); }
  [[nodiscard]] bool contains(const void* place) const {
    return reinterpret_cast<std::uintptr_t>(place) - first_ < bytes_;
  }

 private:
  static int find(dl_phdr_info* program, std::size_t, void* self) {
    const auto here = reinterpret_cast<std::uintptr_t>(&ConstantMemory::find);
    std::uintptr_t first = UINTPTR_MAX;
    std::uintptr_t end = 0;
    std::uintptr_t writable = UINTPTR_MAX;
    std::uintptr_t relocated_first = 0;
    std::uintptr_t relocated_end = 0;
    for (int i = 0; i < program->dlpi_phnum; ++i) {
      const auto& segment = program->dlpi_phdr[i];
      const std::uintptr_t begin = program->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD) {
        first = std::min(first, begin);
        end = std::max(end, begin + segment.p_memsz);
        writable = (segment.p_flags & PF_W) != 0 ? std::min(writable, begin) : writable;
      } else if (segment.p_type == PT_GNU_RELRO) {
        relocated_first = begin;
        relocated_end = begin + segment.p_memsz;
      }
    }
    if (here < first || here >= end) {
      return 0;  // the next one
    }
    if (writable != UINTPTR_MAX) {
      auto& memory = *static_cast<ConstantMemory*>(self);
      memory.first_ = first;
      memory.bytes_ = (relocated_first == writable ? relocated_end : writable) - first;
    }
    return 1;
  }

  std::uintptr_t first_ = 0;
  std::size_t bytes_ = 0;
};
const ConstantMemory constants;

/// The exception that a thread makes, from its allocation until it is thrown. The C++ runtime allocates it.
struct ExceptionInTheMaking {
  void* object = nullptr;
  std::size_t bytes = 0;

  [[nodiscard]] bool contains(const void* place) const {
    return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(object) < bytes;
  }
};
constinit thread_local ExceptionInTheMaking exception;

[[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (dma::host::detail::EmulatorMemory::Allocations::any()) {
    const RunWatch::Section section;
    block = own_heap.allocate(bytes, alignment);
    if (block == nullptr) {
      RunWatch::leave_now(dma::host::detail::Exceeded::memory);
    }
  } else {
    // A multiple of the alignment, and not 0.
    block = std::aligned_alloc(alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  }
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}
void release(void* block) noexcept {
  if (own_heap.contains(block)) {
    const RunWatch::Section section;
    own_heap.release(block);
  } else {
    std::free(block);
  }
}

/// Whether memory is the host's: no kernel names it, and a GPU has none of it.
[[nodiscard]] bool is_hosts(const void* place) {
  return constants.contains(place) || place == &dma::machine::running_thread || own_heap.contains(place) ||
         dma::host::detail::EmulatorMemory::stack_contains(place) || exception.contains(place);
}

[[gnu::noinline]] void pass_on(const void* place, std::size_t bytes, Access access, const void* instruction) {
  dma::machine::EmulatedThread* const thread = dma::machine::running_thread;
  if (thread != nullptr && bytes > 0 && !is_hosts(place)) {
    thread->accesses(place, bytes, access, instruction);
    if (thread->is_watched()) {
      const RunWatch::Section section;
      thread->accessed(place, bytes, access, instruction);
    }
  }
}

/// Most accesses are to the stack, and all are while no thread runs.
[[gnu::always_inline]] inline void see(const void* place, std::size_t bytes, Access access, const void* instruction) {
  if (!dma::host::detail::running_stack.contains(reinterpret_cast<std::uintptr_t>(place))) {
    pass_on(place, bytes, access, instruction);
  }
}

/// Whether memory may be a kernel's that runs.
[[nodiscard]] bool is_kernels(const void* place) {
  return dma::machine::running_thread != nullptr &&
         !dma::host::detail::running_stack.contains(reinterpret_cast<std::uintptr_t>(place)) && !is_hosts(place);
}

/// @param order  the compiler's number of it: relaxed, consume, acquire, release, acq_rel, seq_cst
[[nodiscard]] Order order_of(int order) {
  return order == __ATOMIC_RELAXED   ? Order::relaxed
         : order <= __ATOMIC_ACQUIRE ? Order::acquire
         : order == __ATOMIC_RELEASE ? Order::release
                                     : Order::acq_rel;
}

[[nodiscard]] std::uint64_t state_above(const dma::machine::CallFrame& frame) {
  return dma::machine::running_thread == nullptr ? 0 : dma::machine::running_thread->state_above(frame);
}

/// An atomic access of the kernel that runs. Returns the value before.
[[gnu::noinline]] std::uint64_t access(AtomicInstruction instruction, int order) {
  dma::machine::EmulatedThread* const thread = dma::machine::running_thread;
  const bool only_reads = instruction.kind == AtomicKind::load;
  thread->accesses_word(instruction.place, static_cast<std::size_t>(instruction.bytes),
                        only_reads ? Access::read : Access::write, instruction.code);
  instruction.is_standard = true;
  instruction.order = order_of(order);
  if (only_reads && dma::machine::releases(instruction.order)) {
    instruction.order = Order::acquire;
  } else if (instruction.kind == AtomicKind::store && dma::machine::acquires(instruction.order)) {
    instruction.order = Order::release;
  }
  return thread->access_atomically(instruction);
}

}  // namespace

// Weak: a program may have its own. Arrays and the forms that do not throw call these.
[[gnu::weak]] void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
[[gnu::weak]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::weak]] void operator delete(void* block) noexcept { release(block); }
[[gnu::weak]] void operator delete(void* block, std::size_t) noexcept { release(block); }
[[gnu::weak]] void operator delete(void* block, std::align_val_t) noexcept { release(block); }
[[gnu::weak]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

// The linker renames the program's calls of these (--wrap).
extern "C" {
void* __real___cxa_allocate_exception(std::size_t bytes) noexcept;
[[noreturn]] void __real___cxa_throw(void* object, std::type_info* type, void (*destroy)(void*));
void* __wrap___cxa_allocate_exception(std::size_t bytes) noexcept {
  void* const object = __real___cxa_allocate_exception(bytes);
  exception = {object, bytes};
  return object;
}
[[noreturn]] void __wrap___cxa_throw(void* object, std::type_info* type, void (*destroy)(void*)) {
  exception = {};
  __real___cxa_throw(object, type, destroy);
}
}

// The names and the meaning are those of compiler-rt's and GCC's tsan_interface.h.
extern "C" {
#define DMA_CALLER __builtin_return_address(0)
#define DMA_STATE (__builtin_unwind_init(), state_above({__builtin_frame_address(0), __builtin_dwarf_cfa()}))
#define DMA_ACCESSES(prefix, bytes)                                                               \
  void __tsan_##prefix##read##bytes(void* place) { see(place, bytes, Access::read, DMA_CALLER); } \
  void __tsan_##prefix##write##bytes(void* place) { see(place, bytes, Access::write, DMA_CALLER); }
#define DMA_READ_WRITES(prefix, bytes)                   \
  void __tsan_##prefix##read_write##bytes(void* place) { \
    see(place, bytes, Access::read, DMA_CALLER);         \
    see(place, bytes, Access::write, DMA_CALLER);        \
  }
#define DMA_SIZES(use, prefix) use(prefix, 1) use(prefix, 2) use(prefix, 4) use(prefix, 8) use(prefix, 16)
DMA_SIZES(DMA_ACCESSES, )
DMA_SIZES(DMA_ACCESSES, unaligned_)
DMA_SIZES(DMA_ACCESSES, volatile_)
DMA_SIZES(DMA_ACCESSES, unaligned_volatile_)
DMA_SIZES(DMA_READ_WRITES, )
DMA_SIZES(DMA_READ_WRITES, unaligned_)
void __tsan_read_range(void* place, std::size_t bytes) { see(place, bytes, Access::read, DMA_CALLER); }
void __tsan_write_range(void* place, std::size_t bytes) { see(place, bytes, Access::write, DMA_CALLER); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}

// Those of a kernel are made by its emulated thread.
#define DMA_BY_KERNEL(bits, Value, operation, operand, compared)                        \
  if (void* const place = const_cast<Value*>(at); is_kernels(place)) {                  \
    return static_cast<Value>(access({.kind = AtomicKind::operation,                    \
                                      .place = place,                                   \
                                      .bytes = bits / 8,                                \
                                      .value = static_cast<std::uint64_t>(operand),     \
                                      .expected = static_cast<std::uint64_t>(compared), \
                                      .code = DMA_CALLER,                               \
                                      .state = DMA_STATE},                              \
                                     order));                                           \
  }
#define DMA_ATOMICS(bits, Value)                                                                                      \
  Value __tsan_atomic##bits##_load(const volatile Value* at, int order) {                                             \
    DMA_BY_KERNEL(bits, Value, load, 0, 0)                                                                            \
    return *at;                                                                                                       \
  }                                                                                                                   \
  void __tsan_atomic##bits##_store(volatile Value* at, Value value, int order) {                                      \
    const auto store = [&](const void* caller, std::uint64_t state) {                                                 \
      if (void* const place = const_cast<Value*>(at); is_kernels(place)) {                                            \
        access({.kind = AtomicKind::store,                                                                            \
                .place = place,                                                                                       \
                .bytes = bits / 8,                                                                                    \
                .value = value,                                                                                       \
                .code = caller,                                                                                       \
                .state = state},                                                                                      \
               order);                                                                                                \
      } else {                                                                                                        \
        *at = value;                                                                                                  \
      }                                                                                                               \
    };                                                                                                                \
    store(DMA_CALLER, DMA_STATE);                                                                                     \
  }                                                                                                                   \
  Value __tsan_atomic##bits##_exchange(volatile Value* at, Value value, int order) {                                  \
    DMA_BY_KERNEL(bits, Value, exchange, value, 0)                                                                    \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                                   \
  DMA_FETCH(bits, Value, add, add, value)                                                                             \
  DMA_FETCH(bits, Value, sub, add, static_cast<Value>(-value))                                                        \
  DMA_FETCH(bits, Value, and, bit_and, value)                                                                         \
  DMA_FETCH(bits, Value, or, bit_or, value)                                                                           \
  DMA_FETCH(bits, Value, xor, bit_xor, value)                                                                         \
  DMA_FETCH(bits, Value, nand, bit_nand, value)                                                                       \
  Value __tsan_atomic##bits##_compare_exchange_val(volatile Value* at, Value expected, Value value, int order, int) { \
    DMA_BY_KERNEL(bits, Value, compare_exchange, value, expected)                                                     \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    return expected;                                                                                                  \
  }                                                                                                                   \
  DMA_COMPARE(bits, Value, strong)                                                                                    \
  DMA_COMPARE(bits, Value, weak)
#define DMA_COMPARE(bits, Value, strength)                                                                           \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile Value* at, Value* expected, Value value, int order, \
                                                        int) {                                                       \
    const Value wanted = *expected;                                                                                  \
    const auto compare = [&](const void* caller, std::uint64_t state) {                                              \
      Value found = wanted;                                                                                          \
      if (void* const place = const_cast<Value*>(at); is_kernels(place)) {                                           \
        found = static_cast<Value>(access({.kind = AtomicKind::compare_exchange,                                     \
                                           .place = place,                                                           \
                                           .bytes = bits / 8,                                                        \
                                           .value = value,                                                           \
                                           .expected = wanted,                                                       \
                                           .code = caller,                                                           \
                                           .state = state},                                                          \
                                          order));                                                                   \
      } else {                                                                                                       \
        __atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                   \
      }                                                                                                              \
      return found;                                                                                                  \
    };                                                                                                               \
    *expected = compare(DMA_CALLER, DMA_STATE);                                                                      \
    return *expected == wanted ? 1 : 0;                                                                              \
  }
#define DMA_FETCH(bits, Value, operation, kind, operand)                                      \
  Value __tsan_atomic##bits##_fetch_##operation(volatile Value* at, Value value, int order) { \
    DMA_BY_KERNEL(bits, Value, kind, operand, 0)                                              \
    return __atomic_fetch_##operation(at, value, __ATOMIC_SEQ_CST);                           \
  }
DMA_ATOMICS(8, std::uint8_t)
DMA_ATOMICS(16, std::uint16_t)
DMA_ATOMICS(32, std::uint32_t)
DMA_ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int order) {
  if (dma::machine::EmulatedThread* const thread = dma::machine::watched_thread()) {
    thread->access_atomically({.kind = AtomicKind::fence,
                               .order = order == __ATOMIC_SEQ_CST ? Order::seq_cst : order_of(order),
                               .is_standard = true,
                               .code = DMA_CALLER});
  }
}
void __tsan_atomic_signal_fence(int) {}

#define DMA_BLOCKS(prefix)                                               \
  void* prefix##memcpy(void* to, const void* from, std::size_t bytes) {  \
    see(from, bytes, Access::read, DMA_CALLER);                          \
    see(to, bytes, Access::write, DMA_CALLER);                           \
    return memcpy(to, from, bytes);                                      \
  }                                                                      \
  void* prefix##memmove(void* to, const void* from, std::size_t bytes) { \
    see(from, bytes, Access::read, DMA_CALLER);                          \
    see(to, bytes, Access::write, DMA_CALLER);                           \
    return memmove(to, from, bytes);                                     \
  }                                                                      \
  void* prefix##memset(void* to, int value, std::size_t bytes) {         \
    see(to, bytes, Access::write, DMA_CALLER);                           \
    return memset(to, value, bytes);                                     \
  }
DMA_BLOCKS(__wrap_)
DMA_BLOCKS(__tsan_)
}
