#pragma once

/// Y = X W^T, a linear layer of numbers of 8 bits with a scale for each block: a few rows of X against all of W.

#include "../problem.hpp"

#include <dma/dma.hpp>

// An NVRTC older than the toolkit's headers, as PyTorch may bring, does not compile cuda_fp8.h. A kernel needs the
// size.
#if !defined(__CUDACC_RTC__) && __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>
#elif !defined(__CUDA_FP8_H__)
struct __nv_fp8_e4m3 {
  unsigned char bits;
};
#endif

#if !defined(__CUDACC_RTC__)
#include <cstdint>
#include <stdexcept>
#include <string>
#endif

namespace linear::fp8 {

using Number = __nv_fp8_e4m3;

inline constexpr int block = 128;  ///< numbers of a scale: along k, and for W along n too

/// The blocks of so many numbers; the last one may be shorter.
[[nodiscard]] DMA_HOST_DEVICE constexpr int blocks_of(int numbers) { return (numbers + block - 1) / block; }

/// A number's value is that of its 8 bits times the scale of its block.
struct Problem {
  int m;                   ///< rows of X and Y, at most `most_rows`
  int n;                   ///< rows of W, columns of Y
  int k;                   ///< columns of X and W, a multiple of 16
  const Number* x;         ///< number (i, j) at x[i * ldx + j]
  long long ldx;           ///< from one row to the next, a multiple of 16, >= k
  const float* x_scales;   ///< of row i and block b of k at x_scales[i * x_scales_row + b * x_scales_block]
  long long x_scales_row;  ///< in either order
  long long x_scales_block;
  const Number* w;  ///< as `x`
  long long ldw;
  const float* w_scales;  ///< of rows 128 j to 128 j + 127 and block b at w_scales[j * blocks_of(k) + b]
  BFloat16* y;            ///< `m` x `n`
  long long ldy;          ///< >= n
};

#if !defined(__CUDACC_RTC__)
/// Throws for a problem that no kernel takes.
inline void expect_valid(const Problem& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("linear::fp8: " + what); };
  const auto is_aligned = [](const Number* array) {
    return array != nullptr && reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
  };
  if (p.m < 1 || p.m > most_rows || p.n < 1 || p.k < 1 || p.k % 16 != 0) {
    refuse("m, n and k are " + std::to_string(p.m) + ", " + std::to_string(p.n) + " and " + std::to_string(p.k) +
           "; give m from 1 to " + std::to_string(most_rows) + ", a positive n, and k a multiple of 16");
  }
  expect_countable("linear::fp8", p.n, p.k);
  if (!is_aligned(p.x) || !is_aligned(p.w)) {
    refuse("X or W begins at an address that is null or no multiple of 16 bytes; align it");
  }
  if (p.ldx < p.k || p.ldx % 16 != 0 || p.ldw < p.k || p.ldw % 16 != 0) {
    refuse("the rows of X and W are " + std::to_string(p.ldx) + " and " + std::to_string(p.ldw) +
           " numbers apart and have " + std::to_string(p.k) +
           "; make the distances multiples of 16, and no less than a row");
  }
  if (p.x_scales == nullptr || p.w_scales == nullptr) {
    refuse("the scales of X or W are null; give one for each block of 128 numbers");
  }
  if (p.y == nullptr || p.ldy < p.n) {
    refuse("Y is null, or its rows are " + std::to_string(p.ldy) + " elements apart and have " + std::to_string(p.n) +
           "; make the distance no less than a row");
  }
}
#endif

}  // namespace linear::fp8
