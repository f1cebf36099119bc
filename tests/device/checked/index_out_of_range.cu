// Built with DMA_CHECKED=1: a gather whose list names a row that its table has not. The kernel says so and traps.

#include <dma/dma.hpp>

#include <cstdio>

namespace {

struct Gather {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Indirect<float, 32, 8>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gather>& cta, const float* table, const int* indices,
                                  float* out) const {
    const Tile tile{indices, 100};
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        0, 1, 1, [&](const auto& dma, int) { dma.load(table, tile); },
        [&](const auto& compute, int) { out[compute.rank()] = compute.wait(tile)[compute.rank()]; });
  }
};

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no CUDA device");
    return 4;
  }
  const int list[8] = {0, 7, 99, 100, 3, 4, 5, 6};
  float* table = nullptr;
  int* indices = nullptr;
  float* out = nullptr;
  if (cudaMalloc(&table, 100 * 128) != cudaSuccess || cudaMalloc(&indices, sizeof list) != cudaSuccess ||
      cudaMalloc(&out, 128) != cudaSuccess ||
      cudaMemcpy(indices, list, sizeof list, cudaMemcpyHostToDevice) != cudaSuccess) {
    return 1;
  }
  dma::launch(Gather{}, {1}, nullptr, static_cast<const float*>(table), static_cast<const int*>(indices), out);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("the kernel ended with: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 1 : 0;
}
