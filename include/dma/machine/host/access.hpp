#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/host/instruction.hpp>
#include <dma/machine/host/machine.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/word.hpp>
#include <dma/standard.hpp>

/// The accesses of a host. `dma/machine/access.hpp` documents the names.
namespace dma::inline v0_1::machine::host_model {

/// A GPU faults on a misaligned access; a host would not.
template <int Bytes>
void expect_aligned(const unsigned char* address) {
  DMA_EXPECTS(
      reinterpret_cast<stdlib::uintptr_t>(address) % Bytes == 0,
      "dma: an access is at no multiple of its size, where a GPU would fault; align the address and the pattern's "
      "pitches, or declare a smaller run_alignment",
      "address", address, "bytes of the access", Bytes);
}

/// The thread is about to access global memory, or to issue a copy.
DMA_DETAIL_UNSEEN inline void access_global(Access access) { this_thread().global_accessed(access); }
DMA_DETAIL_UNSEEN inline void access_global(Access access, const unsigned char* place, int bytes) {
  access_global(access);
  this_thread().accesses_global(place, static_cast<stdlib::size_t>(bytes), access);
}
/// The shared side of a copy.
DMA_DETAIL_UNSEEN inline void access_shared(Access access, const unsigned char* place, int bytes) {
  this_thread().accesses_shared(place, static_cast<stdlib::size_t>(bytes), access);
}

template <int Bytes, CacheHints Hints>
[[nodiscard]] Word<Bytes> load_global(const unsigned char* base, long long offset) {
  Word<Bytes> word;
  expect_aligned<Bytes>(base + offset);
  access_global(Access::read, base + offset, Bytes);
  memcpy(&word, base + offset, Bytes);
  return word;
}

template <int Bytes>
void store_shared(unsigned char* base, int offset, const Word<Bytes>& word) {
  expect_aligned<Bytes>(base + offset);
  touched(base + offset, Bytes, Access::write);
  memcpy(base + offset, &word, Bytes);
}

template <int Bytes>
void store_shared_once(bool is_own, unsigned char* base, int offset, const Word<Bytes>& word) {
  if (is_own) {
    store_shared<Bytes>(base, offset, word);
  }
}

template <int Bytes>
[[nodiscard]] Word<Bytes> load_shared(const unsigned char* base, int offset) {
  Word<Bytes> word;
  expect_aligned<Bytes>(base + offset);
  touched(base + offset, Bytes, Access::read);
  memcpy(&word, base + offset, Bytes);
  return word;
}

inline constexpr bool clears_at_once = false;
inline void clear_shared(unsigned char*, int) {}

template <int Bytes, CacheHints Hints>
void store_global(unsigned char* base, long long offset, const Word<Bytes>& word) {
  expect_aligned<Bytes>(base + offset);
  access_global(Access::write, base + offset, Bytes);
  memcpy(base + offset, &word, Bytes);
}

template <class Element, int Bytes>
void add_global(unsigned char* to, const Word<Bytes>& word) {
  expect_aligned<Bytes>(to);
  access_global(Access::write, to, Bytes);
  add_elements<Element>(to, reinterpret_cast<const unsigned char*>(&word), Bytes);
}

/// Reports both sides of a copy, and issues it. What a box leaves out of its array is no access.
DMA_DETAIL_UNSEEN inline void issue(const Instruction& copy) {
  const bool is_store = copy.kind == OperationKind::copy_to_global;
  copy.for_each_global_run([&](const unsigned char* place, int bytes) {
    this_thread().accesses_global(place, static_cast<stdlib::size_t>(bytes), is_store ? Access::write : Access::read);
  });
  access_shared(is_store ? Access::read : Access::write, copy.shared_side(), copy.count);
  execute(copy);
}
DMA_DETAIL_UNSEEN inline void copy_range(OperationKind kind, unsigned char* to, const unsigned char* from, int bytes,
                                         void* barrier = nullptr) {
  access_global(kind == OperationKind::copy_to_global ? Access::write : Access::read);
  issue({.kind = kind, .count = bytes, .barrier = barrier, .to = to, .from = from});
}
template <class Copy>
void copy_box_from(const unsigned char* from, const Copy& copy, int bytes) {
  access_global(Access::write);
  const BoxCopy box(copy);
  issue({.kind = OperationKind::copy_to_global, .count = bytes, .from = from, .box = &box});
}

template <int Bytes, CacheHints Hints>
void copy_async(unsigned char* shared, int to, const unsigned char* global, long long from) {
  expect_aligned<Bytes>(shared + to);
  expect_aligned<Bytes>(global + from);
  copy_range(OperationKind::copy_async, shared + to, global + from, Bytes);
}

template <CacheHints Hints>
void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void* barrier) {
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  copy_range(OperationKind::copy_to_shared, to, from, bytes, barrier);
}

template <CacheHints Hints>
void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  copy_range(OperationKind::copy_to_global, to, from, bytes);
}

/// One run that is added to global memory.
template <class Element>
struct RunSum {
  static constexpr bool adds = true;
  unsigned char* to;
  const unsigned char* from;
  int bytes;

  void operator()() const { add_elements<Element>(to, from, bytes); }
  template <class Visit>
  void for_each_global_run(const Visit& visit) const {
    visit(to, bytes);
  }
};
template <class Element, CacheHints Hints>
void add_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) {
  expect_aligned<16>(to);
  expect_aligned<16>(from);
  copy_box_from(from, RunSum<Element>{to, from, bytes}, bytes);
}

template <CacheHints Hints, int Rank, class Emulation>
void copy_box_to_shared(unsigned char* to, const void*, const int (&)[Rank], void* barrier, int bytes,
                        const Emulation& emulation) {
  access_global(Access::read);
  const BoxCopy box(emulation());
  issue({.kind = OperationKind::copy_to_shared, .count = bytes, .barrier = barrier, .to = to, .box = &box});
}
template <CacheHints Hints, int Rank, class Emulation>
void copy_box_to_global(const void*, const unsigned char* from, const int (&)[Rank], int bytes,
                        const Emulation& emulation) {
  copy_box_from(from, emulation(), bytes);
}
template <CacheHints Hints, int Rank, class Emulation>
void add_box_to_global(const void*, const unsigned char* from, const int (&)[Rank], int bytes,
                       const Emulation& emulation) {
  copy_box_from(from, emulation(), bytes);
}

inline constexpr bool gathers_rows = true;
inline constexpr bool scatters_rows = true;
template <CacheHints Hints, class Emulation>
void gather_rows(unsigned char* to, const void*, const int (&)[5], void* barrier, int row_bytes,
                 const Emulation& emulation) {
  access_global(Access::read);
  const BoxCopy box(emulation());
  issue({.kind = OperationKind::copy_to_shared, .count = 4 * row_bytes, .barrier = barrier, .to = to, .box = &box});
}
template <CacheHints Hints, class Emulation>
void scatter_rows(const void*, const unsigned char* from, const int (&)[5], int rows, int row_bytes,
                  const Emulation& emulation) {
  copy_box_from(from, emulation(), rows * row_bytes);
}

inline void commit_bulk_group() { execute({.kind = OperationKind::commit_group}); }

template <int Pending>
void wait_for_bulk_reads() {
  execute({.kind = OperationKind::await_group_reads, .count = Pending, .site = {.point = Point::bulk_copies}});
}

inline void wait_for_bulk_groups() {
  execute({.kind = OperationKind::await_groups, .site = {.point = Point::bulk_copies}});
}

DMA_DETAIL_UNSEEN inline void arrive_at(void* barrier, int rank, Ordered ordered, const Site& site) {
  execute({.kind = OperationKind::phase_arrive, .barrier = barrier, .cta = rank, .ordered = ordered, .site = site});
}
template <Scope scope>
DMA_DETAIL_UNSEEN void phase_arrive_at(void* barrier, int rank, const Site& site) {
  arrive_at(barrier, rank, scope == Scope::cluster ? Ordered::in_cluster : Ordered::in_cta, site);
}
DMA_DETAIL_UNSEEN inline void phase_arrive_for_shared_at(void* barrier, int rank, const Site& site) {
  arrive_at(barrier, rank, Ordered::shared_memory_in_cluster, site);
}
DMA_DETAIL_UNSEEN inline void phase_arrive_in_pair_when_multiplied(void* barrier, const Site& site) {
  const int even = this_thread().cluster_rank() & ~1;
  for (const int rank : {even, even + 1}) {
    execute({.kind = OperationKind::arrive_when_multiplied,
             .barrier = barrier,
             .cta = rank,
             .ctas = 2,
             .ordered = Ordered::in_cluster,
             .site = site});
  }
}
DMA_DETAIL_UNSEEN inline void phase_wait_in_cluster(void* barrier, unsigned parity, const Site& site) {
  execute({.kind = OperationKind::wait,
           .count = static_cast<int>(parity),
           .barrier = barrier,
           .ordered = Ordered::in_cluster,
           .site = site});
}

/// What one instruction writes into the shared memory of a CTA.
struct CopyBetweenCtas {
  static constexpr bool adds = false;
  unsigned char* to;
  const unsigned char* from;  ///< null for a word
  int bytes;
  Word<16> word;

  void operator()() const {
    memcpy(to, from == nullptr ? static_cast<const void*>(&word) : from, static_cast<unsigned>(bytes));
  }
  template <class Visit>
  void for_each_global_run(const Visit&) const {}
};
DMA_DETAIL_UNSEEN inline void copy_to_cta(const CopyBetweenCtas& copy, int rank, void* barrier) {
  const BoxCopy box(copy);
  execute({.kind = OperationKind::copy_to_shared,
           .count = copy.bytes,
           .barrier = barrier,
           .cta = rank,
           .is_between_ctas = true,
           .to = copy.to,
           .from = copy.from,
           .box = &box});
}
template <int Bytes>
DMA_DETAIL_UNSEEN void store_async(void* to, const Word<Bytes>& word, int rank, void* barrier) {
  auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
  expect_aligned<Bytes>(there);
  access_shared(Access::write, there, Bytes);
  CopyBetweenCtas copy{there, nullptr, Bytes, {}};
  memcpy(&copy.word, &word, Bytes);
  copy_to_cta(copy, rank, barrier);
}
DMA_DETAIL_UNSEEN inline void copy_bulk_to_cta(void* to, const void* from, int bytes, int rank, void* barrier) {
  auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
  const auto* const here = static_cast<const unsigned char*>(from);
  expect_aligned<16>(there);
  expect_aligned<16>(here);
  access_shared(Access::write, there, bytes);
  access_shared(Access::read, here, bytes);
  copy_to_cta({there, here, bytes, {}}, rank, barrier);
}
template <CacheHints Hints, int Rank, class Emulation>
void copy_box_to_ctas(unsigned char* to, const void*, const int (&)[Rank], void* barrier, int bytes, int ctas,
                      const Emulation& emulation) {
  access_global(Access::read);
  for (int rank = 0; rank < ctas; ++rank) {
    auto* const there = static_cast<unsigned char*>(this_thread().peer_address(to, rank));
    const BoxCopy box(emulation(there));
    issue({.kind = OperationKind::copy_to_shared,
           .count = bytes,
           .barrier = barrier,
           .cta = rank,
           .to = there,
           .box = &box});
  }
}

/// A response, as a host writes it: one of these two words, then the index in the grid of the cluster's first CTA.
inline constexpr unsigned one_is_cancelled = 0xca5ce1ed;
inline constexpr unsigned none_is_cancelled = 0xfa11ed00;
struct Response {
  static constexpr bool adds = false;
  unsigned char* to;
  Word<16> word;

  void operator()() const { memcpy(to, &word, sizeof word); }
  template <class Visit>
  void for_each_global_run(const Visit&) const {}
};
template <int Ctas>
inline constexpr bool cancels_clusters = true;
/// What is cancelled is settled here, and the response comes later, to `ctas` CTAs.
DMA_DETAIL_UNSEEN inline void cancel_cluster_for(int ctas, void* response, void* barrier) {
  Index3 first{};
  const Index3 grid = this_thread().blocks();
  const bool is_cancelled = this_thread().cancels_cluster(first);
  const unsigned index = is_cancelled ? static_cast<unsigned>(first.x + grid.x * (first.y + grid.y * first.z)) : 0;
  report_count(is_cancelled ? 1ULL + index : 0);
  for (int rank = 0; rank < ctas; ++rank) {
    auto* const there = static_cast<unsigned char*>(ctas == 1 ? response : this_thread().peer_address(response, rank));
    expect_aligned<16>(there);
    access_shared(Access::write, there, int{sizeof(Word<16>)});
    const BoxCopy box(Response{there, {{is_cancelled ? one_is_cancelled : none_is_cancelled, index, 0, 0}}});
    execute({.kind = OperationKind::copy_to_shared,
             .count = int{sizeof(Word<16>)},
             .barrier = barrier,
             .cta = ctas == 1 ? Instruction::own_cta : rank,
             .to = there,
             .box = &box});
  }
}
template <int Ctas>
DMA_DETAIL_UNSEEN void cancel_cluster(void* response, void* barrier) {
  cancel_cluster_for(Ctas, response, barrier);
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline bool is_cancelled(const Word<16>& response) {
  if (response.part[0] != one_is_cancelled && response.part[0] != none_is_cancelled) {
    detail::refuse(
        "dma::host: these 16 bytes are no response to a request for a cluster (clusterlaunchcontrol.try_cancel); wait "
        "for the barrier that counts them before they are read");
  }
  this_thread().learns_of_response(response.part[0] == one_is_cancelled);
  return response.part[0] == one_is_cancelled;
}
[[nodiscard]] DMA_DETAIL_UNSEEN inline Index3 first_cancelled(const Word<16>& response) {
  if (response.part[0] != one_is_cancelled) {
    detail::refuse(
        "dma::host: the response names no cluster, and which one a GPU returns is undefined then "
        "(clusterlaunchcontrol.query_cancel); ask first whether there is one");
  }
  const Index3 grid = this_thread().blocks();
  const int index = static_cast<int>(response.part[1]);
  return {index % grid.x, index / grid.x % grid.y, index / grid.x / grid.y};
}

template <AtomicKind kind, Scope scope, class T>
[[gnu::noinline]] DMA_DETAIL_UNSEEN T access_atomically(T* place, T value, T expected, Order order) {
  auto* const bytes = reinterpret_cast<unsigned char*>(place);
  expect_aligned<sizeof(T)>(bytes);
  const Access access = kind == AtomicKind::load ? Access::read : Access::write;
  if (is_shared(place)) {
    access_shared(access, bytes, int{sizeof(T)});
  } else {
    access_global(access, bytes, int{sizeof(T)});
  }
  AtomicInstruction instruction{.kind = kind,
                                .type = stdlib::is_floating_point_v<T> ? AtomicType::floating
                                        : stdlib::is_signed_v<T>       ? AtomicType::with_sign
                                                                       : AtomicType::bits,
                                .order = order,
                                .scope = scope,
                                .place = place,
                                .bytes = int{sizeof(T)},
                                .code = __builtin_return_address(0),
                                .state = DMA_DETAIL_STATE};
  memcpy(&instruction.value, &value, sizeof value);
  memcpy(&instruction.expected, &expected, sizeof expected);
  const stdlib::uint64_t before = this_thread().access_atomically(instruction);
  T result;
  memcpy(&result, &before, sizeof result);
  return result;
}

template <Scope scope>
[[gnu::noinline]] DMA_DETAIL_UNSEEN void fence_threads(Order order) {
  static_cast<void>(this_thread().access_atomically({.kind = AtomicKind::fence,
                                                     .order = order,
                                                     .scope = scope,
                                                     .code = __builtin_return_address(0),
                                                     .state = DMA_DETAIL_STATE}));
}

}  // namespace dma::inline v0_1::machine::host_model
