#include "device.cuh"
#include "logged.hpp"
#include "pattern_kernels.hpp"

#include <utility>
#include <vector>

std::vector<LoggedRun> run_patterns() {
  logged::Device device;
  logged::Patterns(device).run();
  return std::move(device).runs();
}
