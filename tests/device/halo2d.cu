#include "device/patterns.cuh"

PatternResult run_rings() {
  PatternResult result;
  run_both_ways<shapes::Ring<1>>(result);
  run_both_ways<shapes::Ring<2, dma::Corners::included>>(result);
  run<shapes::Ring<3>, round_trip::WithDmaWarps, dma::CudaBarrier>(result);
  run_everywhere<shapes::Ring<4, dma::Corners::included>>(result);
  run<shapes::Ring<5>, round_trip::WithDmaWarps, dma::CudaBarrier>(result);
  run<shapes::Ring<6, dma::Corners::included>, round_trip::WithDmaWarps, dma::CudaBarrier>(result);
  run<shapes::Ring<7>, round_trip::WithDmaWarps, dma::CudaBarrier>(result);
  run_both_ways<shapes::Ring<8, dma::Corners::included>>(result);
  run_both_ways<shapes::WideRing>(result);
  return result;
}
