// A box of a view, and the same box by its address and its numbers.

#include <dma/dma.hpp>

#include <cuda/std/mdspan>
#include <cuda/std/span>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Box = dma::Tile2D<float, 32, 8>;
using Boxes = dma::DmaPipeline<Box, dma::ManualDoubleBuffer<Warps>>;
using Part = dma::Sequential<float, 1024>;
using Parts = dma::DmaPipeline<dma::Store<Part>, dma::ManualDoubleBuffer<Warps>>;

template <class Load, class BoxAt>
__device__ __forceinline__ void sum_boxes(float* sums, int rows, const Load& load, const BoxAt& box) {
  __shared__ Boxes::Storage storage;
  Boxes pipe(dma::this_cta(), storage);
  float sum = 0;
  pipe.for_each_tile({.last = rows, .step = 8}, load, [&](const auto& compute, int row) {
    const auto tile = compute.wait(box(row));
    for (int r = 0; r < 8; ++r) {
      sum += tile(r, compute.rank());
    }
  });
  if (pipe.is_compute()) {
    sums[threadIdx.x] = sum;
  }
}

__global__ __launch_bounds__(Warps::threads) void boxes_of_a_view(const float* in, float* sums, int rows, int cols) {
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> view(in, rows, cols);
  const auto box = [&](int row) { return Box::at(view, row, 32); };
  sum_boxes(
      sums, rows, [&](const auto& dma, int row) { dma.load(view, box(row)); }, box);
}
__global__ __launch_bounds__(Warps::threads) void boxes_by_address(const float* in, float* sums, int rows, int cols) {
  const auto box = [&](int row) {
    return Box{.pitch_bytes = cols * 4LL, .array_rows = rows, .array_cols = cols, .row = row, .col = 32};
  };
  sum_boxes(
      sums, rows, [&](const auto& dma, int row) { dma.load(in, box(row)); }, box);
}

template <class Store>
__device__ __forceinline__ void write_parts(int tiles, const Store& store) {
  __shared__ Parts::Storage storage;
  Parts pipe(dma::this_cta(), storage);
  pipe.for_each_tile({.last = tiles}, store, [&](const auto& compute, int t) {
    auto tile = compute.wait();
    for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
      tile[i] = static_cast<float>(t);
    }
  });
}

__global__ __launch_bounds__(Warps::threads) void parts_of_a_span(float* out, int tiles) {
  const cuda::std::span<float> all(out, tiles * Part::count);
  write_parts(tiles, [&](const auto& dma, int t) { dma.store(all.subspan(t * Part::count, Part::count)); });
}
__global__ __launch_bounds__(Warps::threads) void parts_by_address(float* out, int tiles) {
  write_parts(tiles, [&](const auto& dma, int t) { dma.store(out + t * Part::count); });
}
