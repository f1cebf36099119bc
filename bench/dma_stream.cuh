#pragma once

/// The streaming job on this library: one body for every engine, barrier, buffering and layout.

#include "engines.hpp"
#include "stream.cuh"

#include <dma/launch/launch.hpp>

namespace bench {

/// @tparam Warps  with DMA warps or without
template <int K, class Warps, int MinCtas, int TileBytes, int Stages, int Width, class Barrier, class Engine>
struct DmaStream {
  using Layout = Warps;
  using Tile = dma::Sequential<float, TileBytes / 4>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, Stages>, Barrier, Engine>;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaStream>& cta, const Stream& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(job.x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          float v[TileBytes / 4 / Warps::compute_threads];
          read_elements<Width, Warps::compute_threads>(tile.data(), compute.rank(), v);
          tile.release();
          multiply_add<K>(v, job, sums);
        });
    if (cta.warp() < Warps::compute_warps) {
      write_sum(job, cta.thread(), Warps::compute_threads, sums);
    }
#endif
  }
};

/// The subject of a body.
template <class Body, int K, int TileBytes>
Subject dma_stream_subject(int ctas) {
  return stream_subject(K, TileBytes, ctas, Body::Layout::compute_threads,
                        [=](cudaStream_t stream, const Stream& job) { dma::launch(Body{}, {ctas}, stream, job); });
}

}  // namespace bench
