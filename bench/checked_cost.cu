// What the checks of DMA_CHECKED cost: a stream and a matrix-vector product over each kind of barrier and engine. Built
// twice, as checked_cost_0 and checked_cost_1; each prints the medians of its kernels.

#include <dma/dma.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

constexpr int floats = 1 << 26;

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// y = a x, in tiles of `Count` elements, of which each thread reads one at a time, or four.
template <int Count, int Width, class Barrier, class Engine>
struct Scale {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 2};  // also with the registers of the checks
  using Tile = dma::Sequential<float, Count>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>, Barrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(floats / Count), [&](const auto& dma, int t) { dma.load(x + t * Count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          float* const to = y + t * Count;
          if constexpr (Width == 1) {
            for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
              to[i] = 2 * tile[i];
            }
          } else {
            const auto* const from = reinterpret_cast<const float4*>(tile.data());
            for (int i = compute.rank(); i < Count / Width; i += compute.size()) {
              const float4 v = from[i];
              reinterpret_cast<float4*>(to)[i] = {2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w};
            }
          }
        });
  }
};

/// y = A x, of a square matrix: each thread has a column of a tile of 16 rows.
template <class Barrier, class Engine>
struct Gemv {
  static constexpr int n = 8192;
  static constexpr int rows = 16;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Tile = dma::Strided<float, Layout::compute_threads, rows, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout>, Barrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Gemv>& cta, const float* a, float* y) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    constexpr int cols = Layout::compute_threads;
    const Tile tile{.pitch_bytes = n * sizeof(float)};
    for (int row = cta.block().x * rows; row < n; row += cta.blocks().x * rows) {
      if (pipe.is_dma()) {
        for (int col = 0; col < n; col += cols) {
          pipe.as_dma().load(a + row * n + col, tile);
        }
      } else {
        const auto compute = pipe.as_compute();
        float sums[rows] = {};
        for (int col = 0; col < n; col += cols) {
          const auto slot = compute.wait(tile);
          for (int r = 0; r < rows; ++r) {
            sums[r] += slot(r, compute.rank());
          }
        }
        for (int r = 0; r < rows; ++r) {
          y[(row + r) * cols + compute.rank()] = sums[r];
        }
      }
    }
  }
};

template <class Kernel>
void measure(const char* name, const float* x, float* y) {
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  cudaEvent_t begin;
  cudaEvent_t end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::array<float, 21> times{};
  for (float& time : times) {
    check(cudaEventRecord(begin));
    dma::launch(Kernel{}, {2 * sms}, nullptr, x, y);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&time, begin, end));
  }
  std::sort(times.begin(), times.end());
  std::printf("%-34s DMA_CHECKED=%d %7.1f us\n", name, DMA_CHECKED, 1000.0 * times[times.size() / 2]);
}

}  // namespace

int main() try {
  float* x = nullptr;
  float* y = nullptr;
  check(cudaMalloc(&x, floats * sizeof(float)));
  check(cudaMalloc(&y, floats * sizeof(float)));
  check(cudaMemset(x, 0, floats * sizeof(float)));
  using Phase = dma::CudaBarrier;
  using Named = dma::NamedBarrier;
  using Bulk = dma::BulkCopy<>;
  using Async = dma::AsyncCopy<>;
  using Registers = dma::RegisterCopy<>;
  measure<Scale<1024, 1, Phase, Bulk>>("scale, phase, bulk", x, y);
  measure<Scale<4096, 4, Phase, Bulk>>("scale, phase, bulk, large tiles", x, y);
  measure<Scale<1024, 1, Phase, Async>>("scale, phase, cp.async", x, y);
  measure<Scale<1024, 1, Phase, Registers>>("scale, phase, registers", x, y);
  measure<Scale<1024, 1, Named, Registers>>("scale, named, registers", x, y);
  measure<Scale<4096, 4, Named, Registers>>("scale, named, registers, large tiles", x, y);
  measure<Gemv<Phase, Bulk>>("gemv, phase, bulk", x, y);
  measure<Gemv<Phase, Async>>("gemv, phase, cp.async", x, y);
  measure<Gemv<Named, Registers>>("gemv, named, registers", x, y);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "checked_cost: %s\n", error.what());
  return 1;
}
