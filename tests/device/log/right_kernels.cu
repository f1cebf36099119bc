#include "device.cuh"
#include "logged.hpp"
#include "right_kernels.hpp"

#include <utility>
#include <vector>

std::vector<LoggedRun> run_right_kernels() {
  logged::Device device;
  logged::RightKernels(device).run();
  return std::move(device).runs();
}
