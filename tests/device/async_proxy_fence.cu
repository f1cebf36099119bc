#include <dma/dma.hpp>

#include "device/device.hpp"

#include <cuda_runtime.h>

namespace {

constexpr int tile_count = 1024;
constexpr int tiles = 16;
constexpr int columns_a_cta = 8;
constexpr int loads = 8;  ///< of 16 bytes, a thread, before each tile

/// Values of the matrix and of the vector; the sums are those of unsigned numbers, exact whatever their order.
DMA_HOST_DEVICE unsigned matrix_at(long long i) { return static_cast<unsigned>(i) * 0x9e3779b9U >> 7; }
DMA_HOST_DEVICE unsigned vector_at(int i) { return static_cast<unsigned>(i) * 0x85ebca6bU >> 9; }

/// Products of a matrix's columns with a vector that bulk copies load. The reads of each tile are behind so many loads
/// of global memory in the SM's queue that the next tile is there before they are done, where nothing makes it wait.
struct ReadLate {
  using Layout = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>;
  using Tile = dma::Sequential<unsigned, tile_count>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    unsigned sums[columns_a_cta];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadLate>& cta, const uint4* matrix, const unsigned* vector,
                                  unsigned* products) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() < columns_a_cta) {
      shared.sums[cta.thread()] = 0;
    }
    Pipe pipe(cta, shared.storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t : dma.my_tiles({.last = tiles})) {
        dma.load(vector + t * tile_count);
      }
    } else {
      const auto compute = pipe.as_compute();
      unsigned sums[loads] = {};
      for (int t = 0; t < tiles; ++t) {
        const long long first = (static_cast<long long>(cta.block().x) * tiles + t) * loads * compute.size();
        uint4 held[loads];
        for (int i = 0; i < loads; ++i) {
          held[i] = matrix[first + i * compute.size() + compute.rank()];
        }
        const auto tile = compute.wait();
        const uint4 factor = reinterpret_cast<const uint4*>(tile.data())[compute.rank()];
        for (int i = 0; i < loads; ++i) {
          sums[i] += held[i].x * factor.x + held[i].y * factor.y + held[i].z * factor.z + held[i].w * factor.w;
        }
      }
#if defined(__CUDA_ARCH__)
      for (int i = 0; i < loads; ++i) {
        atomicAdd(&shared.sums[i], sums[i]);
      }
#endif
    }
    cta.sync();
    if (cta.thread() < columns_a_cta) {
      products[cta.block().x * columns_a_cta + cta.thread()] = shared.sums[cta.thread()];
    }
  }
};
static_assert(loads == columns_a_cta && tile_count == ReadLate::Layout::compute_threads * 4);

__global__ void fill(unsigned* matrix, long long count, unsigned* vector) {
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = first; i < count; i += static_cast<long long>(gridDim.x) * blockDim.x) {
    matrix[i] = matrix_at(i);
  }
  if (first < tile_count * tiles) {
    vector[first] = vector_at(static_cast<int>(first));
  }
}

/// One product by each CTA, without shared tiles.
__global__ void count_wrong(const unsigned* products, unsigned* wrong) {
  const int cta = static_cast<int>(blockIdx.x) / columns_a_cta;
  const int column = static_cast<int>(blockIdx.x) % columns_a_cta;
  unsigned sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < tile_count * tiles; i += static_cast<int>(blockDim.x)) {
    const int tile = i / tile_count;
    const long long place = ((static_cast<long long>(cta) * tiles + tile) * loads + column) * tile_count;
    sum += matrix_at(place + i % tile_count) * vector_at(i);
  }
  __shared__ unsigned total;
  if (threadIdx.x == 0) {
    total = 0;
  }
  __syncthreads();
  atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0 && total != products[blockIdx.x]) {
    atomicAdd(wrong, 1U);
  }
}

}  // namespace

long long read_before_refills() {
  constexpr int ctas = 1024;
  constexpr int launches = 20;
  constexpr long long count = static_cast<long long>(ctas) * columns_a_cta * tile_count * tiles;
  unsigned* matrix = nullptr;
  unsigned* vector = nullptr;
  unsigned* products = nullptr;
  unsigned* wrong = nullptr;
  cudaMalloc(&matrix, count * sizeof *matrix);
  cudaMalloc(&vector, tile_count * tiles * sizeof *vector);
  cudaMalloc(&products, ctas * columns_a_cta * sizeof *products);
  cudaMalloc(&wrong, sizeof *wrong);
  cudaMemset(wrong, 0, sizeof *wrong);
  fill<<<1024, 256>>>(matrix, count, vector);
  for (int i = 0; i < launches; ++i) {
    dma::launch(ReadLate{}, {ctas}, nullptr, reinterpret_cast<const uint4*>(matrix),
                static_cast<const unsigned*>(vector), products);
    count_wrong<<<ctas * columns_a_cta, 128>>>(products, wrong);
  }
  unsigned result = 0;
  const cudaError_t error = cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(matrix);
  cudaFree(vector);
  cudaFree(products);
  cudaFree(wrong);
  return error == cudaSuccess ? static_cast<long long>(result) : -1;
}
