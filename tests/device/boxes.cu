#include "device/patterns.cuh"

PatternResult run_boxes() {
  PatternResult result;
  run_everywhere<shapes::Box>(result);
  run_everywhere<shapes::WideBox>(result);
  run_both_ways<shapes::BlockBox>(result);
  run_everywhere<shapes::Volume>(result);
  run_both_ways<shapes::WideVolume>(result);
  run_both_ways<shapes::BlockVolume>(result);
  return result;
}
