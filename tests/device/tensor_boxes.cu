#include "device/patterns.cuh"

PatternResult run_tensor_boxes() {
  PatternResult result;
  run_by_tensor_maps<shapes::Box>(result);
  run_by_tensor_maps<shapes::SwizzledBox>(result);
  run_by_tensor_maps<shapes::Volume>(result);
  run_by_tensor_maps<shapes::SwizzledVolume>(result);
  run_by_tensor_maps<shapes::TwoBoxes>(result);
  return result;
}
