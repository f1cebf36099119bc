#include "device/patterns.cuh"

PatternResult run_halos() {
  PatternResult result;
  run_both_ways<shapes::Ring<1>>(result);
  run_both_ways<shapes::Ring<2, dma::Corners::included>>(result);
  run_both_ways<shapes::Ring<3>>(result);
  run_both_ways<shapes::Ring<4, dma::Corners::included>>(result);
  run_both_ways<shapes::Ring<5>>(result);
  run_both_ways<shapes::Ring<6, dma::Corners::included>>(result);
  run_both_ways<shapes::Ring<7>>(result);
  run_both_ways<shapes::Ring<8, dma::Corners::included>>(result);
  run_both_ways<shapes::WideRing>(result);
  run_both_ways<shapes::Shell<1, dma::Corners::included>>(result);
  run_both_ways<shapes::Shell<3, dma::Corners::left_out>>(result);
  return result;
}
