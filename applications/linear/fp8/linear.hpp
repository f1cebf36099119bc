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
  with_rows(p.m, [&](auto rows) {
    with_fastest_division<rows.value>(p, most_ctas, run, [](auto division) {
      return ScaledLinear<form_of(decltype(rows)::value, division.value)>{};
    });
  });
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
