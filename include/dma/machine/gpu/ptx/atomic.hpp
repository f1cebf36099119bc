#pragma once

/// Atomic accesses of global and shared memory, and fences, with order and scope. Each is one function for all of them:
/// order, scope and operation are text inserted into the instruction (see `cached.hpp`). A comment begins with the
/// title of the instruction's section in the PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/scope.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

template <Scope>
inline constexpr char scope_name[] = ".gpu";
template <>
inline constexpr char scope_name<Scope::cta>[] = ".cta";
template <>
inline constexpr char scope_name<Scope::cluster>[] = ".cluster";
template <>
inline constexpr char scope_name<Scope::system>[] = ".sys";

template <Order>
inline constexpr char order_name[] = ".relaxed";
template <>
inline constexpr char order_name<Order::acquire>[] = ".acquire";
template <>
inline constexpr char order_name<Order::release>[] = ".release";
template <>
inline constexpr char order_name<Order::acq_rel>[] = ".acq_rel";

/// The operation and the type of an `atom`, by the type of the word.
template <machine::AtomicKind, class>
inline constexpr char atomic_name[] = "";
#define DMA_DETAIL_ATOMIC_NAME(kind, Type, text) \
  template <>                                    \
  inline constexpr char atomic_name<machine::AtomicKind::kind, Type>[] = text;
#define DMA_DETAIL_ATOMIC_NAMES(Type, bits, unsigned_type, own_type) \
  DMA_DETAIL_ATOMIC_NAME(exchange, Type, ".exch." bits)              \
  DMA_DETAIL_ATOMIC_NAME(add, Type, ".add." unsigned_type)           \
  DMA_DETAIL_ATOMIC_NAME(bit_and, Type, ".and." bits)                \
  DMA_DETAIL_ATOMIC_NAME(bit_or, Type, ".or." bits)                  \
  DMA_DETAIL_ATOMIC_NAME(bit_xor, Type, ".xor." bits)                \
  DMA_DETAIL_ATOMIC_NAME(least, Type, ".min." own_type)              \
  DMA_DETAIL_ATOMIC_NAME(greatest, Type, ".max." own_type)
DMA_DETAIL_ATOMIC_NAMES(unsigned, "b32", "u32", "u32")
DMA_DETAIL_ATOMIC_NAMES(int, "b32", "u32", "s32")
DMA_DETAIL_ATOMIC_NAMES(unsigned long long, "b64", "u64", "u64")
DMA_DETAIL_ATOMIC_NAMES(long long, "b64", "u64", "s64")
DMA_DETAIL_ATOMIC_NAME(exchange, float, ".exch.b32")
DMA_DETAIL_ATOMIC_NAME(add, float, ".add.f32")
DMA_DETAIL_ATOMIC_NAME(exchange, double, ".exch.b64")
DMA_DETAIL_ATOMIC_NAME(add, double, ".add.f64")
#undef DMA_DETAIL_ATOMIC_NAMES
#undef DMA_DETAIL_ATOMIC_NAME

/// ld
template <Order order, Scope scope>
[[nodiscard]] DMA_DEVICE unsigned load_atomically(const unsigned* word) {
  unsigned value;
  asm volatile("ld%2%3.b32 %0, [%1];"
               : "=r"(value)
               : "l"(word), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
  return value;
}
template <Order order, Scope scope>
[[nodiscard]] DMA_DEVICE unsigned long long load_atomically(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld%2%3.b64 %0, [%1];"
               : "=l"(value)
               : "l"(word), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
  return value;
}

/// st
template <Order order, Scope scope>
DMA_DEVICE void store_atomically(unsigned* word, unsigned value) {
  asm volatile("st%2%3.b32 [%0], %1;" ::"l"(word), "r"(value), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
}
template <Order order, Scope scope>
DMA_DEVICE void store_atomically(unsigned long long* word, unsigned long long value) {
  asm volatile("st%2%3.b64 [%0], %1;" ::"l"(word), "l"(value), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
}

/// atom. Returns the value before.
///
/// @tparam Type  what the word is: `atomic_name`
template <machine::AtomicKind kind, class Type, Order order, Scope scope>
DMA_DEVICE unsigned change_atomically(unsigned* word, unsigned value) {
  unsigned before;
  asm volatile("atom%3%4%5 %0, [%1], %2;"
               : "=r"(before)
               : "l"(word), "r"(value), "C"(order_name<order>), "C"(scope_name<scope>), "C"(atomic_name<kind, Type>)
               : "memory");
  return before;
}
template <machine::AtomicKind kind, class Type, Order order, Scope scope>
DMA_DEVICE unsigned long long change_atomically(unsigned long long* word, unsigned long long value) {
  unsigned long long before;
  asm volatile("atom%3%4%5 %0, [%1], %2;"
               : "=l"(before)
               : "l"(word), "l"(value), "C"(order_name<order>), "C"(scope_name<scope>), "C"(atomic_name<kind, Type>)
               : "memory");
  return before;
}

/// red: the operation of an `atom` without the value before.
template <machine::AtomicKind kind, class Type, Order order, Scope scope>
DMA_DEVICE void reduce_atomically(unsigned* word, unsigned value) {
  asm volatile("red%2%3%4 [%0], %1;" ::"l"(word), "r"(value), "C"(order_name<order>), "C"(scope_name<scope>),
               "C"(atomic_name<kind, Type>)
               : "memory");
}
template <machine::AtomicKind kind, class Type, Order order, Scope scope>
DMA_DEVICE void reduce_atomically(unsigned long long* word, unsigned long long value) {
  asm volatile("red%2%3%4 [%0], %1;" ::"l"(word), "l"(value), "C"(order_name<order>), "C"(scope_name<scope>),
               "C"(atomic_name<kind, Type>)
               : "memory");
}

/// atom.cas. Returns the value before.
template <Order order, Scope scope>
[[nodiscard]] DMA_DEVICE unsigned compare_and_swap_atomically(unsigned* word, unsigned expected, unsigned value) {
  unsigned before;
  asm volatile("atom%4%5.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(word), "r"(expected), "r"(value), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
  return before;
}
template <Order order, Scope scope>
[[nodiscard]] DMA_DEVICE unsigned long long compare_and_swap_atomically(unsigned long long* word,
                                                                        unsigned long long expected,
                                                                        unsigned long long value) {
  unsigned long long before;
  asm volatile("atom%4%5.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(word), "l"(expected), "l"(value), "C"(order_name<order>), "C"(scope_name<scope>)
               : "memory");
  return before;
}

/// membar, fence: fence.acq_rel and fence.sc
template <Scope scope>
DMA_DEVICE void fence_acq_rel() {
  asm volatile("fence.acq_rel%0;" ::"C"(scope_name<scope>) : "memory");
}
template <Scope scope>
DMA_DEVICE void fence_sc() {
  asm volatile("fence.sc%0;" ::"C"(scope_name<scope>) : "memory");
}

}  // namespace dma::inline v0_1::ptx

#endif
