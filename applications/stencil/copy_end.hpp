#pragma once

#include "slab_epilogue.hpp"

namespace stencil {

/// Copies the planes of a finished end, as a copy engine does that waits for its flag: what proofs of slabs share.
struct CopyEnd {
  const float* from[ends];
  float* to[ends];
  int elements;

  template <class Compute>
  DMA_HOST_DEVICE void operator()(End end, const Compute& compute) const {
    const int e = static_cast<int>(end);
    for (int i = compute.rank(); i < elements; i += Compute::size()) {
      to[e][i] = from[e][i];
    }
  }
};

}  // namespace stencil
