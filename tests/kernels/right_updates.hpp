#pragma once

#include "kernels/right.hpp"

/// Kernels that change tiles in place: one ring for loads and stores.
namespace right {

/// Every third tile is short, and ends between two multiples of 16 bytes.
template <class Buffering, class Barrier, class Engine>
struct UpdatesInOneRing {
  static constexpr const char* name = "tiles loaded, changed and stored through one ring";
  static constexpr int tiles = 9;
  static constexpr int rest = 21;  ///< elements of a short tile
  static constexpr int ctas = 2;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = typename Buffering::Layout;
  using Pipe = dma::DmaPipeline<dma::Update<Tile>, Buffering, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static typename Pipe::Pattern tile(int t) { return Tile{t % 3 == 1 ? rest : count}; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<UpdatesInOneRing>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(in + t * count, tile(t)); },
        [&](const auto& compute, int t) {
          const auto slot = compute.wait(tile(t));
          for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
            slot[i] = 3 * slot[i] + t;
          }
        },
        [&](const auto& dma, int t) { dma.store(out + t * count, tile(t)); });
  }
  static int expected(const int* in, int i) {
    const int t = i / 64;
    return t % 3 == 1 && i % 64 >= 21 ? untouched : 3 * in[i] + t;
  }
};

/// Numbers the elements of each tile, then reverses it: the second pipeline loads what the first has stored. The DMA
/// warps load as many tiles ahead as there are slots, in a loop of their own.
template <class Engine>
struct ReversesInPlace {
  static constexpr const char* name = "tiles changed in place in global memory, by one pipeline after another";
  static constexpr int tiles = 9;
  static constexpr int ctas = 2;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 2>;
  using Pipe = dma::DmaPipeline<dma::Update<Tile>, dma::MultiBuffer<Layout, 3>, Phase, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReversesInPlace>& cta, const int*, int* out, Word*) const {
    const auto pass = [&](const auto& change) {
      Pipe pipe(cta, cta.template shared<Shared>().storage);
      const int first = cta.block().x;
      const int step = cta.blocks().x;
      const auto place = [&](int t) { return out + (first + t * step) * count; };
      const int own = (tiles - first + step - 1) / step;
      if (pipe.is_dma()) {
        const auto dma = pipe.as_dma();
        for (int t = 0; t < own; ++t) {
          if (t >= Pipe::stages) {
            dma.store(place(t - Pipe::stages));
          }
          dma.load(place(t));
        }
        for (int t = own > Pipe::stages ? own - Pipe::stages : 0; t < own; ++t) {
          dma.store(place(t));
        }
      } else {
        const auto compute = pipe.as_compute();
        for (int t = 0; t < own; ++t) {
          const auto slot = compute.wait();
          change(compute, slot);
        }
      }
      pipe.close();
    };
    pass([](const auto& compute, const auto& slot) { slot[compute.rank()] += compute.rank(); });
    pass([](const auto& compute, const auto& slot) {
      const int other = slot[63 - compute.rank()];
      compute.sync();
      slot[compute.rank()] = other;
    });
  }
  static int expected(const int*, int i) { return untouched + 63 - i % 64; }
};

using Updates =
    List<UpdatesInOneRing<dma::MultiBuffer<Warps<2, 1>, 4>, Phase, Bulk>,
         UpdatesInOneRing<dma::MultiBuffer<Warps<3, 2>, 3>, Phase, Bulk>,
         UpdatesInOneRing<dma::MultiBuffer<Warps<2, 2>, 3>, Phase, Async>,
         UpdatesInOneRing<dma::MultiBuffer<Warps<2, 2, 2>, 4, dma::DmaGroups{.count = 2}>, Named, Registers>,
         UpdatesInOneRing<dma::DoubleBuffer<Warps<2, 1, 1>>, Named, Async>,
         UpdatesInOneRing<dma::MultiBuffer<Warps<1, 2, 2>, 6, dma::DmaGroups{.count = 2}>, Phase, Bulk>,
         UpdatesInOneRing<dma::SingleBuffer<Warps<1, 1>>, Phase, Bulk>,
         UpdatesInOneRing<dma::MultiBuffer<Warps<2>, 3>, Phase, Bulk>,
         UpdatesInOneRing<dma::SingleBuffer<Warps<2>>, Named, Registers>, ReversesInPlace<Bulk>>;

}  // namespace right
