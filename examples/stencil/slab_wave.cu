#include "slab_wave.cuh"

#include "peer_copy.cuh"

#if defined(STENCIL_HAS_NCCL)
#include "nccl_exchange.cuh"
#endif

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace stencil {
namespace {

/// Whether each GPU can write to the next one's memory.
bool all_reach_their_neighbours(int gpus) {
  for (int i = 0; i + 1 < gpus; ++i) {
    int there = 0;
    int back = 0;
    check(cudaDeviceCanAccessPeer(&there, i, i + 1));
    check(cudaDeviceCanAccessPeer(&back, i + 1, i));
    if (there == 0 || back == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Wave> slab_wave(const Medium& medium, const Star<float, radius>& laplacian, const Division& division) {
  int present = 0;
  check(cudaGetDeviceCount(&present));
  if (division.gpus > present) {
    throw std::invalid_argument("stencil: --gpus " + std::to_string(division.gpus) + " and this machine has " +
                                std::to_string(present) + "; give at most as many");
  }
  std::vector<int> devices;
  for (int i = 0; i < division.slabs; ++i) {
    devices.push_back(i * division.gpus / division.slabs);
  }
  const bool is_peer =
      division.exchange == "peer" || (division.exchange == "auto" && all_reach_their_neighbours(division.gpus));
  if (is_peer) {
    return std::make_unique<SlabWave<PeerCopy>>(medium, laplacian, devices);
  }
#if defined(STENCIL_HAS_NCCL)
  if (division.slabs > division.gpus) {
    throw std::invalid_argument("stencil: NCCL has one slab a GPU; leave --slabs out, or exchange by peer copies");
  }
  return std::make_unique<SlabWave<Nccl>>(medium, laplacian, devices);
#else
  throw std::invalid_argument(
      "stencil: these GPUs need NCCL, and this program was built without it; install it and build again, or give "
      "--exchange peer where the GPUs have access to each other");
#endif
}

}  // namespace stencil
