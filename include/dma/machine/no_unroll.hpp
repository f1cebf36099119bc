#pragma once

/// Before a loop: the device compiler does not unroll it. A host compiler decides for itself.
#if defined(__CUDA_ARCH__)
#define DMA_NO_UNROLL _Pragma("unroll 1")
#else
#define DMA_NO_UNROLL
#endif
