#pragma once

#include <dma/dma.hpp>

/// Writes an array, by one CTA which may begin while grids before it run: in proofs the grid before or behind a kernel
/// that begins early.
template <class T>
struct Writes {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Writes>& cta, T* to, int count, T value) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    for (int i = cta.thread(); i < count; i += Layout::threads) {
      to[i] = value;
    }
  }
};
