// Loads for several CTAs of a cluster, and what CTAs send each other: which instructions do it.

#include "kernels/between_ctas.hpp"
#include "kernels/multicast.hpp"

using Multicast = multicast::Scale<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, 2, 2>;
__global__ __launch_bounds__(Multicast::Layout::threads) void multicast_boxes(
    const __grid_constant__ dma::TensorMap<Multicast::Tile> map, float* out, int tiles) {
  dma::KernelCta<Multicast> cta;
  Multicast{}(cta, map, out, tiles);
}

using Sums = between_ctas::Sums<between_ctas::Ints<2>>;
__global__ __launch_bounds__(Sums::Layout::threads) void send_words(int* got) {
  dma::KernelCta<Sums> cta;
  Sums{}(cta, got);
}
__global__ __launch_bounds__(between_ctas::Relay::Layout::threads) void copy_arrays(int* got) {
  dma::KernelCta<between_ctas::Relay> cta;
  between_ctas::Relay{}(cta, got);
}
