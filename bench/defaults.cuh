#pragma once

/// A first guess against the best of its variants: tiles that are streamed and added up by CTAs of a given size, by the
/// default engine in the automatic number of stages, and by each engine in 1, 2, 4 and automatically many.

#include "engines.hpp"
#include "stream.cuh"

#include <dma/launch/launch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace bench {

template <class Warps, class Pipe_, int MinCtas = 1>
struct DefaultStream {
  using Layout = Warps;
  using Pipe = Pipe_;
  using Tile = typename Pipe::Pattern;
  static constexpr dma::KernelTraits traits{.min_ctas = MinCtas};

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DefaultStream>& cta, const Stream& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(job.x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          const auto* const words = reinterpret_cast<const float4*>(tile.data());
#pragma unroll 4
          for (int i = compute.rank(); i < Tile::count / 4; i += Warps::compute_threads) {
            const float4 word = words[i];
            sums[0] += word.x;
            sums[1] += word.y;
            sums[2] += word.z;
            sums[3] += word.w;
          }
        });
    // Four sums a thread: those of the sparsest grid's threads together would be too large to be exact.
    if (cta.warp() < Warps::compute_warps) {
      const int thread = cta.block().x * Warps::compute_threads + cta.thread();
      reinterpret_cast<float4*>(job.sums)[thread] = make_float4(sums[0], sums[1], sums[2], sums[3]);
    }
#endif
  }
};

/// One size of tile and of CTA.
template <int TileBytes, int ComputeWarps>
struct DefaultsRow {
  using Warps = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, TileBytes / 4>;
  template <auto Stages>
  using Buffering = dma::MultiBuffer<Warps, Stages>;

  template <class Pipe>
  static Subject subject(int ctas_an_sm) {
    const int ctas = ctas_an_sm * sms();
    Subject subject =
        stream_subject(1, TileBytes, ctas, 4 * Warps::compute_threads, [=](cudaStream_t stream, const Stream& job) {
          dma::launch(DefaultStream<Warps, Pipe>{}, {ctas}, stream, job);
        });
    subject.label = std::string(Pipe::Engine::traits.name) + (Pipe::barrier_ids > 0 ? ", named barriers, " : ", ") +
                    std::to_string(Pipe::stages) + (Pipe::stages == 1 ? " stage" : " stages");
    return subject;
  }
  template <class Choice>
  static void add_variants(std::vector<Subject>& variants, int ctas_an_sm) {
    using Barrier = typename Choice::Barrier;
    using Engine = typename Choice::template Engine<16>;
    variants.push_back(subject<dma::DmaPipeline<Tile, Buffering<1>, Barrier, Engine>>(ctas_an_sm));
    variants.push_back(subject<dma::DmaPipeline<Tile, Buffering<2>, Barrier, Engine>>(ctas_an_sm));
    variants.push_back(subject<dma::DmaPipeline<Tile, Buffering<4>, Barrier, Engine>>(ctas_an_sm));
    variants.push_back(subject<dma::DmaPipeline<Tile, Buffering<dma::AutomaticStages{}>, Barrier, Engine>>(ctas_an_sm));
  }

  static void add_subjects() {
    for (const int ctas_an_sm : {1, 4, 16}) {
      const std::string name = "defaults/bytes:" + std::to_string(TileBytes) +
                               "/warps:" + std::to_string(ComputeWarps) + "/ctas:" + std::to_string(ctas_an_sm) +
                               "/by:";
      add(name + "default",
          [=] { return subject<dma::DmaPipeline<Tile, Buffering<dma::AutomaticStages{}>>>(ctas_an_sm); });
      add(name + "best", [=] {
        std::vector<Subject> variants;
        for_each_type(Engines{}, [&]<class Choice>() { add_variants<Choice>(variants, ctas_an_sm); });
        return fastest_of(std::move(variants));
      });
    }
  }
};

}  // namespace bench
