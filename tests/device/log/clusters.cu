#include "cluster_kernels.hpp"
#include "device.cuh"
#include "logged.hpp"

#include <utility>
#include <vector>

std::vector<LoggedRun> run_clusters() {
  logged::Device device;
  logged::Clusters(device).run();
  return std::move(device).runs();
}
