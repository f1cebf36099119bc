#include "application_kernels.hpp"
#include "device.cuh"
#include "logged.hpp"

#include <utility>
#include <vector>

std::vector<LoggedRun> run_applications() {
  logged::Device device;
  logged::Applications(device).run();
  return std::move(device).runs();
}
