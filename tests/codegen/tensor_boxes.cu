// Boxes moved by tensor maps, in and out, and added: which instructions move them.

#include <dma/dma.hpp>

#include <cuda_bf16.h>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Box = dma::Tile2D<float, 32, 8>;
using Volume = dma::Tile3D<float, dma::TileShape{.cols = 32, .rows = 8, .planes = 2}>;
template <class Pattern, class Engine = dma::TensorCopy<>>
using Pipe = dma::DmaPipeline<Pattern, dma::ManualDoubleBuffer<Warps>, dma::CudaBarrier, Engine>;
using KeptInL2 = dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = dma::L2Priority::evict_last}}>;

template <class Engine>
__device__ __forceinline__ void sum_boxes(const dma::TensorMap<Box>& map, float* sums, int rows) {
  __shared__ typename Pipe<Box, Engine>::Storage storage;
  Pipe<Box, Engine> pipe(dma::this_cta(), storage);
  const auto box = [&](int row) { return Box{.array_rows = rows, .row = row}; };
  float sum = 0;
  pipe.for_each_tile(
      {.last = rows, .step = 8}, [&](const auto& dma, int row) { dma.load(map, box(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(box(row));
        for (int r = 0; r < 8; ++r) {
          sum += tile(r, compute.rank());
        }
      });
  if (pipe.is_compute()) {
    sums[threadIdx.x] = sum;
  }
}
__global__ __launch_bounds__(Warps::threads) void load_boxes(const __grid_constant__ dma::TensorMap<Box> map,
                                                             float* sums, int rows) {
  sum_boxes<dma::TensorCopy<>>(map, sums, rows);
}
__global__ __launch_bounds__(Warps::threads) void load_kept_boxes(const __grid_constant__ dma::TensorMap<Box> map,
                                                                  float* sums, int rows) {
  sum_boxes<KeptInL2>(map, sums, rows);
}

template <class Store, class Engine>
__device__ __forceinline__ void fill_volumes(const dma::TensorMap<Volume>& map, int planes) {
  __shared__ typename Pipe<Store, Engine>::Storage storage;
  Pipe<Store, Engine> pipe(dma::this_cta(), storage);
  const auto box = [&](int plane) { return Store(Volume{.array_planes = planes, .plane = plane}); };
  pipe.for_each_tile(
      {.last = planes, .step = 2}, [&](const auto& dma, int plane) { dma.store(map, box(plane)); },
      [&](const auto& compute, int plane) {
        auto tile = compute.wait(box(plane));
        for (int i = compute.rank(); i < Volume::count; i += compute.size()) {
          tile[i] = static_cast<float>(plane);
        }
      });
}
__global__ __launch_bounds__(Warps::threads) void store_volumes(const __grid_constant__ dma::TensorMap<Volume> map,
                                                                int planes) {
  fill_volumes<dma::Store<Volume>, dma::TensorCopy<>>(map, planes);
}
__global__ __launch_bounds__(Warps::threads) void store_kept_volumes(const __grid_constant__ dma::TensorMap<Volume> map,
                                                                     int planes) {
  fill_volumes<dma::Store<Volume>, KeptInL2>(map, planes);
}
__global__ __launch_bounds__(Warps::threads) void add_volumes(const __grid_constant__ dma::TensorMap<Volume> map,
                                                              int planes) {
  fill_volumes<dma::StoreAdd<Volume>, dma::TensorCopy<>>(map, planes);
}

/// Swizzled tiles as the tensor cores read them, several to a slot.
template <int Rows>
using Operand = dma::Tile2D<__nv_bfloat16, 64, Rows, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

template <class Stage, class Engine = dma::TensorCopy<>>
__device__ __forceinline__ void sum_stages(const dma::TensorMap<Stage>& map, float* sums, int tiles) {
  extern __shared__ __align__(1024) unsigned char memory[];
  auto& storage = *reinterpret_cast<typename Pipe<Stage, Engine>::Storage*>(memory);
  Pipe<Stage, Engine> pipe(dma::this_cta(), storage);
  float sum = 0;
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int) { dma.load(map); },
      [&](const auto& compute, int) {
        const auto stage = compute.wait();
        sum += static_cast<float>(stage[compute.rank()]);
      });
  if (pipe.is_compute()) {
    sums[threadIdx.x] = sum;
  }
}
using TwoOperands = dma::Concat<Operand<128>, Operand<256>>;
using ThreeOperands = dma::Concat<Operand<128>, Operand<128>, Operand<128>>;
__global__ __launch_bounds__(Warps::threads) void load_two_operands(
    const __grid_constant__ dma::TensorMap<TwoOperands> map, float* sums, int tiles) {
  sum_stages(map, sums, tiles);
}
__global__ __launch_bounds__(Warps::threads) void load_three_operands(
    const __grid_constant__ dma::TensorMap<ThreeOperands> map, float* sums, int tiles) {
  sum_stages(map, sums, tiles);
}
using FirstIsKept = dma::TensorCopy<dma::TensorCopyTuning{.l2_of_parts = {dma::L2Priority::evict_last}}>;
__global__ __launch_bounds__(Warps::threads) void load_kept_operand(
    const __grid_constant__ dma::TensorMap<TwoOperands> map, float* sums, int tiles) {
  sum_stages<TwoOperands, FirstIsKept>(map, sums, tiles);
}
