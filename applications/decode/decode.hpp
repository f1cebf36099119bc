#pragma once

/// From a problem to a kernel, on either machine.

#include "kernel.hpp"
#include "problem.hpp"

#include <dma/unrolled.hpp>

namespace decode {

/// Calls `run` with the first of the constants that `is_it` says yes to, or with the last.
template <int First, int... Others, class Is, class Run>
void with_first(const Is& is_it, const Run& run) {
  if constexpr (sizeof...(Others) == 0) {
    run(dma::Constant<First>{});
  } else if (is_it(First)) {
    run(dma::Constant<First>{});
  } else {
    with_first<Others...>(is_it, run);
  }
}

/// Calls `run(kernel)` with the kernel of a problem.
///
/// @throw std::invalid_argument  for a problem that no kernel takes
template <bool starts_early, class Element, class Run>
void with_kernel(const Problem<Element>& p, const Run& run) {
  decode::expect_valid(p);
  const auto is_size = [&](int size) { return p.head_size == size; };
  const auto is_wide = [&](int columns) { return queries_of_group(p) <= columns; };
  const auto is_box = [&](int rows) { return p.page_table == nullptr || p.page_rows % rows == 0; };
  with_first<64, 128>(is_size, [&](auto size) {
    with_first<8, 16, 32>(is_wide, [&](auto columns) {
      with_first<64, 32, 16>(is_box, [&](auto box_rows) {
        run(Decode<Element, form_of(size.value, columns.value, box_rows.value, starts_early)>{});
      });
    });
  });
}

}  // namespace decode
