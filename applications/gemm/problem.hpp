#pragma once

/// C = A B^T (+ bias) (+ C): products of matrices whose rows are contiguous, of bf16 or f16 numbers, summed in fp32.

#include "element.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#endif

namespace gemm {

/// Each row begins on 16 bytes: addresses are multiples of 16 bytes, `k`, `n` and the distances of rows of 8 elements.
template <class Type>
struct Problem {
  using Element = Type;

  int m;                          ///< rows of A and C
  int n;                          ///< rows of B, columns of C
  int k;                          ///< columns of A and B
  const Element* a;               ///< element (i, j) at a[i * lda + j]
  long long lda;                  ///< from one row to the next, >= k
  const Element* b;               ///< `n` x `k`
  long long ldb;                  ///< >= k
  Element* c;                     ///< `m` x `n`
  long long ldc;                  ///< >= n
  const Element* bias = nullptr;  ///< `n` numbers that are added to each row of C; null: none
  bool adds_c = false;            ///< whether C is added to; otherwise it is not read
};

#if !defined(__CUDACC_RTC__)
/// The operands of C^T = B A^T: `m` is then the columns of C, `n` its rows. C and the bias stay as they are.
template <class Element>
[[nodiscard]] Problem<Element> transposed(Problem<Element> p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.lda, p.ldb);
  return p;
}

/// Whether each row of A and of B begins on 128 bytes, as a box of 64 columns then does.
template <class Element>
[[nodiscard]] bool rows_are_aligned(const Problem<Element>& p) {
  const auto are_aligned = [](const Element* matrix, long long distance) {
    return reinterpret_cast<std::uintptr_t>(matrix) % 128 == 0 && distance % 64 == 0;
  };
  return are_aligned(p.a, p.lda) && are_aligned(p.b, p.ldb);
}

/// Throws for a problem that no kernel takes.
template <class Element>
void expect_valid(const Problem<Element>& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("gemm: " + what); };
  const auto expect_matrix = [&](const char* name, const Element* matrix, long long distance, int columns) {
    if (matrix == nullptr || reinterpret_cast<std::uintptr_t>(matrix) % 16 != 0) {
      refuse(std::string(name) + " begins at an address that is null or no multiple of 16 bytes; align it");
    }
    if (distance < columns || distance % 8 != 0) {
      refuse(std::string("the rows of ") + name + " are " + std::to_string(distance) + " elements apart and have " +
             std::to_string(columns) + "; make the distance a multiple of 8, and no less than a row");
    }
  };
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.n % 8 != 0 || p.k % 8 != 0) {
    refuse("m, n and k are " + std::to_string(p.m) + ", " + std::to_string(p.n) + " and " + std::to_string(p.k) +
           "; give positive ones, n and k multiples of 8");
  }
  expect_matrix("A", p.a, p.lda, p.k);
  expect_matrix("B", p.b, p.ldb, p.k);
  expect_matrix("C", p.c, p.ldc, p.n);
  if (reinterpret_cast<std::uintptr_t>(p.bias) % 4 != 0) {
    refuse("the bias begins between two multiples of 4 bytes; align it");
  }
}
#endif

}  // namespace gemm
