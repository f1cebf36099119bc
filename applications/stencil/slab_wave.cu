#include "slab_wave.cuh"

#include "peer_copy.cuh"

#if defined(STENCIL_HAS_NCCL)
#include "nccl_exchange.cuh"
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <unistd.h>

namespace stencil {
namespace {

/// Whether each GPU can write to the next one's memory.
bool all_reach_their_neighbours(const std::vector<int>& devices) {
  for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
    int there = 1;
    int back = 1;
    if (devices[i] != devices[i + 1]) {
      check(cudaDeviceCanAccessPeer(&there, devices[i], devices[i + 1]));
      check(cudaDeviceCanAccessPeer(&back, devices[i + 1], devices[i]));
    }
    if (there == 0 || back == 0) {
      return false;
    }
  }
  return true;
}

/// Where a slab is.
struct Place {
  char host[256];
  int device;
};

/// Of each slab: in one process dealt to the GPUs in order; of several processes each has a GPU of its host.
std::vector<Place> places_of(const Division& division) {
  std::vector<Place> places(static_cast<std::size_t>(division.slabs));
  if (division.ranks == nullptr) {
    for (int i = 0; i < division.slabs; ++i) {
      places[static_cast<std::size_t>(i)].device = i * division.gpus / division.slabs;
    }
    return places;
  }
  Place own{};
  if (gethostname(own.host, sizeof own.host - 1) != 0) {
    throw std::runtime_error("stencil: this host has no name");
  }
  division.ranks->all_gather(&own, sizeof own, places.data());
  for (auto place = places.begin(); place != places.end(); ++place) {
    place->device = static_cast<int>(std::count_if(
        places.begin(), place, [&](const Place& before) { return std::strcmp(before.host, place->host) == 0; }));
  }
  return places;
}

}  // namespace

std::unique_ptr<Wave> slab_wave(const Medium& medium, const Star<float, radius>& laplacian, const Division& division) {
  const std::vector<Place> places = places_of(division);
  int present = 0;
  check(cudaGetDeviceCount(&present));
  std::vector<int> devices;
  for (const Place& place : places) {
    if (place.device >= present) {
      throw TooFewGpus("stencil: a wave on " + std::to_string(place.device + 1) + " GPUs of a host that has " +
                       std::to_string(present) + "; give --gpus at most as many");
    }
    devices.push_back(place.device);
  }
  const bool is_one_host = std::all_of(places.begin(), places.end(), [&](const Place& place) {
    return std::strcmp(place.host, places.front().host) == 0;
  });
  const bool is_peer = division.exchange == "peer" ||
                       (division.exchange == "auto" && is_one_host && all_reach_their_neighbours(devices));
  if (is_peer && !is_one_host) {
    throw std::invalid_argument("stencil: peer copies reach the GPUs of one host; leave --exchange out");
  }
  if (is_peer) {
    return std::make_unique<SlabWave<PeerCopy>>(medium, laplacian, devices, division.ranks);
  }
#if defined(STENCIL_HAS_NCCL)
  if (division.slabs > division.gpus) {
    throw std::invalid_argument("stencil: NCCL has one slab a GPU; leave --slabs out, or exchange by peer copies");
  }
  return std::make_unique<SlabWave<Nccl>>(medium, laplacian, devices, division.ranks);
#else
  throw std::invalid_argument(
      "stencil: these GPUs need NCCL, and this program was built without it; install it and build again, or give "
      "--exchange peer where the GPUs have access to each other");
#endif
}

}  // namespace stencil
