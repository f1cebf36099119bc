#include "device/patterns.cuh"

PatternResult run_shells() {
  PatternResult result;
  run_everywhere<shapes::Shell<1, dma::Corners::included>>(result);
  run_both_ways<shapes::Shell<3, dma::Corners::excluded>>(result);
  return result;
}
