#include "device.cuh"
#include "logged.hpp"
#include "tensor_kernels.hpp"

#include <utility>
#include <vector>

std::vector<LoggedRun> run_tensor_kernels() {
  logged::Device device;
  logged::TensorKernels(device).run();
  return std::move(device).runs();
}
