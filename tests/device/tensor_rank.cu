#include "device/patterns.cuh"

PatternResult run_axis_boxes() {
  PatternResult result;
  run_by_tensor_maps<shapes::AxisBox<1>>(result);
  run_by_tensor_maps<shapes::AxisBox<2>>(result);
  run_by_tensor_maps<shapes::AxisBox<3>>(result);
  run_by_tensor_maps<shapes::AxisBox<4>>(result);
  run_by_tensor_maps<shapes::AxisBox<5>>(result);
  run_by_tensor_maps<shapes::AxisBox<2, dma::OutsideArray::nan>>(result);
  run_by_tensor_maps<shapes::AxisBox<5, dma::OutsideArray::nan>>(result);
  return result;
}
