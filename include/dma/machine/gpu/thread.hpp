#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/checks.hpp>
#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/gpu/ptx/cluster.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/gpu/step_hooks.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/site.hpp>

/// The GPU's model of a thread, its warp, its CTA and the grid. `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

template <int Needed, class Policy>
DMA_DEVICE void expect_architecture() {
  static_assert(__CUDA_ARCH__ >= Needed,
                "dma: the architecture that the kernel is compiled for does not have the instructions of an engine or "
                "a barrier: dma::BulkCopy, dma::TensorCopy and dma::StoreAdd of __nv_bfloat16 need sm_90, "
                "dma::AsyncCopy, dma::CudaBarrier and L2 priorities sm_80; leave the choice to dma::DefaultEngine "
                "and dma::DefaultBarrier, or use "
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
  if constexpr (checks_contracts) {
    note_budget();
  } else if constexpr (Budget < Launched) {
    ptx::give_registers_back<Budget>();
  } else if constexpr (Budget > Launched) {
    ptx::take_registers<Budget>();
  }
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
[[nodiscard]] DMA_DEVICE int cluster_rank() { return ptx::cluster_cta_rank(); }
[[nodiscard]] DMA_DEVICE int cluster_size() { return ptx::cluster_cta_count(); }
[[nodiscard]] DMA_DEVICE void* peer_address(void* shared, int rank) {
  DMA_EXPECTS(rank >= 0 && rank < ptx::cluster_cta_count(),
              "dma::Cta: peer() was asked for a CTA that the cluster does not have; give a rank below cluster_size()");
  return ptx::map_to_cta(shared, rank);
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
[[nodiscard]] DMA_DEVICE bool any(bool value) {
  log_only(Step::shuffle);
  return __any_sync(0xffffffffU, value) != 0;
}
[[nodiscard]] DMA_DEVICE unsigned ballot(bool value) {
  log_only(Step::shuffle);
  return __ballot_sync(0xffffffffU, value);
}
DMA_DEVICE void trigger_dependent_launch() {
  begin_step(Step::grid);
  ptx::start_dependents();
}
template <class Word>
DMA_DEVICE void use_counter(const Word*, const char*) {}
DMA_DEVICE void load_constants(bool) {}
DMA_DEVICE void grid_dependency_wait() {
  begin_step(Step::grid);
  ptx::wait_for_prerequisites();
}
DMA_DEVICE void sync_cta() {
  expect_whole_warp();
  begin_named_step(Step::sync_cta, 0, static_cast<int>(blockDim.x));
  __syncthreads();
  end_step();
}
/// The warp's lanes may be apart before it, and its instructions are `.aligned`.
DMA_DEVICE void sync_cluster() {
  begin_step(Step::sync_cluster);
  ptx::sync_warp();
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
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

[[nodiscard]] DMA_DEVICE unsigned long long trace_time(unsigned long long&) {
  return static_cast<unsigned long long>(clock64());
}

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
