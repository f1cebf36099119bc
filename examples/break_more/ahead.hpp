#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with a kernel that was made faster.
enum class Mistake { none, one_slot, early_release, to_size };

/// y = the difference of each tile and the one before it, whose slot stays held, in accesses of 16 bytes: right, or with a
/// mistake.
template <Mistake mistake>
struct Differences {
  using Tile = dma::Sequential<float, 256>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  static constexpr int slots = mistake == Mistake::one_slot ? 1 : 3;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, slots>>;
  struct Shared { typename Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Differences>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) dma.load(x + t * Tile::count);
    } else if (tiles > 0) {
      auto compute = pipe.as_compute();
      auto previous = compute.wait();
      for (int t = 1; t < tiles; ++t) {
        auto tile = compute.wait();
        if (mistake == Mistake::early_release) previous.release();
        auto x4 = tile.vectors();
        auto before4 = previous.vectors();
        auto y4 = dma::vectors(y + t * Tile::count);
        const int end = mistake == Mistake::to_size ? tile.size() : x4.size();
        for (int i = compute.rank(); i < end; i += compute.size()) {
          const auto a = x4[i], b = before4[i];
          y4[i] = {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]};
        }
        previous = std::move(tile);
      }
    }
  }
};
