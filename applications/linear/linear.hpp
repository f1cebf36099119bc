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
