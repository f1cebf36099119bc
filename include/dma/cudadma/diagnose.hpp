#pragma once

/// What CudaDMA 2.0's `diagnose` functions tell, of this library's copies.

#if !defined(__CUDACC_RTC__)
#include <cstdio>

namespace dma::inline v0_1::cudadma {

/// Prints in how many steps and passes `threads` threads move `count` elements of `bytes` bytes, and what would make it
/// one pass. A step is one access of each thread; a pass has as many as `bytes_per_thread` allows in flight.
inline void diagnose_transfer(const char* object, int alignment, int bytes_per_thread, int bytes, int threads,
                              int count, bool fully_templated, bool verbose) {
  const int pieces = count * (bytes / alignment);
  const int steps = (pieces + threads - 1) / threads;
  const int in_flight = bytes_per_thread / alignment;
  const int passes = (steps + in_flight - 1) / in_flight;
  std::printf("%s: %d elements of %d bytes by %d threads in accesses of %d bytes: %d steps, %d in flight, %d %s\n",
              object, count, bytes, threads, alignment, steps, in_flight, passes, passes == 1 ? "pass" : "passes");
  if (passes > 1) {
    std::printf("  one pass needs BYTES_PER_THREAD of %d, or %d threads\n", steps * alignment,
                (pieces + in_flight - 1) / in_flight);
  }
  if (alignment < 16) {
    std::printf(
        "  accesses of 16 bytes need addresses, sizes and strides that are multiples of 16, and ALIGNMENT 16\n");
  }
  if (bytes % alignment != 0) {
    std::printf("  the last %d bytes of each element move apart, in narrower accesses\n", bytes % alignment);
  }
  if (!fully_templated) {
    std::printf("  without constant sizes and DMA_THREADS nothing is read before the buffer is empty\n");
  }
  if (verbose) {
    std::printf("  registers for a pass: %d a thread; threads in the last step: %d\n", in_flight * alignment / 4,
                pieces == 0 ? 0 : pieces - (steps - 1) * threads);
  }
}

}  // namespace dma::inline v0_1::cudadma
#endif
