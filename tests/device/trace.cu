#include <dma/dma.hpp>

#include "device/device.hpp"
#include "device/matrix.cuh"

#include <string>
#include <vector>

namespace {

/// y = x through bulk copies over phase barriers that record.
struct Copies {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 512>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, dma::Traced<dma::CudaBarrier>, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
    dma::TraceState trace;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Copies>& cta, const float* x, float* y, int tiles,
                                  const dma::TraceBuffer& buffer) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    dma::start_trace(cta, buffer, shared.trace, shared.storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = tile[i];
          }
        });
  }
};

}  // namespace

TraceResult run_traced() {
  constexpr int tiles = 40;
  constexpr int ctas = 4;
  constexpr int recording_ctas = 2;
  constexpr int events_a_warp = 64;
  constexpr int warps = Copies::Layout::warps;
  constexpr int count = tiles * Copies::Tile::count;

  float* x = nullptr;
  float* y = nullptr;
  dma::TraceEvent* events = nullptr;
  check(cudaMallocManaged(&x, count * sizeof(float)));
  check(cudaMallocManaged(&y, count * sizeof(float)));
  check(cudaMallocManaged(&events, recording_ctas * warps * events_a_warp * sizeof(dma::TraceEvent)));
  check(cudaMemset(events, 0, recording_ctas * warps * events_a_warp * sizeof(dma::TraceEvent)));
  for (int i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i % 977);
    y[i] = -1;
  }
  dma::launch(Copies{}, {ctas}, nullptr, static_cast<const float*>(x), y, tiles,
              dma::TraceBuffer{events, recording_ctas, events_a_warp});
  check(cudaDeviceSynchronize());

  TraceResult result;
  for (int i = 0; i < count; ++i) {
    result.wrong += y[i] == x[i] ? 0 : 1;
  }
  for (int row = 0; row < recording_ctas * warps; ++row) {
    const dma::TraceEvent* const of_warp = events + row * events_a_warp;
    int arrivals = 0;
    for (int i = 0; i < events_a_warp && of_warp[i].mark != dma::TraceMark::nothing; ++i) {
      arrivals += of_warp[i].mark == dma::TraceMark::arrives ? 1 : 0;
      result.backwards += i > 0 && of_warp[i].time < of_warp[i - 1].time ? 1 : 0;
    }
    result.rows_without_all_tiles += arrivals == tiles / ctas ? 0 : 1;
  }
  cudaFree(x);
  cudaFree(y);
  cudaFree(events);
  return result;
}
