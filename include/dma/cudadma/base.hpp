#pragma once

/// CudaDMA 2.0's base class and its cache qualifiers, over this library.

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/cache_hints.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>

namespace dma::inline v0_1::cudadma {

/// Cache operators of a transfer's loads: `.ca`, `.cg`, `.cs`, `.lu`, `.cv`.
enum CudaDMALoadQualifier {
  LOAD_CACHE_ALL,
  LOAD_CACHE_GLOBAL,
  LOAD_CACHE_STREAMING,
  LOAD_CACHE_LAST_USE,
  LOAD_CACHE_VOLATILE,
};
/// Those of its stores to global memory: `.wb`, `.cg`, `.cs`, `.wt`.
enum CudaDMAStoreQualifier {
  STORE_WRITE_BACK,
  STORE_CACHE_GLOBAL,
  STORE_CACHE_STREAMING,
  STORE_CACHE_WRITE_THROUGH,
};

/// The qualifiers of a call as this library's hints. `GLOBAL_LOAD` names LDG loads, of memory that is not written while
/// the kernel runs: in an unrolled loop the assembler moves those of several tiles ahead of the barriers.
[[nodiscard]] DMA_HOST_DEVICE constexpr CacheHints hints_of(bool global_load, CudaDMALoadQualifier load,
                                                            CudaDMAStoreQualifier store) {
  constexpr LoadCache loads[] = {LoadCache::standard, LoadCache::global, LoadCache::streaming, LoadCache::last_use,
                                 LoadCache::refetched};
  constexpr StoreCache stores[] = {StoreCache::write_back, StoreCache::global, StoreCache::streaming,
                                   StoreCache::write_through};
  const bool is_ldg = global_load && load == LOAD_CACHE_ALL;
  return {.load = is_ldg ? LoadCache::read_only : loads[load], .store = stores[store]};
}

/// A named barrier: arrive and wait. `num_threads` is a multiple of 32.
DMA_HOST_DEVICE void ptx_cudaDMA_barrier_blocking(int name, int num_threads) {
  machine::sync_warp();
  machine::barrier_sync(name, num_threads, {});
}
/// The same, arrive only.
DMA_HOST_DEVICE void ptx_cudaDMA_barrier_nonblocking(int name, int num_threads) {
  machine::sync_warp();
  machine::barrier_arrive(name, num_threads, {});
}

/// The two synchronization points of a buffer, *empty* and *full*, as two named barriers.
///
/// Object `dmaID` has barriers `2 * dmaID` and `2 * dmaID + 1`, as there: 0 to 7. Barrier 0 is that of `__syncthreads`,
/// so objects of a kernel that calls it, or `cta.sync()`, have numbers from 1.
///
/// @pre Thread counts and `dma_threadIdx_start` are multiples of 32. Each `start_async_dma` has a transfer that waits
///      for it: a named barrier keeps an arrival that nothing waits for. (A pipeline of this library waits at its end.)
class CudaDMA {
 public:
  DMA_HOST_DEVICE CudaDMA(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start)
      : empty_(2 * dmaID + 1),
        full_(2 * dmaID),
        threads_(num_dma_threads + num_compute_threads),
        owns_(machine::thread_rank() >= dma_threadIdx_start &&
              machine::thread_rank() < dma_threadIdx_start + num_dma_threads) {
    DMA_EXPECTS(dmaID >= 0 && dmaID < 8, "CudaDMA: a CTA has the barriers of 8 objects; number them 0 to 7", "dmaID",
                dmaID);
    DMA_EXPECTS(num_dma_threads % 32 == 0 && num_compute_threads % 32 == 0 && dma_threadIdx_start % 32 == 0,
                "CudaDMA: warps take part as a whole; make the thread counts and dma_threadIdx_start multiples of 32",
                "num_dma_threads", num_dma_threads, "num_compute_threads", num_compute_threads, "dma_threadIdx_start",
                dma_threadIdx_start);
  }

  [[nodiscard]] DMA_HOST_DEVICE bool owns_this_thread() const { return owns_; }

  // The compute threads.

  DMA_HOST_DEVICE void start_async_dma() const {
    machine::sync_warp();
    machine::barrier_arrive(empty_, threads_, site(machine::Who::compute_warps, machine::Point::empty));
  }
  DMA_HOST_DEVICE void wait_for_dma_finish() const {
    machine::sync_warp();
    machine::barrier_sync(full_, threads_, site(machine::Who::compute_warps, machine::Point::full));
  }

  // The DMA threads.

  DMA_HOST_DEVICE void wait_for_dma_start() const {
    machine::sync_warp();
    wait_for_empty();
  }
  DMA_HOST_DEVICE void finish_async_dma() const {
    machine::sync_warp();
    signal_full();
  }

 protected:
  /// The same of converged lanes.
  DMA_HOST_DEVICE void wait_for_empty() const {
    machine::barrier_sync(empty_, threads_, site(machine::Who::dma_warps, machine::Point::empty));
  }
  DMA_HOST_DEVICE void signal_full() const {
    machine::barrier_arrive(full_, threads_, site(machine::Who::dma_warps, machine::Point::full));
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE machine::Site site(machine::Who who, machine::Point point) const {
    return {who, point, full_ / 2, machine::type_name<CudaDMA>(), nullptr};
  }

  int empty_;
  int full_;
  int threads_;
  bool owns_;
};

}  // namespace dma::inline v0_1::cudadma
