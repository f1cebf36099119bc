#pragma once

/// From a problem to a kernel, on either machine.

#include "kernel.hpp"
#include "problem.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace linear {

/// Elements of packed weights.
[[nodiscard]] inline std::size_t packed_elements(int n, int k, int group, bool has_zeros) {
  const std::size_t blocks = static_cast<std::size_t>(blocks_along_n(n)) * static_cast<std::size_t>(blocks_along_k(k));
  return blocks * static_cast<std::size_t>(64 * 128 / 4 + 128 / group * 64 * (has_zeros ? 2 : 1));
}

/// Vectors of `Workspace::sums`.
template <class Kernel>
[[nodiscard]] std::size_t vectors_of(const Plan& plan) {
  return 2 * static_cast<std::size_t>(plan.ctas) * static_cast<std::size_t>(Kernel::vectors_of_part);
}

/// Calls `run` with the kernel for so many rows of X and numbers of k.
template <class Element, int group, bool has_zeros, class Run>
void with_kernel(int rows, int k, const Run& run) {
  const auto with = [&](auto columns) {
    constexpr Form short_form = form_of(columns.value, group, has_zeros);
    constexpr Form long_form = form_of(columns.value, group, has_zeros, long_k + 1);
    k > long_k ? run(Linear<Element, long_form>{}) : run(Linear<Element, short_form>{});
  };
  rows <= 8    ? with(dma::Constant<8>{})
  : rows <= 16 ? with(dma::Constant<16>{})
  : rows <= 32 ? with(dma::Constant<32>{})
  : rows <= 48 ? with(dma::Constant<48>{})
               : with(dma::Constant<most_rows>{});
}

/// Throws for a problem that a kernel does not take.
template <class Kernel>
void expect_taken(const Problem<typename Kernel::Element>& p) {
  constexpr Form form = Kernel::form;
  linear::expect_valid(p);
  if (p.m > form.columns || p.group != form.group || p.has_zeros != form.has_zeros) {
    throw std::invalid_argument("linear: there are " + std::to_string(p.m) + " rows of X and groups of " +
                                std::to_string(p.group) + (p.has_zeros ? " with" : " without") +
                                " zeros, and this kernel takes up to " + std::to_string(form.columns) +
                                " rows and groups of " + std::to_string(form.group) +
                                (form.has_zeros ? " with" : " without") + " zeros; use another form");
  }
}

}  // namespace linear
