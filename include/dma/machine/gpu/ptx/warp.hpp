#pragma once

/// The instructions of a thread and of its warp, one function each. A comment begins with the title of the
/// instruction's section in the PTX ISA.

#include <dma/config.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// Address in the .shared window, which the instructions below need.
[[nodiscard]] DMA_DEVICE unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// isspacep.local: whether a generic address is one of the thread's local memory. nvcc 13.0 does not compile
/// `__isLocal` of a kernel's parameter.
[[nodiscard]] DMA_DEVICE bool is_local(const void* address) {
  unsigned is_there;
  asm("{\n\t"
      ".reg .pred p;\n\t"
      "isspacep.local p, %1;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(is_there)
      : "l"(address));
  return is_there != 0;
}

/// bar.warp.sync: synchronizes all 32 lanes and orders their memory accesses.
DMA_DEVICE void sync_warp() { __syncwarp(); }

/// elect.sync: true in one lane of a converged warp. A uniform predicate, which `lane == 0` is not.
[[nodiscard]] DMA_DEVICE bool elect() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  unsigned elected;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(elected));
  return elected != 0;
#else
  return threadIdx.x % 32 == 0;
#endif
}

/// Special registers: %laneid, without its five bits: 0 in every lane, but unknown to the assembler. A sum with it
/// stays in a register of each lane.
[[nodiscard]] DMA_DEVICE int zero_per_lane() {
  unsigned zero;
  asm volatile(
      "{\n\t"
      ".reg .u32 lane;\n\t"
      "mov.u32 lane, %%laneid;\n\t"
      "shr.u32 %0, lane, 5;\n\t"
      "}"
      : "=r"(zero));
  return static_cast<int>(zero);
}

/// Whether setmaxnreg is available: it belongs to an architecture's own features (sm_90a, not sm_90).
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr bool has_setmaxnreg = true;
#else
inline constexpr bool has_setmaxnreg = false;
#endif

/// Whether wgmma is available: it is of sm_90a alone.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline constexpr bool has_wgmma = true;
#else
inline constexpr bool has_wgmma = false;
#endif

/// Whether there is tensor memory: it is of sm_100a, sm_103a and sm_110a, and, with PTX ISA 8.8, of their families.
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM101_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM110_ALL)
inline constexpr bool has_tcgen05 = true;
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr bool has_tcgen05 = __CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000 && __CUDA_ARCH_FAMILY_SPECIFIC__ < 1200;
#else
inline constexpr bool has_tcgen05 = false;
#endif

/// setmaxnreg: sets the registers of each of the warpgroup's threads to `Registers`. Acquiring more waits until others
/// have released theirs. Does nothing where the instruction is not available.
template <int Registers>
DMA_DEVICE void give_registers_back() {
  if constexpr (has_setmaxnreg) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
  }
}
template <int Registers>
DMA_DEVICE void take_registers() {
  if constexpr (has_setmaxnreg) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
  }
}

}  // namespace dma::inline v0_1::ptx

#endif
