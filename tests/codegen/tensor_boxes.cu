// Boxes moved by tensor maps, in and out: which instructions move them.

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Box = dma::Tile2D<float, 32, 8>;
using Volume = dma::Tile3D<float, 32, 8, 2>;
template <class Pattern>
using Pipe = dma::DmaPipeline<Pattern, dma::ManualDoubleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy>;

__global__ __launch_bounds__(Warps::threads) void load_boxes(const __grid_constant__ dma::TensorMap<Box> map,
                                                             float* sums, int rows) {
  __shared__ Pipe<Box>::Storage storage;
  Pipe<Box> pipe(dma::this_cta(), storage);
  const auto box = [&](int row) { return Box{.array_rows = rows, .row = row}; };
  float sum = 0;
  pipe.for_each_tile(
      0, rows, 8, [&](const auto& dma, int row) { dma.load(map, box(row)); },
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

__global__ __launch_bounds__(Warps::threads) void store_volumes(const __grid_constant__ dma::TensorMap<Volume> map,
                                                                int planes) {
  using Store = dma::Store<Volume>;
  __shared__ Pipe<Store>::Storage storage;
  Pipe<Store> pipe(dma::this_cta(), storage);
  const auto box = [&](int plane) { return Store(Volume{.array_planes = planes, .plane = plane}); };
  pipe.for_each_tile(
      0, planes, 2, [&](const auto& dma, int plane) { dma.store(map, box(plane)); },
      [&](const auto& compute, int plane) {
        auto tile = compute.wait(box(plane));
        for (int i = compute.rank(); i < Volume::count; i += compute.size()) {
          tile[i] = static_cast<float>(plane);
        }
      });
}
