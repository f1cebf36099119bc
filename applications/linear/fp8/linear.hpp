#pragma once

/// From a problem to a kernel, on either machine.

#include "../linear.hpp"
#include "kernel.hpp"
#include "problem.hpp"

#include <stdexcept>
#include <string>

namespace linear::fp8 {

/// Calls `run` with the fastest kernel for a problem on a GPU that has so many CTAs at a time.
template <class Run>
void with_kernel(const Problem& p, int most_ctas, const Run& run) {
  const auto with = [&](auto columns) {
    constexpr int rows = columns.value;
    const ScaledLinear<form_of(rows)> parts;
    const ScaledLinear<form_of(rows, Division::pairs)> pairs;
    const ScaledLinear<form_of(rows, Division::narrow_pairs)> narrow_pairs;
    if constexpr (rows <= 16) {  // X, which narrow tiles load as often again, is small
      const ScaledLinear<form_of(rows, Division::narrow_parts)> narrow_parts;
      with_fastest(p, most_ctas, run, parts, narrow_parts, pairs, narrow_pairs);
    } else {
      with_fastest(p, most_ctas, run, parts, pairs, narrow_pairs);
    }
  };
  p.m <= 8    ? with(dma::Constant<8>{})
  : p.m <= 16 ? with(dma::Constant<16>{})
  : p.m <= 32 ? with(dma::Constant<32>{})
  : p.m <= 48 ? with(dma::Constant<48>{})
              : with(dma::Constant<most_rows>{});
}

/// Throws for a problem that a kernel does not take.
template <class Kernel>
void expect_taken(const Problem& p) {
  expect_valid(p);
  if (p.m > Kernel::form.columns) {
    throw std::invalid_argument("linear::fp8: there are " + std::to_string(p.m) +
                                " rows of X, and this kernel takes up to " + std::to_string(Kernel::form.columns) +
                                "; use another form");
  }
}

}  // namespace linear::fp8
