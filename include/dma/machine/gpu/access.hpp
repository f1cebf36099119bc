#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/checks.hpp>
#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/gpu/ptx/atomic.hpp>
#include <dma/machine/gpu/ptx/cached.hpp>
#include <dma/machine/gpu/ptx/cluster.hpp>
#include <dma/machine/gpu/ptx/copy.hpp>
#include <dma/machine/gpu/ptx/tensor.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/step_hooks.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/word.hpp>

/// The accesses of a GPU. `dma/machine/access.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

template <int Bytes, CacheHints Hints>
[[nodiscard]] DMA_DEVICE Word<Bytes> load_global(const unsigned char* base, long long offset) {
  const auto* const from = reinterpret_cast<const Word<Bytes>*>(base + offset);
  if constexpr (Hints.say_nothing()) {
    return ptx::load_global(from);
  } else {
    return ptx::load_global<Hints>(from);
  }
}

template <int Bytes>
DMA_DEVICE void store_shared(unsigned char* base, int offset, const Word<Bytes>& word) {
  ptx::store_shared(ptx::shared_address(base) + static_cast<unsigned>(offset), word);
}

template <int Bytes>
DMA_DEVICE void store_shared_once(bool is_own, unsigned char* base, int offset, const Word<Bytes>& word) {
  if (!checks_contracts || is_own) {
    store_shared<Bytes>(base, offset, word);
  }
}

template <int Bytes>
[[nodiscard]] DMA_DEVICE Word<Bytes> load_shared(const unsigned char* base, int offset) {
  Word<Bytes> word;
  ptx::load_shared(word, ptx::shared_address(base) + static_cast<unsigned>(offset));
  return word;
}

inline constexpr bool clears_at_once = ptx::has_bulk_stores;
DMA_DEVICE void clear_shared(unsigned char* place, int bytes) { ptx::clear_shared(ptx::shared_address(place), bytes); }

template <int Bytes, CacheHints Hints>
DMA_DEVICE void store_global(unsigned char* base, long long offset, const Word<Bytes>& word) {
  auto* const to = reinterpret_cast<Word<Bytes>*>(base + offset);
  if constexpr (Hints.say_nothing()) {
    ptx::store_global(to, word);
  } else {
    ptx::store_global<Hints>(to, word);
  }
}

template <class Element, int Bytes>
DMA_DEVICE void add_global(unsigned char* to, const Word<Bytes>& word) {
  ptx::add_global(reinterpret_cast<Element*>(to), word);
}

template <int Bytes, CacheHints Hints>
DMA_DEVICE void copy_async(unsigned char* shared, int to, const unsigned char* global, long long from) {
  begin_copy(Step::copy_async, nullptr, shared + to, Bytes);
  const unsigned place = ptx::shared_address(shared) + static_cast<unsigned>(to);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_async<Bytes>(place, global + from);
  } else {
    ptx::copy_async<Bytes, Hints>(place, global + from);
  }
}

template <CacheHints Hints>
DMA_DEVICE void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) {
  begin_copy(Step::copy_to_shared, barrier, to, bytes);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_bulk_to_shared(ptx::shared_address(to), from, bytes, ptx::shared_address(barrier));
  } else {
    ptx::copy_bulk_to_shared<Hints>(ptx::shared_address(to), from, bytes, ptx::shared_address(barrier));
  }
}

template <CacheHints Hints>
DMA_DEVICE void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
  begin_copy(Step::copy_to_global, nullptr, from, bytes);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_bulk_to_global(to, ptx::shared_address(from), bytes);
  } else {
    ptx::copy_bulk_to_global<Hints>(to, ptx::shared_address(from), bytes);
  }
}

template <class Element, CacheHints Hints>
DMA_DEVICE void add_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
  begin_copy(Step::copy_to_global, nullptr, from, bytes);
  ptx::add_bulk_to_global<Element, Hints>(to, ptx::shared_address(from), bytes);
}

template <CacheHints Hints, int Rank, class Emulation>
DMA_DEVICE void copy_box_to_shared(unsigned char* to, const void* descriptor, const int (&position)[Rank],
                                   void* barrier, int bytes, const Emulation&) {
  begin_copy(Step::copy_to_shared, barrier, to, bytes);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_box_to_shared(ptx::shared_address(to), descriptor, position, ptx::shared_address(barrier));
  } else {
    ptx::copy_box_to_shared<Hints>(ptx::shared_address(to), descriptor, position, ptx::shared_address(barrier));
  }
}
template <CacheHints Hints, int Rank, class Emulation>
DMA_DEVICE void copy_box_to_global(const void* descriptor, const unsigned char* from, const int (&position)[Rank],
                                   int bytes, const Emulation&) {
  begin_copy(Step::copy_to_global, nullptr, from, bytes);
  if constexpr (Hints.say_nothing()) {
    ptx::copy_box_to_global(descriptor, position, ptx::shared_address(from));
  } else {
    ptx::copy_box_to_global<Hints>(descriptor, position, ptx::shared_address(from));
  }
}
template <CacheHints Hints, int Rank, class Emulation>
DMA_DEVICE void add_box_to_global(const void* descriptor, const unsigned char* from, const int (&position)[Rank],
                                  int bytes, const Emulation&) {
  begin_copy(Step::copy_to_global, nullptr, from, bytes);
  ptx::add_box_to_global<Hints>(descriptor, position, ptx::shared_address(from));
}

inline constexpr bool gathers_rows = ptx::has_gather;
inline constexpr bool scatters_rows = ptx::has_scatter;
template <CacheHints Hints, class Emulation>
DMA_DEVICE void gather_rows(unsigned char* to, const void* descriptor, const int (&place)[5], void* barrier,
                            int row_bytes, const Emulation&) {
  begin_copy(Step::copy_to_shared, barrier, to, 4 * row_bytes);
  if constexpr (gathers_rows) {
    ptx::gather_rows<Hints>(ptx::shared_address(to), descriptor, place, ptx::shared_address(barrier));
  } else {
    for (int row = 0; row < 4; ++row) {
      const int position[] = {place[0], place[1 + row]};
      ptx::copy_box_to_shared<Hints>(ptx::shared_address(to + row * row_bytes), descriptor, position,
                                     ptx::shared_address(barrier));
    }
  }
}
template <CacheHints Hints, class Emulation>
DMA_DEVICE void scatter_rows(const void* descriptor, const unsigned char* from, const int (&place)[5], int rows,
                             int row_bytes, const Emulation&) {
  begin_copy(Step::copy_to_global, nullptr, from, rows * row_bytes);
  if constexpr (scatters_rows) {
    ptx::scatter_rows<Hints>(descriptor, place, ptx::shared_address(from));
  } else {
    for (int row = 0; row < 4; ++row) {
      const int position[] = {place[0], place[1 + row]};
      if (row < rows) {
        ptx::copy_box_to_global<Hints>(descriptor, position, ptx::shared_address(from + row * row_bytes));
      }
    }
  }
}

DMA_DEVICE void commit_bulk_group() {
  begin_step(Step::commit_group);
  ptx::commit_bulk_group();
}

template <int Pending>
DMA_DEVICE void wait_for_bulk_reads() {
  begin_step(Step::wait_for_reads, Pending);
  ptx::wait_for_bulk_reads<Pending>();
}

DMA_DEVICE void wait_for_bulk_groups() {
  begin_step(Step::wait_for_groups);
  ptx::wait_for_bulk_groups();
}

template <Scope scope>
DMA_DEVICE void phase_arrive_at(void* barrier, int rank, const Site&) {
  begin_step(Step::phase_arrive, barrier, 0, rank);
  ptx::mbarrier_arrive_at<scope>(ptx::shared_address_in(barrier, rank));
  end_step();
}
DMA_DEVICE void phase_arrive_for_shared_at(void* barrier, int rank, const Site&) {
  begin_step(Step::phase_arrive, barrier, 0, rank);
  ptx::mbarrier_arrive_for_shared_at(ptx::shared_address_in(barrier, rank));
  end_step();
}
DMA_DEVICE void phase_arrive_in_pair_when_multiplied(void* barrier, const Site&) {
  const int even = cluster_rank() & ~1;
  begin_step(Step::phase_arrive, barrier, 0, even);
  begin_step(Step::phase_arrive, barrier, 0, even + 1);
  if constexpr (ptx::has_tcgen05) {
    ptx::mbarrier_arrive_in_ctas_when_multiplied(barrier, static_cast<unsigned short>(3U << even));
  }
}
DMA_DEVICE void phase_wait_in_cluster(void* barrier, unsigned parity, const Site& site) {
  begin_step(Step::phase_wait, barrier, static_cast<int>(parity));
  Watch watch(site, "phase parity", parity);
  while (!ptx::mbarrier_try_wait_in_cluster(barrier, parity)) {
    watch.look();
  }
  end_step();
}
template <int Bytes>
DMA_DEVICE void store_async(void* to, const Word<Bytes>& word, int rank, void* barrier) {
  begin_copy(Step::copy_to_shared, barrier, to, Bytes, rank);
  ptx::store_async(ptx::shared_address_in(to, rank), word, ptx::shared_address_in(barrier, rank));
}
DMA_DEVICE void copy_bulk_to_cta(void* to, const void* from, int bytes, int rank, void* barrier) {
  begin_copy(Step::copy_to_shared, barrier, to, bytes, rank);
  ptx::copy_bulk_between_ctas(ptx::shared_address_in(to, rank), from, bytes, ptx::shared_address_in(barrier, rank));
}
template <CacheHints Hints, int Rank, class Emulation>
DMA_DEVICE void copy_box_to_ctas(unsigned char* to, const void* descriptor, const int (&position)[Rank], void* barrier,
                                 int bytes, int ctas, const Emulation&) {
  begin_multicast(barrier, to, bytes, ctas);
  ptx::copy_box_to_ctas<Hints>(ptx::shared_address(to), descriptor, position, ptx::shared_address(barrier),
                               static_cast<unsigned short>((1U << ctas) - 1));
}

template <int Ctas>
inline constexpr bool cancels_clusters = Ctas == 1 ? ptx::has_launch_control : ptx::has_launch_control_of_clusters;
template <int Ctas>
DMA_DEVICE void cancel_cluster(void* response, void* barrier) {
  if constexpr (Ctas == 1) {
    begin_copy(Step::copy_to_shared, barrier, response, int{sizeof(Word<16>)});
    ptx::try_cancel(ptx::shared_address(response), ptx::shared_address(barrier));
  } else {
    begin_multicast(barrier, response, int{sizeof(Word<16>)}, Ctas);
    ptx::try_cancel_for_cluster(ptx::shared_address(response), ptx::shared_address(barrier));
  }
}
[[nodiscard]] DMA_DEVICE bool is_cancelled(const Word<16>& response) { return ptx::is_cancelled(response); }
[[nodiscard]] DMA_DEVICE Index3 first_cancelled(const Word<16>& response) { return ptx::first_cancelled(response); }

template <Scope scope>
DMA_DEVICE void expect_scope() {
  static_assert(scope != Scope::cluster || __CUDA_ARCH__ >= 900,
                "dma: Scope::cluster needs sm_90, the first architecture with clusters; use Scope::gpu");
}

/// A value of a type as the register that holds it, and back. The compiler makes no instruction of it.
template <class To, class From>
[[nodiscard]] DMA_DEVICE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <AtomicKind kind, Scope scope, Order order, class T>
[[nodiscard]] DMA_DEVICE T access_in_order(T* place, T value, T expected) {
  using Bits = stdlib::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  auto* const word = reinterpret_cast<Bits*>(place);
  if constexpr (kind == AtomicKind::load) {
    return bits_as<T>(ptx::load_atomically < releases(order) ? Order::acquire : order, scope > (word));
  } else if constexpr (kind == AtomicKind::store) {
    ptx::store_atomically<acquires(order) ? Order::release : order, scope>(word, bits_as<Bits>(value));
    return value;
  } else if constexpr (kind == AtomicKind::store_add) {
    ptx::reduce_atomically<AtomicKind::add, T, acquires(order) ? Order::release : order, scope>(word,
                                                                                                bits_as<Bits>(value));
    return value;
  } else if constexpr (kind == AtomicKind::compare_exchange) {
    return bits_as<T>(
        ptx::compare_and_swap_atomically<order, scope>(word, bits_as<Bits>(expected), bits_as<Bits>(value)));
  } else {
    using Type = stdlib::conditional_t<kind == AtomicKind::exchange, Bits, T>;
    return bits_as<T>(ptx::change_atomically<kind, Type, order, scope>(word, bits_as<Bits>(value)));
  }
}

/// A constant order makes one instruction of this.
template <AtomicKind kind, Scope scope, class T>
DMA_DEVICE T access_atomically(T* place, T value, T expected, Order order) {
  gpu_model::expect_scope<scope>();
  switch (order) {
    case Order::relaxed:
      return gpu_model::access_in_order<kind, scope, Order::relaxed>(place, value, expected);
    case Order::acquire:
      return gpu_model::access_in_order<kind, scope, Order::acquire>(place, value, expected);
    case Order::release:
      return gpu_model::access_in_order<kind, scope, Order::release>(place, value, expected);
    default:
      return gpu_model::access_in_order<kind, scope, Order::acq_rel>(place, value, expected);
  }
}

template <Scope scope>
DMA_DEVICE void fence_threads(Order order) {
  gpu_model::expect_scope<scope>();
  if (order == Order::seq_cst) {
    ptx::fence_sc<scope>();
  } else {
    ptx::fence_acq_rel<scope>();
  }
}

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
