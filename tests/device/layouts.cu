#include "device/patterns.cuh"

PatternResult run_layouts_and_compositions() {
  PatternResult result;
  run_everywhere<shapes::SwizzledRows>(result);
  run_both_ways<shapes::SwizzledPairs>(result);
  run_both_ways<shapes::SwizzledGather>(result);
  run_both_ways<shapes::SwizzledBox>(result);
  run_both_ways<shapes::SwizzledVolume>(result);
  run_everywhere<shapes::BlockAndBox>(result);
  run_everywhere<shapes::Sequences>(result);
  run_both_ways<shapes::Boxes>(result);
  return result;
}
