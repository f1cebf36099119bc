#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked_cta.hpp>
#include <dma/machine/checked_lanes.hpp>
#include <dma/machine/checked_message.hpp>
#include <dma/machine/checked_named_barrier.hpp>
#include <dma/machine/checked_slots.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/pipeline_record.hpp>
#include <dma/machine/ptx/sync.hpp>
#include <dma/machine/shared_alignment.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/machine/step.hpp>
#include <dma/machine/steps.hpp>
#include <dma/machine/watch.hpp>

/// The GPU model of the machine: instructions, and the state that the checked build keeps in shared memory.
/// `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::machine::gpu_model {

inline constexpr bool reads_take_time = true;
#if DMA_CHECKED
inline constexpr bool checks_contracts = true;
#else
inline constexpr bool checks_contracts = false;
#endif
inline constexpr bool compares_tiles = false;

template <int Needed, class Policy>
DMA_DEVICE void expect_architecture() {
  static_assert(__CUDA_ARCH__ >= Needed,
                "dma: the architecture that the kernel is compiled for does not have the instructions of an engine or "
                "a barrier: dma::BulkCopy and dma::TensorCopy need sm_90; dma::AsyncCopy, dma::CudaBarrier and L2 "
                "priorities need sm_80; leave the choice to dma::DefaultEngine and dma::DefaultBarrier, or use "
                "dma::RegisterCopy<> without CacheHints::l2 and dma::NamedBarrier");
}

/// Declared and never defined: a kernel whose register budgets would be ignored calls it, so that the assembler stops
/// with this name as the message. A compile error would also stop `-arch=sm_90a`, which adds PTX for plain compute_90
/// to the program. That PTX is assembled only on another GPU, and stops there.
extern "C" __device__ void dma_compile_register_budgets_for_sm_90a_instead_of_sm_90_or_leave_dma_Registers_out();

/// The instruction waits for registers without a limit, so the checked build only records the call.
template <int Launched, int Budget>
DMA_DEVICE void take_budget() {
  if constexpr (Budget != Launched && __CUDA_ARCH__ >= 900 && !ptx::has_setmaxnreg) {
    dma_compile_register_budgets_for_sm_90a_instead_of_sm_90_or_leave_dma_Registers_out();
  }
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    DMA_EXPECTS(!warp_record().has_budget,
                "dma::take_roles: a warp acquires its role's registers once in a kernel, and this one has them "
                "already; put all code of its role into one take_roles()");
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
[[nodiscard]] DMA_DEVICE bool has_budget() {
#if DMA_CHECKED
  return threadIdx.x % 32 != 0 || warp_record().has_budget;
#else
  return true;
#endif
}
DMA_DEVICE void claim_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned wanted = ((1U << count) - 1) << first;
    DMA_EXPECTS((warp_record().claimed & wanted) == 0,
                "dma::DmaPipeline: two pipelines of a kernel use the same named barriers at the same time, because "
                "they use the same DMA group; give each its own (FirstGroup), or use dma::CudaBarrier");
    warp_record().claimed = static_cast<unsigned short>(warp_record().claimed | wanted);
  }
#endif
}
DMA_DEVICE void release_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned given_up = ((1U << count) - 1) << first;
    warp_record().claimed = static_cast<unsigned short>(warp_record().claimed & ~given_up);
  }
#endif
}
DMA_DEVICE void claim_storage([[maybe_unused]] const void* storage, [[maybe_unused]] bool keeps_barriers) {
#if DMA_CHECKED
  open_storage(storage, keeps_barriers);
#endif
}
DMA_DEVICE void free_storage([[maybe_unused]] const void* storage) {
#if DMA_CHECKED
  close_storage(storage);
#endif
}
DMA_DEVICE void name_kernel([[maybe_unused]] const char* name) {
#if DMA_CHECKED
  forget_earlier_launch();
  if (threadIdx.x % 32 == 0) {
    cta_record().kernel = {cta_key(), name};
  }
#endif
}
DMA_DEVICE void enters([[maybe_unused]] Call call, [[maybe_unused]] const Site& site) {
#if DMA_CHECKED
  note_call(call, site);
  expect_converged(call);
#endif
}
[[nodiscard]] DMA_DEVICE PipelineRecord record_of([[maybe_unused]] const Site& pipeline) {
#if DMA_CHECKED
  return PipelineRecord(pipeline);
#else
  return {};
#endif
}
DMA_DEVICE void enters_again([[maybe_unused]] Call call, [[maybe_unused]] const Site& site,
                             [[maybe_unused]] const PipelineRecord& pipeline) {
#if DMA_CHECKED
  pipeline.store(call, site);
#endif
}
[[nodiscard]] DMA_DEVICE bool is_converged() {
#if DMA_CHECKED
  return __activemask() == whole_warp;
#else
  return true;
#endif
}
DMA_DEVICE void bring_together([[maybe_unused]] Call call) {
#if DMA_CHECKED
  expect_converged(call);
#endif
}
[[nodiscard]] DMA_DEVICE bool is_unwinding() { return false; }
/// Nothing is allocated in the first MiB: there, an address is null, or a tile of an array that is.
[[nodiscard]] DMA_DEVICE bool is_global(const void* address) {
  constexpr unsigned long long first_address = 1ULL << 20;
  return __isGlobal(address) != 0 && reinterpret_cast<unsigned long long>(address) >= first_address;
}
[[nodiscard]] DMA_DEVICE bool is_shared(const void* address) { return __isShared(address) != 0; }
[[nodiscard]] DMA_DEVICE SlotPlace slot_place([[maybe_unused]] const void* slot) {
#if DMA_CHECKED
  return place_of(slot);
#else
  return {};
#endif
}
DMA_DEVICE void slot_filled([[maybe_unused]] const void* slot, [[maybe_unused]] int elements, stdlib::uint64_t,
                            [[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  fill_slot(slot, static_cast<unsigned>(elements), place);
#endif
}
DMA_DEVICE void slot_used([[maybe_unused]] const void* slot, [[maybe_unused]] int elements, stdlib::uint64_t,
                          [[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  expect_filled(slot, static_cast<unsigned>(elements), place);
#endif
}
DMA_DEVICE void slot_emptied([[maybe_unused]] const void* slot, [[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  fill_slot(slot, SlotTile::unknown, place);
#endif
}
DMA_DEVICE void ends([[maybe_unused]] const void* storage, [[maybe_unused]] int next, [[maybe_unused]] int sides) {
#if DMA_CHECKED
  expect_same_end(storage, static_cast<unsigned>(next), static_cast<unsigned>(sides));
#endif
}
DMA_DEVICE void slot_held(const void*, int, bool) {}
DMA_DEVICE void slot_moving(const void*, const void*) {}
DMA_DEVICE void slots_gone(const void*, int) {}
DMA_DEVICE void pipeline_opened(const Site&, int) {}
DMA_DEVICE void called_from(SourceLocation) {}
DMA_DEVICE void works_on(const Site&) {}
DMA_DEVICE void touched(const void*, int, Access) {}
DMA_DEVICE void exposed(void*, int, int, Access) {}
/// A logged run takes the way of a host's recording.
[[nodiscard]] DMA_DEVICE constexpr bool polls_truly() { return DMA_LOG == 0; }
DMA_DEVICE constexpr void expect_row([[maybe_unused]] long long row, [[maybe_unused]] int position,
                                     [[maybe_unused]] long long rows) {
#if DMA_CHECKED
  if (row < 0 || row >= rows) {
    refuse_row(row, position, rows);
  }
#endif
}
template <class Call, class... Args>
DMA_DEVICE void call_on_device(const Args&... args) {
  Call::on_device(args...);
}

DMA_DEVICE void assume(bool fact) { __builtin_assume(fact); }
[[nodiscard]] DMA_DEVICE Index3 block() {
  return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
}
[[nodiscard]] DMA_DEVICE Index3 blocks() {
  return {static_cast<int>(gridDim.x), static_cast<int>(gridDim.y), static_cast<int>(gridDim.z)};
}
[[nodiscard]] DMA_DEVICE void* shared_memory() {
  extern __shared__ __align__(shared_alignment) unsigned char dma_dynamic_shared_memory[];
  return dma_dynamic_shared_memory;
}
template <class T>
[[nodiscard]] DMA_DEVICE T shuffle(T value, int source) {
  log_only(Step::shuffle);
  return __shfl_sync(0xffffffffU, value, source);
}
DMA_DEVICE void trigger_dependent_launch() {
  begin_step(Step::grid);
  ptx::start_dependents();
}
template <class Word>
DMA_DEVICE void use_counter(const Word*, const char*) {}
DMA_DEVICE void grid_dependency_wait() {
  begin_step(Step::grid);
  ptx::wait_for_prerequisites();
}
DMA_DEVICE void sync_cta() {
#if DMA_CHECKED
  if (__activemask() != whole_warp) {
    note_call(Call::cta_sync, {.pipeline = "Type = its CTA]"});
    meet(Call::cta_sync);
  }
#endif
  begin_named_step(Step::sync_cta, 0, static_cast<int>(blockDim.x));
  __syncthreads();
  end_step();
}
DMA_DEVICE void sync_warp() {
  log_only(Step::sync_warp);
  ptx::sync_warp();
}
[[nodiscard]] DMA_DEVICE bool elect() {
  const bool is_elected = ptx::elect();
  log_only(Step::elected, is_elected ? 1 : 0);
  return is_elected;
}
[[nodiscard]] DMA_DEVICE int per_lane(int value) { return value + ptx::zero_per_lane(); }
[[nodiscard]] DMA_DEVICE int sm_count() { return ptx::sm_count(); }
[[nodiscard]] DMA_DEVICE int cta_threads() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }
[[nodiscard]] DMA_DEVICE bool cta_is_linear() { return blockDim.y * blockDim.z == 1; }
[[nodiscard]] DMA_DEVICE int thread_rank() {
  const int rank = static_cast<int>(threadIdx.x);
  assume(rank >= 0 && rank < 1024);
  return rank;
}
[[nodiscard]] DMA_DEVICE int uniform_warp_rank() {
  log_only(Step::shuffle);
  return __shfl_sync(0xffffffffU, thread_rank() / 32, 0);
}

DMA_DEVICE void barrier_sync(int id, int threads, [[maybe_unused]] const Site& site) {
  begin_named_step(Step::barrier_sync, id, threads);
#if DMA_CHECKED
  await_count(id, threads / 32, count_arrival(id, threads / 32, site), site);
  ptx::sync_warp();
#endif
  ptx::barrier_sync(id, threads);
  end_step();
}
DMA_DEVICE void barrier_arrive(int id, int threads, [[maybe_unused]] const Site& site) {
  begin_named_step(Step::barrier_arrive, id, threads);
#if DMA_CHECKED
  static_cast<void>(count_arrival(id, threads / 32, site));
  ptx::sync_warp();
#endif
  ptx::barrier_arrive(id, threads);
  end_step();
}

DMA_DEVICE void phase_init(void* barrier, int arrivals) {
  begin_step(Step::phase_init, barrier, arrivals);
  ptx::mbarrier_init(barrier, arrivals);
}
DMA_DEVICE void phase_invalidate(void* barrier) {
  begin_step(Step::phase_invalidate, barrier, 0);
  ptx::mbarrier_invalidate(barrier);
}
DMA_DEVICE void phase_arrive(void* barrier, const Site&) {
  begin_step(Step::phase_arrive, barrier, 0);
  ptx::mbarrier_arrive(barrier);
  end_step();
}
DMA_DEVICE void phase_wait(void* barrier, unsigned parity, const Site& site) {
  begin_step(Step::phase_wait, barrier, static_cast<int>(parity));
  Watch watch(site, "phase parity", parity);
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
    watch.look();
  }
  end_step();
}
DMA_DEVICE void await_landing(const void* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait(barrier, parity)) {
  }
}
[[nodiscard]] DMA_DEVICE bool phase_is_complete(const void* barrier, unsigned parity) {
  return ptx::mbarrier_test_wait(barrier, parity);
}
DMA_DEVICE void phase_arrive_expecting(void* barrier, int bytes, const Site&) {
  begin_step(Step::phase_arrive, barrier, bytes);
  ptx::mbarrier_arrive_expect_tx(barrier, bytes);
}
DMA_DEVICE void phase_expect(void* barrier, int bytes, const Site&) {
  begin_step(Step::phase_expect, barrier, bytes);
  ptx::mbarrier_expect_tx(barrier, bytes);
}
DMA_DEVICE void phase_arrive_when_copied(void* barrier, const Site&) {
  begin_step(Step::phase_arrive_when_copied, barrier, 0);
  ptx::mbarrier_arrive_when_copied(barrier);
}
DMA_DEVICE void wait_for_async_copies() {
  begin_step(Step::wait_for_async_copies);
  ptx::wait_for_async_copies();
}
DMA_DEVICE void fence_async_proxy() {
  begin_step(Step::fence_async_proxy);
  ptx::fence_async_proxy();
}

DMA_DEVICE unsigned long long count(unsigned long long* word, unsigned long long value) {
  begin_step(Step::grid);
  return ptx::add_relaxed(word, value);
}
[[nodiscard]] DMA_DEVICE unsigned long long read_count(const unsigned long long* word) {
  return ptx::load_relaxed(word);
}
DMA_DEVICE void clear_count(unsigned long long* word) { ptx::store_relaxed(word, 0); }
[[nodiscard]] DMA_DEVICE unsigned count_around(unsigned* word, unsigned last) {
  begin_step(Step::grid);
  return ptx::increment_around(word, last);
}
template <class Condition>
DMA_DEVICE void await_grid(const Site& site, const char* counted, unsigned number, const Condition& holds) {
  Watch watch(site, counted, number);
  while (!holds()) {
    watch.look();
  }
}

[[nodiscard]] DMA_DEVICE unsigned long long trace_time(unsigned long long&) {
  return static_cast<unsigned long long>(clock64());
}
}  // namespace dma::machine::gpu_model

#endif
