#include <dma/sync/libcuxx_barrier.hpp>

#include "device/patterns.cuh"

PatternResult run_libcuxx_boxes() {
  PatternResult result;
  run_by_tensor_maps<shapes::Box, dma::LibcuxxBarrier>(result);
  run_by_tensor_maps<shapes::SwizzledBox, dma::LibcuxxBarrier>(result);
  run_by_tensor_maps<shapes::Volume, dma::LibcuxxBarrier>(result);
  run_by_tensor_maps<shapes::SwizzledVolume, dma::LibcuxxBarrier>(result);
  run_by_tensor_maps<shapes::TwoBoxes, dma::LibcuxxBarrier>(result);
  return result;
}
