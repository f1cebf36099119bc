#pragma once

#include "csr.hpp"
#include "operands.hpp"

#include <dma/dma.hpp>

namespace sparse {

/// Adds what the other chunks of each split row have of it: y[row] += alpha * heads. A warp a row of `Size` elements of
/// T, a float or four of them.
template <class T, int Size>
struct AddSplitRows {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  static constexpr int each = 8;  ///< parts that a lane has in flight

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddSplitRows>& cta, const SplitRow* rows, int count, const T* heads,
                                  float alpha, T* y, int pitch) const {
    const int k = cta.block().x * Layout::compute_warps + cta.warp();
    const SplitRow split = k < count ? rows[k] : SplitRow{};
    cta.grid_dependency_wait();
    if (k >= count) {
      return;
    }
    const int element = cta.lane() % Size;
    const int row_size = cta.blocks().y * Size;
    const int first = cta.block().y * Size;
    T sum{};
    constexpr int step = 32 / Size;
    for (int chunk = split.chunk + 1 + cta.lane() / Size; chunk <= split.last; chunk += each * step) {
      T parts[each];
      dma::unrolled<each>([&](auto i) {
        const int at = chunk + i * step;
        parts[i] = at <= split.last ? heads[static_cast<long long>(at) * row_size + first + element] : T{};
      });
      dma::unrolled<each>([&](auto i) { sum += parts[i]; });
    }
    sum = sum_of_lanes<32, Size>(cta, sum);
    if (cta.lane() < Size) {
      y[static_cast<long long>(split.row) * pitch + first + element] += alpha * sum;
    }
  }
};

}  // namespace sparse
