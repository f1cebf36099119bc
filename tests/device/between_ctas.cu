// Barriers, copies and multicast loads between the CTAs of a cluster.

#include "device/device.hpp"
#include "kernels/between_ctas.hpp"
#include "kernels/multicast.hpp"

#include <dma/launch/make_tensor_map.hpp>

#include <cstddef>
#include <vector>

namespace {

/// Numbers that a kernel got wrong, -1 where it failed.
template <class Kernel>
int count_wrong() {
  int* got = nullptr;
  cudaMalloc(&got, Kernel::count * sizeof *got);
  cudaMemset(got, 0xff, Kernel::count * sizeof *got);
  dma::launch(Kernel{}, {between_ctas::grid}, nullptr, got);
  std::vector<int> result(Kernel::count);
  const bool is_done =
      cudaMemcpy(result.data(), got, result.size() * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(got);
  return is_done ? Kernel::count_wrong(result) : -1;
}

template <class Layout, int Cluster, int Stages>
int count_wrong_of_multicast(int tiles, int clusters) {
  using Kernel = multicast::Scale<Layout, Cluster, Stages>;
  const std::vector<float> in = multicast::input(tiles);
  std::vector<float> out(in.size() * Cluster);
  float* from = nullptr;
  float* to = nullptr;
  cudaMalloc(&from, in.size() * sizeof(float));
  cudaMalloc(&to, out.size() * sizeof(float));
  cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(to, 0xff, out.size() * sizeof(float));
  const auto map = dma::tensor_map<typename Kernel::Tile>(from, Kernel::tile_of(0, tiles));
  dma::launch(Kernel{}, {clusters * Cluster}, nullptr, map, to, tiles);
  const bool is_done = cudaMemcpy(out.data(), to, out.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(from);
  cudaFree(to);
  return is_done ? multicast::count_wrong(in, out) : -1;
}

}  // namespace

int sums_over_a_cluster() {
  using namespace between_ctas;
  const int words = count_wrong<Sums<Ints<1>>>();
  const int pairs = count_wrong<Sums<Ints<2>>>();
  const int fours = count_wrong<Sums<Ints<4>>>();
  return words < 0 || pairs < 0 || fours < 0 ? -1 : words + pairs + fours;
}

int arrays_round_a_cluster() { return count_wrong<between_ctas::Relay>(); }

int multicast_tiles() {
  using OneWarp = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using TwoWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using TwoGroups = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  int wrong = 0;
  for (const int tiles : {1, 3, 1000}) {
    for (const int now :
         {count_wrong_of_multicast<OneWarp, 2, 2>(tiles, 2), count_wrong_of_multicast<OneWarp, 4, 1>(tiles, 16),
          count_wrong_of_multicast<TwoWarps, 2, 3>(tiles, 33), count_wrong_of_multicast<TwoGroups, 4, 4>(tiles, 1)}) {
      if (now < 0) {
        return now;
      }
      wrong += now;
    }
  }
  return wrong;
}
