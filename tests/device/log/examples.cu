#include "device.cuh"
#include "example_kernels.hpp"
#include "logged.hpp"

#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

std::string missing_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  return error != cudaSuccess ? cudaGetErrorString(error) : devices == 0 ? "no CUDA device" : "";
}

std::vector<LoggedRun> run_examples() {
  logged::Device device;
  logged::Examples(device).run();
  return std::move(device).runs();
}
