#pragma once

/// The list of work made on the GPU, from lengths that are there.

#include "plan.hpp"

#include <dma/dma.hpp>

namespace decode {

/// One CTA: a warp adds up the units of the sequences, then each thread writes the segments of a CTA, or several.
///
/// @pre `before` has room for `batches` + 1 ints and `list` for `Division::count()` segments. Lengths are 0 or more.
struct MakePlan {
  using Layout = dma::WarpLayout<dma::Compute<8>>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<MakePlan>& cta, const Division& of, int* before, Segment* list) const {
    if (cta.warp() == 0) {
      int sum = 0;
      for (int first = 0; first < of.batches; first += 32) {
        const int batch = first + cta.lane();
        int units = batch < of.batches ? Division::units_of(of.lengths[batch], of.unit) : 0;
        const int own = units;
        for (int distance = 1; distance < 32; distance *= 2) {
          const int left = cta.shuffle(units, cta.lane() - distance);
          units += cta.lane() >= distance ? left : 0;
        }
        if (batch < of.batches) {
          before[batch] = sum + units - own;
        }
        sum += cta.shuffle(units, 31);
      }
      if (cta.lane() == 0) {
        before[of.batches] = sum;
      }
    }
    cta.sync();
    Division own = of;
    own.before = before;
    for (int i = cta.thread(); i < of.ctas(); i += 256) {
      own.write(i, list);
    }
  }
};

}  // namespace decode
