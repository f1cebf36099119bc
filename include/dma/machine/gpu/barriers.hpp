#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/checks.hpp>
#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>
#include <dma/machine/gpu/ptx/sync.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/step_hooks.hpp>
#include <dma/machine/gpu/thread.hpp>
#include <dma/machine/site.hpp>

/// The GPU's model of barriers, fences and counters. `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

/// A logged run takes the way of a host's recording.
[[nodiscard]] DMA_DEVICE constexpr bool polls_truly() { return DMA_DETAIL_LOG == 0; }
DMA_DEVICE void barrier_sync(int id, int threads, const Site& site) {
  begin_named_step(Step::barrier_sync, id, threads);
  count_and_wait(id, threads, site);
  ptx::barrier_sync(id, threads);
  end_step();
}
DMA_DEVICE void barrier_arrive(int id, int threads, const Site& site) {
  begin_named_step(Step::barrier_arrive, id, threads);
  count_only(id, threads, site);
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
DMA_DEVICE void phase_arrive_when_multiplied(void* barrier, const Site&) {
  begin_step(Step::phase_arrive, barrier, 0);
  if constexpr (ptx::has_tcgen05) {
    ptx::mbarrier_arrive_when_multiplied(barrier);
  }
}
DMA_DEVICE void wait_for_async_copies() {
  begin_step(Step::wait_for_async_copies);
  ptx::wait_for_async_copies();
}
DMA_DEVICE void fence_async_proxy() {
  begin_step(Step::fence_async_proxy);
  ptx::fence_async_proxy();
}

DMA_DEVICE void begin_async_reads(const void*, int) {}
DMA_DEVICE void commit_async_reads() {
  begin_step(Step::commit_reads);
  count_read_group();
  ptx::commit_matrix_group();
}
template <int Pending>
DMA_DEVICE void wait_for_async_reads() {
  begin_step(Step::await_reads, Pending);
  ptx::wait_for_matrix_groups<Pending>();
  count_groups_read(Pending);
}

DMA_DEVICE unsigned long long count(unsigned long long* word, unsigned long long value) {
  begin_step(Step::grid);
  return ptx::add_relaxed(word, value);
}
[[nodiscard]] DMA_DEVICE unsigned long long take_number(unsigned long long* word, unsigned long long one, int) {
  return count(word, one);
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

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
