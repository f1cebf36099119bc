#pragma once

/// What a sparse matrix is multiplied with, and how warps add up.

#include <dma/dma.hpp>

namespace sparse {

/// x and y of y = alpha A x + beta y.
struct Vectors {
  float alpha;
  const float* x;
  float beta;  ///< 0: y is written and never read
  float* y;

  DMA_HOST_DEVICE void write(int row, float sum) const {
    y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
  }
};

using Quad = dma::Vector<float, 4>;

/// B and C of C = alpha A B + beta C, by rows. Addresses are multiples of 16 bytes.
struct Panels {
  float alpha;
  const float* b;
  int ldb;     ///< from one row to the next: a multiple of 4
  float beta;  ///< 0: C is written and never read
  float* c;
  int ldc;

  /// Four columns of a row of C, from 4 * `quad` on.
  DMA_HOST_DEVICE void write(int row, int quad, const Quad& sum) const {
    Quad& to = dma::vectors(c + static_cast<long long>(row) * ldc)[quad];
    to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
  }
};

/// An element that no kernel here writes.
template <class T>
[[nodiscard]] DMA_HOST_DEVICE T read(const T* element) {
  return dma::load_global<dma::CacheHints{.load = dma::LoadCache::read_only}>(element);
}

/// An element of the matrix, which is read once.
template <class T>
[[nodiscard]] DMA_HOST_DEVICE T read_once(const T* element) {
  return dma::load_global<dma::CacheHints{.load = dma::LoadCache::streaming}>(element);
}

/// Calls `body` with the number of lanes as a constant.
template <class Body>
DMA_HOST_DEVICE void with_lanes(int lanes, const Body& body) {
  switch (lanes) {
    case 1:
      body(dma::Constant<1>{});
      break;
    case 2:
      body(dma::Constant<2>{});
      break;
    case 4:
      body(dma::Constant<4>{});
      break;
    case 8:
      body(dma::Constant<8>{});
      break;
    case 16:
      body(dma::Constant<16>{});
      break;
    default:
      body(dma::Constant<32>{});
      break;
  }
}

/// Calls `body(row, lane)` for rows 0 to `rows` - 1, `Lanes` neighbouring lanes of the warp each, and for as many
/// behind them that no lane is left out.
template <int Lanes, class Body>
DMA_HOST_DEVICE void for_each_row(const dma::Cta& cta, int rows, const Body& body) {
  for (int first = 0; first < rows; first += 32 / Lanes) {
    body(first + cta.lane() / Lanes, cta.lane() % Lanes);
  }
}

/// Adds the values of the lanes at multiples of `Step` in `Lanes` neighbouring lanes.
template <int Lanes, int Step>
[[nodiscard]] DMA_HOST_DEVICE float sum_of_lanes(const dma::Cta& cta, float value) {
  for (int distance = Lanes / 2; distance >= Step; distance /= 2) {
    value += cta.shuffle(value, cta.lane() ^ distance);
  }
  return value;
}
template <int Lanes, int Step>
[[nodiscard]] DMA_HOST_DEVICE Quad sum_of_lanes(const dma::Cta& cta, Quad quad) {
  for (int k = 0; k < 4; ++k) {
    quad[k] = sum_of_lanes<Lanes, Step>(cta, quad[k]);
  }
  return quad;
}

}  // namespace sparse
