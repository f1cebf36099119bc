#pragma once

/// Kernels of the tests, one for each kind of launch and of argument.

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

/// y = a x, of tiles that bulk copies bring.
template <int Count>
struct Scale {
  using Tile = dma::Sequential<float, Count>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y, float a, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = a * tile[i];
          }
        });
  }
};

/// The sums of boxes of x, each added to an element of y.
struct SumBoxes {
  using Tile = dma::Tile2D<float, 32, 8>;
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::TensorCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumBoxes>& cta, const dma::TensorMap<Tile>& x, int rows, int cols,
                                  float* y) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int across = (cols + 31) / 32;
    const auto tile_at = [&](int t) { return Tile{0, rows, cols, t / across * 8, t % across * 32}; };
    pipe.for_each_tile(
        cta.tiles((rows + 7) / 8 * across), [&](const auto& dma, int t) { dma.load(x, tile_at(t)); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait(tile_at(t));
          float sum = 0;
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            sum += tile[i];
          }
          atomicAdd(y + t, sum);
        });
  }
};

/// Each CTA of a cluster writes what its neighbour has in shared memory.
struct Neighbours {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    int value;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Neighbours>& cta, int* y) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      shared.value = cta.block().x;
    }
    cta.cluster_sync();
    if (cta.thread() == 0) {
      y[cta.block().x] = *cta.peer(1 - cta.cluster_rank(), &shared.value);
    }
    cta.cluster_sync();
  }
};

/// A grid whose CTAs wait for one another.
struct Together {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cooperative = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Together>& cta, unsigned* arrived, int* y) const {
    if (cta.thread() == 0) {
      atomicAdd(arrived, 1U);
      while (atomicAdd(arrived, 0U) < static_cast<unsigned>(cta.blocks().x)) {
      }
      y[cta.block().x] = cta.blocks().x;
    }
  }
};

/// More shared memory than any GPU gives a CTA.
struct Huge {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    int values[100000];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Huge>& cta, int* y) const { *y = cta.shared<Shared>().values[0]; }
};

/// Arguments of every kind, as they arrive.
struct Numbers {
  long long l;
  float f;
};
extern "C" __global__ __launch_bounds__(32) void numbers(signed char a, unsigned short b, bool c, double d, Numbers e,
                                                         const void* f, double* y) {
  y[0] = a;
  y[1] = b;
  y[2] = c;
  y[3] = d;
  y[4] = static_cast<double>(e.l);
  y[5] = e.f;
  y[6] = f == nullptr ? 0 : 1;
}
extern "C" __global__ void unbounded(int* y) { y[threadIdx.x] = static_cast<int>(blockDim.x); }
