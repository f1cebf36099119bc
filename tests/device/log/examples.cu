#include "device.cuh"
#include "example_kernels.hpp"
#include "logged.hpp"

#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

std::string missing_device() { return gpu::missing(); }

std::vector<LoggedRun> run_examples() {
  logged::Device device;
  logged::Examples(device).run();
  return std::move(device).runs();
}
