#pragma once

#include <dma/config.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/gpu/checks.hpp>
#include <dma/machine/gpu/logged_step.hpp>
#include <dma/machine/gpu/ptx/between_ctas.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/step_hooks.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/word.hpp>

/// The GPU's barriers and copies between CTAs. `dma/machine/between_ctas.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

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

}  // namespace dma::v0_1::machine::gpu_model

#endif
