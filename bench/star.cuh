#pragma once

/// The job of the halo sweep: the sum over a star of radius 4 around each element of a square array, zero outside.

#include <dma/config.hpp>

namespace bench {

struct Star {
  static constexpr int radius = 4;
  static constexpr int rows = 32, cols = 128;  ///< of a tile
  static constexpr int box_rows = rows + 2 * radius, box_cols = cols + 2 * radius;
  static constexpr int compute_threads = 256;  ///< 4 x 4 elements each

  const float* x;
  float* y;
  int n;

  DMA_HOST_DEVICE int tiles_across() const { return n / cols; }
  DMA_HOST_DEVICE int tiles() const { return n / cols * (n / rows); }
  DMA_HOST_DEVICE int first_row(int tile) const { return tile / tiles_across() * rows; }
  DMA_HOST_DEVICE int first_col(int tile) const { return tile % tiles_across() * cols; }
};

DMA_DEVICE void accumulate(float4& sum, const float4& other) {
  sum.x += other.x;
  sum.y += other.y;
  sum.z += other.z;
  sum.w += other.w;
}

/// A thread's 4 x 4 sums of the tile whose first element is (first_row, first_col). `word(r, c)` gives the four
/// elements from (r, c) of the tile on, which begins at (0, 0).
template <class Word>
DMA_DEVICE void star_sums(const Star& job, int first_row, int first_col, int thread, const Word& word) {
  const int r = thread / 32 * 4;
  const int c = thread % 32 * 4;
  float4 sums[4] = {};
#pragma unroll
  for (int i = -Star::radius; i < 4 + Star::radius; ++i) {
    const float4 middle = word(r + i, c);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (i - k >= -Star::radius && i - k <= Star::radius) {
        accumulate(sums[k], middle);
      }
    }
    if (i >= 0 && i < 4) {
      const float4 left = word(r + i, c - 4);
      const float4 right = word(r + i, c + 4);
      const float inner = middle.x + middle.y + middle.z + middle.w;
      sums[i].x += left.x + left.y + left.z + left.w + (inner - middle.x) + right.x;
      sums[i].y += left.y + left.z + left.w + (inner - middle.y) + right.x + right.y;
      sums[i].z += left.z + left.w + (inner - middle.z) + right.x + right.y + right.z;
      sums[i].w += left.w + (inner - middle.w) + right.x + right.y + right.z + right.w;
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    *reinterpret_cast<float4*>(job.y + static_cast<long long>(first_row + r + k) * job.n + first_col + c) = sums[k];
  }
}

}  // namespace bench
