#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// A word that one atomic access has.
template <class T>
concept AtomicWord = (stdlib::is_integral_v<T> || stdlib::is_floating_point_v<T> ||
                      stdlib::is_enum_v<T>)&&(sizeof(T) == 4 || sizeof(T) == 8);

/// The type of a word's arithmetic: that of `atom`, by its bytes and its sign. An `unsigned long` is one of these.
template <class T>
struct AtomicTypeOf {
  using type = stdlib::conditional_t<
      stdlib::is_floating_point_v<T>, T,
      stdlib::conditional_t<sizeof(T) == 4, stdlib::conditional_t<stdlib::is_signed_v<T>, int, unsigned>,
                            stdlib::conditional_t<stdlib::is_signed_v<T>, long long, unsigned long long>>>;
};

}  // namespace detail

/// Orders this thread's accesses before it and after it, for the threads of the scope: a store after it that another
/// thread reads before its own fence, or with an acquire, carries what is before it.
///
///     partial[block] = sum;
///     dma::fence<dma::Scope::gpu>(dma::Order::release);
///     flag.store(1, dma::Order::relaxed);
///
/// @param order  all but `relaxed`, which is no fence. `seq_cst` fences have one order for all threads of the scope.
/// Cost    a membar: it waits for the thread's earlier accesses
/// Source  PTX ISA, fence.acq_rel, fence.sc
template <Scope scope>
DMA_HOST_DEVICE void fence(Order order, machine::SourceLocation caller = machine::SourceLocation::here()) {
  DMA_EXPECTS(order != Order::relaxed,
              "dma::fence: Order::relaxed orders nothing; take acquire, release, acq_rel or seq_cst");
  machine::called_from(caller);
  machine::fence_threads<scope>(order);
}

/// Atomic accesses of a word in global or shared memory, each with its order, for the threads of a scope. The names are
/// those of `cuda::atomic_ref`. The CPU sees order and scope too, so that proofs judge them, which they cannot of the
/// standard's and of libcu++'s atomics.
///
///     dma::atomic_ref<int, dma::Scope::gpu> flag(*word);
///     flag.store(1, dma::Order::release);                      // in one thread
///     while (flag.load(dma::Order::acquire) == 0) {}           // in another
///
/// @tparam T      an integer, an enumeration or a floating-point type of 4 or 8 bytes
/// @tparam scope  of the threads that access the word: a scope that leaves one of them out orders nothing for it
/// Cost    one instruction (ld, st, atom); `seq_cst` a fence.sc before it
/// Source  PTX ISA, ld, st, atom; libcu++ maps `seq_cst` in the same way
///
/// @pre The word's address is a multiple of its size. sm_90 or newer for `Scope::cluster`.
template <class T, Scope scope>
class atomic_ref {
  static_assert(detail::AtomicWord<T>,
                "dma::atomic_ref: a word is an integer, an enumeration or a floating-point value of 4 or 8 bytes; put "
                "smaller values into one of these");
  using Kind = machine::AtomicKind;
  using Location = machine::SourceLocation;

 public:
  DMA_HOST_DEVICE explicit atomic_ref(T& word) : word_(reinterpret_cast<Word*>(&word)) {}

  /// @param order  relaxed, acquire or seq_cst
  [[nodiscard]] DMA_HOST_DEVICE T load(Order order = Order::seq_cst, Location caller = Location::here()) const {
    DMA_EXPECTS(order != Order::release && order != Order::acq_rel,
                "dma::atomic_ref: a load does not release; take relaxed, acquire or seq_cst");
    return access<Kind::load>(T{}, T{}, order, Order::acquire, caller);
  }
  /// @param order  relaxed, release or seq_cst
  DMA_HOST_DEVICE void store(T value, Order order = Order::seq_cst, Location caller = Location::here()) const {
    DMA_EXPECTS(order != Order::acquire && order != Order::acq_rel,
                "dma::atomic_ref: a store does not acquire; take relaxed, release or seq_cst");
    static_cast<void>(access<Kind::store>(value, T{}, order, Order::relaxed, caller));
  }
  /// Stores a value; returns the one before.
  DMA_HOST_DEVICE T exchange(T value, Order order = Order::seq_cst, Location caller = Location::here()) const {
    return access<Kind::exchange>(value, T{}, order, Order::acquire, caller);
  }
  /// Stores a value where the word is `expected`; otherwise `expected` becomes the word.
  ///
  /// @param order  whether it stores or not
  /// @return  whether it has stored
  DMA_HOST_DEVICE bool compare_exchange_strong(T& expected, T value, Order order = Order::seq_cst,
                                               Location caller = Location::here()) const {
    const T before = access<Kind::compare_exchange>(value, expected, order, Order::acquire, caller);
    const bool is_stored = bits(before) == bits(expected);
    expected = before;
    return is_stored;
  }
  /// The same: a GPU's does not fail without a reason.
  DMA_HOST_DEVICE bool compare_exchange_weak(T& expected, T value, Order order = Order::seq_cst,
                                             Location caller = Location::here()) const {
    return compare_exchange_strong(expected, value, order, caller);
  }
  /// Adds; returns the value before. Integers wrap.
  DMA_HOST_DEVICE T fetch_add(T value, Order order = Order::seq_cst, Location caller = Location::here()) const {
    return access<Kind::add>(value, T{}, order, Order::acquire, caller);
  }
  /// Adds, as a reduction: the value before is not returned, and it does not acquire.
  ///
  /// @param order  relaxed, release or seq_cst
  DMA_HOST_DEVICE void store_add(T value, Order order = Order::seq_cst, Location caller = Location::here()) const {
    DMA_EXPECTS(order != Order::acquire && order != Order::acq_rel,
                "dma::atomic_ref: a reduction does not acquire; take relaxed, release or seq_cst, or fetch_add");
    static_cast<void>(access<Kind::store_add>(value, T{}, order, Order::relaxed, caller));
  }
  DMA_HOST_DEVICE T fetch_sub(T value, Order order = Order::seq_cst, Location caller = Location::here()) const {
    return access<Kind::add>(static_cast<T>(T{} - value), T{}, order, Order::acquire, caller);
  }
  DMA_HOST_DEVICE T fetch_and(T value, Order order = Order::seq_cst, Location caller = Location::here()) const
      requires(stdlib::is_integral_v<T>) {
    return access<Kind::bit_and>(value, T{}, order, Order::acquire, caller);
  }
  DMA_HOST_DEVICE T fetch_or(T value, Order order = Order::seq_cst, Location caller = Location::here()) const
      requires(stdlib::is_integral_v<T>) {
    return access<Kind::bit_or>(value, T{}, order, Order::acquire, caller);
  }
  DMA_HOST_DEVICE T fetch_xor(T value, Order order = Order::seq_cst, Location caller = Location::here()) const
      requires(stdlib::is_integral_v<T>) {
    return access<Kind::bit_xor>(value, T{}, order, Order::acquire, caller);
  }
  /// The smaller of the two stays.
  DMA_HOST_DEVICE T fetch_min(T value, Order order = Order::seq_cst, Location caller = Location::here()) const
      requires(stdlib::is_integral_v<T>) {
    return access<Kind::least>(value, T{}, order, Order::acquire, caller);
  }
  /// The larger one.
  DMA_HOST_DEVICE T fetch_max(T value, Order order = Order::seq_cst, Location caller = Location::here()) const
      requires(stdlib::is_integral_v<T>) {
    return access<Kind::greatest>(value, T{}, order, Order::acquire, caller);
  }

 private:
  using Word = typename detail::AtomicTypeOf<T>::type;

  [[nodiscard]] DMA_HOST_DEVICE static stdlib::uint64_t bits(T value) {
    stdlib::uint64_t all = 0;
    memcpy(&all, &value, sizeof value);
    return all;
  }
  /// @param behind_fence  its order where a `fence.sc` precedes it
  template <Kind kind>
  DMA_HOST_DEVICE T access(T value, T expected, Order order, Order behind_fence, const Location& caller) const {
    machine::called_from(caller);
    if (order == Order::seq_cst) {
      machine::fence_threads<scope>(Order::seq_cst);
      order = behind_fence;
    }
    return static_cast<T>(
        machine::access_atomically<kind, scope>(word_, static_cast<Word>(value), static_cast<Word>(expected), order));
  }

  Word* word_;
};

}  // namespace dma::inline v0_1
