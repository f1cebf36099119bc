#pragma once

#include <dma/dma.hpp>

#include <cmath>

/// Softmax of the rows of a matrix, by two compute groups: the first raises e to the elements of a row, the second
/// divides by the row's sum. Tiles go from one to the other through slots of their own, without a copy engine.
struct Softmax {
  static constexpr int cols = 256;
  static constexpr int rows = 4;  ///< of a tile: each warp of a group has one
  using Tile = dma::Sequential<float, rows * cols>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Tile, dma::UsedBy<0, dma::MultiBuffer<Layout, 4>>>;
  using Powers = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;
  using Store =
      dma::DmaPipeline<dma::Store<Tile>, dma::UsedBy<1, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>>;
  struct Shared {
    Load::Storage load;
    Powers::Storage powers;
    Store::Storage store;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Softmax>& cta, const float* x, float* y, int tiles) const {
    auto& shared = cta.shared<Shared>();
    Load load(cta, shared.load);
    Powers powers(cta, shared.powers);
    Store store(cta, shared.store);
    const int first = cta.block().x;
    const int step = cta.blocks().x;
    const auto over_warp = [&](float value, auto combine) {
      for (int distance = 16; distance > 0; distance /= 2) {
        value = combine(value, cta.shuffle(value, cta.lane() ^ distance));
      }
      return value;
    };
    cta.take_roles(
        [&] {  // compute group 0
          auto from = load.as_compute();
          auto to = powers.as_producer();
          const int begin = from.rank() / 32 * cols + cta.lane();
          for (int t = first; t < tiles; t += step) {
            auto row = from.wait();
            auto power = to.wait();
            float most = row[begin];
            for (int k = 32; k < cols; k += 32) most = fmaxf(most, row[begin + k]);
            most = over_warp(most, [](float a, float b) { return fmaxf(a, b); });
            for (int k = 0; k < cols; k += 32) power[begin + k] = expf(row[begin + k] - most);
          }
        },
        [&] {  // compute group 1
          auto from = powers.as_consumer();
          auto to = store.as_compute();
          const int begin = from.rank() / 32 * cols + cta.lane();
          for (int t = first; t < tiles; t += step) {
            auto power = from.wait();
            auto result = to.wait();
            float sum = 0;
            for (int k = 0; k < cols; k += 32) sum += power[begin + k];
            sum = over_warp(sum, [](float a, float b) { return a + b; });
            for (int k = 0; k < cols; k += 32) result[begin + k] = power[begin + k] / sum;
          }
        },
        [&] {  // DMA group 0
          auto dma = load.as_dma();
          for (int t = first; t < tiles; t += step) dma.load(x + t * Tile::count);
        },
        [&] {  // DMA group 1
          auto dma = store.as_dma();
          for (int t = first; t < tiles; t += step) dma.store(y + t * Tile::count);
        });
  }
};
