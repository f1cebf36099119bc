#pragma once

#include <dma/config.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/watch.hpp>

/// The synchronization a CTA offers, on whichever machine the code runs: the instruction on a GPU, the emulated
/// thread's CTA on a host. Barrier models are written over these and hold no branch on the machine of their own.
namespace dma::machine {

/// What a kernel body's shared memory begins at: the most that a tile may ask for.
inline constexpr int shared_alignment = 1024;

/// Tells the compiler what it cannot see: loops over a rank have then a constant number of rounds.
DMA_HOST_DEVICE void assume([[maybe_unused]] bool fact) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(fact);
#endif
}

#if defined(__CUDA_ARCH__)
inline constexpr bool is_host = false;
/// From the registers that the launch gave to those of a role. Collective over the role's warps; the branch to the role
/// has to stand right before it, or the compiler cannot tell which code has how many registers. Taking waits until
/// others have given theirs back, for ever if need be: the checked build only notes that it would.
template <int Launched, int Budget>
DMA_HOST_DEVICE void take_budget() {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    DMA_EXPECTS(!warp_record().has_budget,
                "dma::take_roles: a warp takes its role's registers once in a kernel, and this one has them already; "
                "put all that its role does into one take_roles()");
    warp_record().has_budget = true;
  }
#else
  if constexpr (Budget < Launched) {
    ptx::give_registers_back<Budget>();
  } else if constexpr (Budget > Launched) {
    ptx::take_registers<Budget>();
  }
#endif
}
/// Whether this thread has taken its role's registers, where somebody sees to it.
[[nodiscard]] DMA_HOST_DEVICE bool has_budget() {
#if DMA_CHECKED
  return threadIdx.x % 32 != 0 || warp_record().has_budget;
#else
  return true;
#endif
}
/// Hardware barriers that a pipeline of this thread holds: a second pipeline may not have the same ones.
DMA_HOST_DEVICE void claim_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned wanted = ((1U << count) - 1) << first;
    DMA_EXPECTS((warp_record().claimed & wanted) == 0,
                "dma::DmaPipeline: two pipelines of a kernel use the same named barriers at a time, because they use "
                "the same DMA group; give each its own (FirstGroup), or use dma::CudaBarrier");
    warp_record().claimed = static_cast<unsigned short>(warp_record().claimed | wanted);
  }
#endif
}
DMA_HOST_DEVICE void release_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned given_up = ((1U << count) - 1) << first;
    warp_record().claimed = static_cast<unsigned short>(warp_record().claimed & ~given_up);
  }
#endif
}
/// The name of the kernel body that runs, for messages.
DMA_HOST_DEVICE void name_kernel([[maybe_unused]] const char* name) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    warp_record().kernel = name;
  }
#endif
}
/// Whether an address is what a copy takes it for.
[[nodiscard]] DMA_HOST_DEVICE bool is_global(const void* address) { return __isGlobal(address) != 0; }
[[nodiscard]] DMA_HOST_DEVICE bool is_shared(const void* address) { return __isShared(address) != 0; }
/// What the two sides of a pipeline do with a slot: a host sees to it that they agree.
DMA_HOST_DEVICE void slot_filled(const void*, int) {}
DMA_HOST_DEVICE void slot_used(const void*, int) {}
DMA_HOST_DEVICE void slot_held(const void*, int, bool) {}
DMA_HOST_DEVICE void slot_moving(const void*) {}
DMA_HOST_DEVICE void slots_gone(const void*, int) {}
/// What a host can tell who watches it: the call that the thread is in, and the bytes that it touches by itself.
DMA_HOST_DEVICE void called_from(SourceLocation) {}
DMA_HOST_DEVICE void touched(const void*, int, Access) {}
DMA_HOST_DEVICE void exposed(void*, int, int, Access) {}
/// Whether a poll whose two answers must both do says what is the case; a host may want to hear no.
[[nodiscard]] DMA_HOST_DEVICE constexpr bool polls_truly() { return true; }
[[nodiscard]] DMA_HOST_DEVICE Index3 block() {
  return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
}
[[nodiscard]] DMA_HOST_DEVICE Index3 blocks() {
  return {static_cast<int>(gridDim.x), static_cast<int>(gridDim.y), static_cast<int>(gridDim.z)};
}
[[nodiscard]] DMA_HOST_DEVICE void* shared_memory() {
  extern __shared__ __align__(shared_alignment) unsigned char dma_dynamic_shared_memory[];
  return dma_dynamic_shared_memory;
}
template <class T>
[[nodiscard]] DMA_HOST_DEVICE T shuffle(T value, int source) {
  return __shfl_sync(0xffffffffU, value, source);
}
DMA_HOST_DEVICE void trigger_dependent_launch() { ptx::start_dependents(); }
DMA_HOST_DEVICE void grid_dependency_wait() { ptx::wait_for_prerequisites(); }
DMA_HOST_DEVICE void sync_cta() { __syncthreads(); }
DMA_HOST_DEVICE void sync_warp() { ptx::sync_warp(); }
[[nodiscard]] DMA_HOST_DEVICE bool elect() { return ptx::elect(); }
/// The same value in a register of each lane's own, where the assembler would keep it in one of the warp's.
[[nodiscard]] DMA_HOST_DEVICE int per_lane(int value) { return value + ptx::zero_per_lane(); }
[[nodiscard]] DMA_HOST_DEVICE int cta_threads() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }
/// Whether a thread's rank is its first index.
[[nodiscard]] DMA_HOST_DEVICE bool cta_is_linear() { return blockDim.y * blockDim.z == 1; }
[[nodiscard]] DMA_HOST_DEVICE int thread_rank() {
  const int rank = static_cast<int>(threadIdx.x);
  assume(rank >= 0 && rank < 1024);
  return rank;
}
/// The warp's rank as a value that the compiler knows to be one for all lanes, so that a branch on it is uniform.
/// Collective over the warp, unlike the rank itself.
[[nodiscard]] DMA_HOST_DEVICE int uniform_warp_rank() { return __shfl_sync(0xffffffffU, thread_rank() / 32, 0); }

#if DMA_CHECKED
/// The hardware's barriers wait for ever, so these count in shared memory.
DMA_HOST_DEVICE void barrier_sync(int id, int threads, const Site& site) {
  ptx::sync_warp();
  if (threadIdx.x % 32 == 0) {
    await_word(id, arrive_at_word(id, threads / 32, site), site);
  }
  ptx::sync_warp();
}
DMA_HOST_DEVICE void barrier_arrive(int id, int threads, const Site& site) {
  ptx::sync_warp();
  if (threadIdx.x % 32 == 0) {
    static_cast<void>(arrive_at_word(id, threads / 32, site));
  }
  ptx::sync_warp();
}
#else
DMA_HOST_DEVICE void barrier_sync(int id, int threads, const Site&) { ptx::barrier_sync(id, threads); }
DMA_HOST_DEVICE void barrier_arrive(int id, int threads, const Site&) { ptx::barrier_arrive(id, threads); }
#endif

DMA_HOST_DEVICE void phase_init(void* barrier, int arrivals) { ptx::mbarrier_init(barrier, arrivals); }
DMA_HOST_DEVICE void phase_invalidate(void* barrier) { ptx::mbarrier_invalidate(barrier); }
DMA_HOST_DEVICE void phase_arrive(void* barrier, const Site&) { ptx::mbarrier_arrive(barrier); }
DMA_HOST_DEVICE void phase_wait(void* barrier, unsigned parity, const Site& site) {
  const Watch watch(site, "phase parity", parity);
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
    watch.look();
  }
}
[[nodiscard]] DMA_HOST_DEVICE bool phase_is_complete(const void* barrier, unsigned parity) {
  return ptx::mbarrier_test_wait(barrier, parity);
}
/// Arrives and says how many bytes asynchronous copies are to bring in this phase.
DMA_HOST_DEVICE void phase_arrive_expecting(void* barrier, int bytes, const Site&) {
  ptx::mbarrier_arrive_expect_tx(barrier, bytes);
}
DMA_HOST_DEVICE void phase_expect(void* barrier, int bytes, const Site&) { ptx::mbarrier_expect_tx(barrier, bytes); }
/// Holds the phase up until the thread's asynchronous copies so far are complete.
DMA_HOST_DEVICE void phase_arrive_when_copied(void* barrier, const Site&) { ptx::mbarrier_arrive_when_copied(barrier); }
DMA_HOST_DEVICE void wait_for_async_copies() { ptx::wait_for_async_copies(); }
DMA_HOST_DEVICE void fence_async_proxy() { ptx::fence_async_proxy(); }

/// A word in global memory that all CTAs count in. Gives what it was before.
DMA_HOST_DEVICE unsigned long long count(unsigned long long* word, unsigned long long value) {
  return ptx::add_relaxed(word, value);
}
[[nodiscard]] DMA_HOST_DEVICE unsigned long long read_count(const unsigned long long* word) {
  return ptx::load_relaxed(word);
}
DMA_HOST_DEVICE void clear_count(unsigned long long* word) { ptx::store_relaxed(word, 0); }
/// One more in a word that CTAs count in from zero to `last` and round again, in order with what they write.
[[nodiscard]] DMA_HOST_DEVICE unsigned count_around(unsigned* word, unsigned last) {
  return ptx::increment_around(word, last);
}

/// The time in a trace: the SM's cycles, or a host's steps, which are counted.
[[nodiscard]] DMA_HOST_DEVICE unsigned long long trace_time(unsigned long long&) {
  return static_cast<unsigned long long>(clock64());
}
#else
inline constexpr bool is_host = true;
template <int Launched, int Budget>
DMA_HOST_DEVICE void take_budget() {
  this_thread().take_budget();
}
[[nodiscard]] DMA_HOST_DEVICE bool has_budget() { return this_thread().has_budget(); }
DMA_HOST_DEVICE void claim_barriers(int first, int count) { this_thread().claim_barriers(first, count); }
DMA_HOST_DEVICE void release_barriers(int first, int count) { this_thread().release_barriers(first, count); }
DMA_HOST_DEVICE void name_kernel(const char*) {}
[[nodiscard]] DMA_HOST_DEVICE bool is_global(const void*) { return true; }
[[nodiscard]] DMA_HOST_DEVICE bool is_shared(const void*) { return true; }
DMA_HOST_DEVICE void slot_filled(const void* slot, int elements) { this_thread().slot_filled(slot, elements); }
DMA_HOST_DEVICE void slot_used(const void* slot, int elements) { this_thread().slot_used(slot, elements); }
DMA_HOST_DEVICE void slot_held(const void* slot, int bytes, bool is_held) {
  this_thread().slot_held(slot, bytes, is_held);
}
DMA_HOST_DEVICE void slot_moving(const void* slot) { this_thread().slot_moving(slot); }
DMA_HOST_DEVICE void slots_gone(const void* storage, int bytes) { this_thread().slots_gone(storage, bytes); }
DMA_HOST_DEVICE void called_from(SourceLocation caller) { this_thread().called_from(caller); }
DMA_HOST_DEVICE void touched(const void* place, int bytes, Access access) {
  if (EmulatedThread* const thread = watched_thread()) {
    thread->touched(place, bytes, access);
  }
}
DMA_HOST_DEVICE void exposed(void* tile, int bytes, int element_bytes, Access access) {
  if (EmulatedThread* const thread = watched_thread()) {
    thread->exposed(tile, bytes, element_bytes, access);
  }
}
[[nodiscard]] DMA_HOST_DEVICE bool polls_truly() { return this_thread().polls_truly(); }
[[nodiscard]] DMA_HOST_DEVICE Index3 block() { return this_thread().block(); }
[[nodiscard]] DMA_HOST_DEVICE Index3 blocks() { return this_thread().blocks(); }
[[nodiscard]] DMA_HOST_DEVICE void* shared_memory() { return this_thread().shared(); }
template <class T>
[[nodiscard]] DMA_HOST_DEVICE T shuffle(T value, int source) {
  this_thread().shuffle(&value, sizeof value, source);
  return value;
}
DMA_HOST_DEVICE void trigger_dependent_launch() {}
DMA_HOST_DEVICE void grid_dependency_wait() {}
DMA_HOST_DEVICE void sync_cta() { this_thread().sync_cta(); }
DMA_HOST_DEVICE void sync_warp() { this_thread().sync_warp(); }
[[nodiscard]] DMA_HOST_DEVICE bool elect() { return this_thread().rank() % 32 == 0; }
[[nodiscard]] DMA_HOST_DEVICE int per_lane(int value) { return value; }
[[nodiscard]] DMA_HOST_DEVICE int cta_threads() { return this_thread().threads(); }
[[nodiscard]] DMA_HOST_DEVICE bool cta_is_linear() { return true; }
[[nodiscard]] DMA_HOST_DEVICE int thread_rank() { return this_thread().rank(); }
[[nodiscard]] DMA_HOST_DEVICE int uniform_warp_rank() {
  this_thread().sync_warp();
  return this_thread().rank() / 32;
}

DMA_HOST_DEVICE void barrier_sync(int id, int threads, const Site& site) {
  this_thread().barrier_sync(id, threads, site);
}
DMA_HOST_DEVICE void barrier_arrive(int id, int threads, const Site& site) {
  this_thread().barrier_arrive(id, threads, site);
}

DMA_HOST_DEVICE void phase_init(void* barrier, int arrivals) { this_thread().phase_init(barrier, arrivals); }
DMA_HOST_DEVICE void phase_invalidate(void* barrier) { this_thread().phase_invalidate(barrier); }
DMA_HOST_DEVICE void phase_arrive(void* barrier, const Site& site) { this_thread().phase_arrive(barrier, site); }
DMA_HOST_DEVICE void phase_wait(void* barrier, unsigned parity, const Site& site) {
  this_thread().phase_wait(barrier, parity, site);
}
[[nodiscard]] DMA_HOST_DEVICE bool phase_is_complete(const void* barrier, unsigned parity) {
  return this_thread().phase_is_complete(barrier, parity);
}
DMA_HOST_DEVICE void phase_arrive_expecting(void* barrier, int bytes, const Site& site) {
  this_thread().phase_expect(barrier, bytes, site);
  this_thread().phase_arrive(barrier, site);
}
DMA_HOST_DEVICE void phase_expect(void* barrier, int bytes, const Site& site) {
  this_thread().phase_expect(barrier, bytes, site);
}
DMA_HOST_DEVICE void phase_arrive_when_copied(void* barrier, const Site& site) {
  this_thread().phase_arrive_when_copied(barrier, site);
}
DMA_HOST_DEVICE void wait_for_async_copies() { this_thread().wait_for_async_copies(); }
DMA_HOST_DEVICE void fence_async_proxy() { this_thread().fence_async_proxy(); }

DMA_HOST_DEVICE unsigned long long count(unsigned long long* word, unsigned long long value) {
  const unsigned long long before = *word;
  *word += value;
  return before;
}
[[nodiscard]] DMA_HOST_DEVICE unsigned long long read_count(const unsigned long long* word) { return *word; }
DMA_HOST_DEVICE void clear_count(unsigned long long* word) { *word = 0; }
[[nodiscard]] DMA_HOST_DEVICE unsigned count_around(unsigned* word, unsigned last) {
  const unsigned before = *word;
  *word = before == last ? 0 : before + 1;
  return before;
}

[[nodiscard]] DMA_HOST_DEVICE unsigned long long trace_time(unsigned long long& steps) { return steps++; }
#endif

}  // namespace dma::machine
