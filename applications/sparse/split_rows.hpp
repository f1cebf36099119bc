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

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddSplitRows>& cta, const SplitRow* rows, int count, const T* heads,
                                  float alpha, T* y, int pitch) const {
    const int k = cta.block().x * Layout::compute_warps + cta.warp();
    if (k >= count) {
      return;
    }
    const SplitRow split = rows[k];
    const int element = cta.lane() % Size;
    const int row_size = cta.blocks().y * Size;
    const int first = cta.block().y * Size;
    T sum{};
    for (int chunk = split.chunk + 1 + cta.lane() / Size; chunk <= split.last; chunk += 32 / Size) {
      sum += heads[static_cast<long long>(chunk) * row_size + first + element];
    }
    sum = sum_of_lanes<32, Size>(cta, sum);
    if (cta.lane() < Size) {
      y[static_cast<long long>(split.row) * pitch + first + element] += alpha * sum;
    }
  }
};

}  // namespace sparse
