#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::machine {

/// Bytes of the widest access to global memory, where one of `wanted` is asked for: 32 are one instruction on sm_100
/// and newer, with PTX ISA 8.8 (CUDA 12.9). No GPU has run it here.
[[nodiscard]] DMA_HOST_DEVICE constexpr int widest_access(int wanted) noexcept {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 1000 || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1209)
  return wanted < 16 ? wanted : 16;
#else
  return wanted;
#endif
}

/// The value of one access of a register copy: 1, 2, 4, 8, 16 or 32 bytes in registers.
template <int Bytes>
struct alignas(Bytes) Word {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16 || Bytes == 32,
                "dma::machine::Word: an access is 1, 2, 4, 8, 16 or 32 bytes; take the next of these");
  unsigned part[Bytes / 4];
};
template <>
struct alignas(2) Word<2> {
  unsigned short part[1];
};
template <>
struct alignas(1) Word<1> {
  unsigned char part[1];
};

}  // namespace dma::inline v0_1::machine
