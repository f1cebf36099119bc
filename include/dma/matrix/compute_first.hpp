#pragma once

#include <dma/config.hpp>
#include <dma/machine/matrix.hpp>

namespace dma::inline v0_1 {

/// To be called before a wait for products whose sums `value` does not need: it is computed before the wait, while the
/// tensor cores multiply.
///
///     softmax(scores);                      // of the product before, whose wait has returned
///     dma::compute_first(sum_of(scores));
///     reads.wait<0>(sums);
///
/// ptxas moves waits ahead of arithmetic that needs no result of theirs, so that it runs when the tensor cores are
/// idle. It does not move them ahead of a branch, and this is one that is never taken.
///
/// Cost    a comparison and a branch
DMA_HOST_DEVICE void compute_first(float value) { machine::compute_first(value); }

}  // namespace dma::inline v0_1
