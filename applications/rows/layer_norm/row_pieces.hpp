#pragma once

/// What the layer norms of rows in one CTA and in several share: their threads' parameters, pieces and moments.

#include "moments.hpp"

#include <dma/dma.hpp>

/// A thread's scale and shift of `Vectors` of its vectors.
template <int Vectors>
struct LayerNormParameters {
  dma::Vector<float> scale[Vectors];
  dma::Vector<float> shift[Vectors];

  /// From its vector `first` on.
  template <class Compute>
  [[nodiscard]] DMA_HOST_DEVICE static LayerNormParameters read(const Compute& compute, const float* scale,
                                                                const float* shift, int first) {
    LayerNormParameters parameters;
    dma::unrolled<Vectors>([&](auto k) {
      const int i = compute.rank() + (first + k) * compute.size();
      parameters.scale[k] = dma::vectors(scale)[i];
      parameters.shift[k] = dma::vectors(shift)[i];
    });
    return parameters;
  }
};

/// The next piece of a row, the one of number `Piece`. Adds this thread's `Vectors` vectors of it to `moments`.
template <int Piece, int Vectors, class Pipe>
[[nodiscard]] DMA_HOST_DEVICE dma::Slot<Pipe> wait_and_add(const dma::ComputeHandle<Pipe>& compute, Moments& moments) {
  auto tile = compute.wait();
  const auto x4 = tile.vectors();
  dma::unrolled<Vectors>([&](auto k) {
    moments = moments.with(Moments::of(x4[compute.rank() + k * compute.size()]), 4 * (Piece * Vectors + k), 4);
  });
  return tile;
}

/// The moments of `Lanes` neighbours together, which have `count` values each.
template <int Lanes, class Cta>
[[nodiscard]] DMA_HOST_DEVICE Moments moments_of_lanes(const Cta& cta, Moments moments, int count) {
  for (int distance = 1; distance < Lanes; distance *= 2, count *= 2) {
    const int lane = cta.lane() ^ distance;
    const Moments other{cta.shuffle(moments.mean, lane), cta.shuffle(moments.squares, lane)};
    moments = moments.with(other, count, count);
  }
  return moments;
}
