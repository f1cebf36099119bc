#include "peer_copy.cuh"
#include "runner.hpp"

#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {

void gpu_steps_in_slabs(const Field<const float>& u, const std::vector<float>& coefficients, int passes,
                        const Division& division, const Field<float>& out) {
  constexpr double limit_seconds = 8;
  int current = 0;
  int present = 0;
  check(cudaGetDevice(&current));
  check(cudaGetDeviceCount(&present));
  if (division.gpus > present) {
    throw TooFewGpus("stencil: slabs on " + std::to_string(division.gpus) + " GPUs of a host that has " +
                     std::to_string(present) + "; give --gpus at most as many");
  }
  std::vector<int> devices;
  for (int i = 0; i < division.slabs; ++i) {
    devices.push_back(i * division.gpus / division.slabs);
  }
  with_star<2>(coefficients, [&]<int Radius>(const Star<float, Radius>& star) {
    GpuSlabs<float> slabs(u.nx, u.ny, u.nz, 2 * Radius, devices);
    PeerCopy exchange(slabs);
    for (const Slab& slab : slabs.own()) {
      slabs[slab.index].load(u, 0);
    }
    for (int i = 0; i < passes; ++i) {
      step(slabs.own(), exchange, slabs.fields(1 - i % 2),
           [&](const Slab& slab, const RaiseFlag& take) { slabs[slab.index].template steps<2>(i % 2, star, take); });
    }
    slabs.synchronize(limit_seconds);
    for (const Slab& slab : slabs.own()) {
      slabs[slab.index].store(passes % 2, out);
    }
  });
  check(cudaSetDevice(current));
}

}  // namespace stencil
