#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with two engines.
enum class Mistake { none, misaligned, no_fence, one_group };

/// y = 2 x, by bulk copies in and by the default engine of short tiles out, each by a DMA warp: right, or with a mistake.
template <Mistake mistake>
struct BothWays {
  using Tile = dma::Sequential<float, 128>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, dma::BulkCopy<>>;
  static constexpr int group = mistake == Mistake::one_group ? 0 : 1;
  using Store = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = group}>>;
  struct Shared {
    typename Load::Storage x;
    typename Store::Storage y;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BothWays>& cta, const float* x, float* y, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Load load(cta, shared.x);
    Store store(cta, shared.y);
    if (load.is_compute()) {
      auto in = load.as_compute();
      auto out = store.as_compute();
      for (int t = 0; t < tiles; ++t) {
        auto from = in.wait();
        auto to = out.wait();
        for (int i = in.rank(); i < from.size(); i += in.size()) to[i] = 2 * from[i];
        if (mistake == Mistake::no_fence) dma::AsyncReads().release(from);  // is for tiles that tensor cores alone have read
      }
    }
    if (load.is_dma()) {
      auto dma = load.as_dma();
      const int first = mistake == Mistake::misaligned ? 1 : 0;
      for (int t = 0; t < tiles; ++t) dma.load(x + first + t * Tile::count);
    }
    if (store.is_dma()) {
      auto dma = store.as_dma();
      for (int t = 0; t < tiles; ++t) dma.store(y + t * Tile::count);
    }
  }
};
