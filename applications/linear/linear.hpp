#pragma once

/// From a problem to a kernel, on either machine.

#include "kernel.hpp"
#include "problem.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace linear {

/// Elements of packed weights.
[[nodiscard]] inline std::size_t packed_elements(int n, int k, int group, bool has_zeros, int bits = 4) {
  const std::size_t blocks = static_cast<std::size_t>(blocks_along_n(n)) * static_cast<std::size_t>(blocks_along_k(k));
  return blocks * static_cast<std::size_t>(64 * 128 * bits / 16 + 128 / group * 64 * (has_zeros ? 2 : 1));
}

/// Vectors of `Workspace::sums`.
template <class Kernel>
[[nodiscard]] std::size_t vectors_of(const Plan& plan) {
  return static_cast<std::size_t>(plan.ctas) * static_cast<std::size_t>(Kernel::PartsOfTiles::vectors_of_cta);
}

/// About how long a launch takes, in units. With one slot they are loaded and multiplied in turn.
template <class Kernel>
[[nodiscard]] long long time_of(const typename Kernel::Taken& p, int most_ctas) {
  const Plan plan = Kernel::plan_of(p, most_ctas);
  return (Kernel::form.slots == 1 ? 2 : 1) *
         (Kernel::form.cluster == 1 ? time_of(plan) : time_in_clusters(plan, most_ctas));
}
/// Calls `run` with the one of these kernels that takes the least time for a problem, the first of equal ones.
template <class Of, class Run, class... Kernels>
void with_fastest(const Of& p, int most_ctas, const Run& run, const Kernels&... kernels) {
  const long long least = std::min({time_of<Kernels>(p, most_ctas)...});
  bool has_run = false;
  const auto try_one = [&]<class Kernel>(const Kernel& kernel) {
    if (!has_run && time_of<Kernel>(p, most_ctas) == least) {
      has_run = true;
      run(kernel);
    }
  };
  (try_one(kernels), ...);
}

/// The same with the kernels of all divisions for up to so many rows of X.
///
/// @param kernel_of  makes a kernel of a division, a constant of the standard library
template <int rows, class Of, class Run, class KernelOf>
void with_fastest_division(const Of& p, int most_ctas, const Run& run, const KernelOf& kernel_of) {
  const auto parts = kernel_of(std::integral_constant<Division, Division::parts>{});
  const auto pairs = kernel_of(std::integral_constant<Division, Division::pairs>{});
  const auto narrow_pairs = kernel_of(std::integral_constant<Division, Division::narrow_pairs>{});
  if constexpr (rows <= 16) {  // X, which narrow tiles load as often again, is small
    const auto narrow_parts = kernel_of(std::integral_constant<Division, Division::narrow_parts>{});
    with_fastest(p, most_ctas, run, parts, narrow_parts, pairs, narrow_pairs);
  } else {
    with_fastest(p, most_ctas, run, parts, pairs, narrow_pairs);
  }
}
/// Calls `with` with the least number of rows, a constant, that a kernel for so many rows of X is made for.
template <class With>
void with_rows(int m, const With& with) {
  m <= 8    ? with(dma::Constant<8>{})
  : m <= 16 ? with(dma::Constant<16>{})
  : m <= 32 ? with(dma::Constant<32>{})
  : m <= 48 ? with(dma::Constant<48>{})
            : with(dma::Constant<most_rows>{});
}

/// Calls `run` with the fastest kernel for up to so many rows of X on a GPU that has so many CTAs at a time.
template <class Element, int rows, int group, bool has_zeros, int bits, class Run>
void with_kernel_of(const Problem<Element>& p, int most_ctas, const Run& run) {
  with_fastest_division<rows>(p, most_ctas, run, [](auto division) {
    return Linear<Element, form_of(rows, group, has_zeros, division.value, bits)>{};
  });
}
/// The same for a problem.
template <class Element, int group, bool has_zeros, int bits = 4, class Run>
void with_kernel(const Problem<Element>& p, int most_ctas, const Run& run) {
  with_rows(p.m, [&](auto rows) { with_kernel_of<Element, rows.value, group, has_zeros, bits>(p, most_ctas, run); });
}

/// Throws for a problem that a kernel does not take.
template <class Kernel>
void expect_taken(const Problem<typename Kernel::Element>& p) {
  constexpr Form form = Kernel::form;
  linear::expect_valid(p);
  if (p.m > form.columns || p.group != form.group || p.has_zeros != form.has_zeros || p.bits != form.bits) {
    const auto weights = [](int group, int bits, bool has_zeros) {
      return " and groups of " + std::to_string(group) + " numbers of " + std::to_string(bits) + " bits " +
             (has_zeros ? "with" : "without") + " zeros";
    };
    throw std::invalid_argument("linear: there are " + std::to_string(p.m) + " rows of X" +
                                weights(p.group, p.bits, p.has_zeros) + ", and this kernel takes up to " +
                                std::to_string(form.columns) + " rows" +
                                weights(form.group, form.bits, form.has_zeros) + "; use another form");
  }
}

}  // namespace linear
