#pragma once

/// Y = X W^T, a linear layer whose weights are numbers of 4 or 8 bits: a few rows of X against all of W.

#include "../half_types.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstdint>
#include <stdexcept>
#include <string>
#endif

namespace linear {

using BFloat16 = __nv_bfloat16;
using Half = __half;

inline constexpr int most_rows = 64;                  ///< of X
inline constexpr long long most_numbers = 1LL << 36;  ///< of W: 32 bits count the units of more no longer

/// W[j][i] = scale * (number - zero), of the numbers 0 to 15, or to 255, of row j; each `group` numbers along k share a
/// scale and a zero. `packing.hpp` says how they lie in memory.
template <class Type>
struct Problem {
  using Element = Type;

  int m;             ///< rows of X and Y, at most `most_rows`
  int n;             ///< rows of W, columns of Y
  int k;             ///< columns of X and W, a multiple of `group`
  int group;         ///< 64 or 128
  bool has_zeros;    ///< whether groups have a zero; without, it is 8, of 8 bits 128
  const Element* x;  ///< element (i, j) at x[i * ldx + j]
  long long ldx;     ///< from one row to the next, >= k
  const Element* w;  ///< `packed_elements()` of packed numbers and scales
  Element* y;        ///< `m` x `n`
  long long ldy;     ///< >= n
  int bits = 4;      ///< of a number, 4 or 8
};

#if !defined(__CUDACC_RTC__)
inline void expect_countable(const std::string& who, int n, int k) {
  if (1LL * n * k > most_numbers) {
    throw std::invalid_argument(who + ": W has " + std::to_string(n) + " x " + std::to_string(k) +
                                " numbers; divide its rows, so that it has up to 2^36");
  }
}
/// Throws for a problem that no kernel takes.
template <class Element>
void expect_valid(const Problem<Element>& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("linear: " + what); };
  const auto is_aligned = [](const Element* array) {
    return array != nullptr && reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
  };
  if (p.bits != 4 && p.bits != 8) {
    refuse("numbers have " + std::to_string(p.bits) + " bits; give numbers of 4 or 8");
  }
  if (p.group != 64 && p.group != 128) {
    refuse("groups have " + std::to_string(p.group) + " numbers; give groups of 64 or 128");
  }
  if (p.m < 1 || p.m > most_rows || p.n < 1 || p.k < 1 || p.k % p.group != 0) {
    refuse("m, n and k are " + std::to_string(p.m) + ", " + std::to_string(p.n) + " and " + std::to_string(p.k) +
           "; give m from 1 to " + std::to_string(most_rows) + ", a positive n, and k a multiple of the group's " +
           std::to_string(p.group));
  }
  expect_countable("linear", p.n, p.k);
  if (!is_aligned(p.x) || !is_aligned(p.w)) {
    refuse("X or W begins at an address that is null or no multiple of 16 bytes; align it");
  }
  if (p.ldx < p.k || p.ldx % 8 != 0) {
    refuse("the rows of X are " + std::to_string(p.ldx) + " elements apart and have " + std::to_string(p.k) +
           "; make the distance a multiple of 8, and no less than a row");
  }
  if (p.y == nullptr || p.ldy < p.n) {
    refuse("Y is null, or its rows are " + std::to_string(p.ldy) + " elements apart and have " + std::to_string(p.n) +
           "; make the distance no less than a row");
  }
}
#endif

}  // namespace linear
