#pragma once

#include <dma/dma.hpp>

/// Each CTA leaves the sum of its part of x. The one that counts last adds up what all have left.
struct Total {
  using Layout = dma::WarpLayout<dma::Compute<1>>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Total>& cta, const int* x, int* sums, unsigned* counted,
                                  int* total) const {
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      const int ctas = cta.blocks().x;
      int sum = 0;
      for (int i = 0; i < 64; ++i) sum += x[block * 64 + i];
      sums[block] = sum;
      dma::atomic_ref<unsigned, dma::Scope::gpu> count(*counted);
      if (count.fetch_add(1, dma::Order::acq_rel) == static_cast<unsigned>(ctas) - 1) {
        int all = 0;
        for (int i = 0; i < ctas; ++i) all += sums[i];
        *total = all;
      }
    }
    cta.sync_warp();
  }
};
