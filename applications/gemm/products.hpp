#pragma once

/// The loop over k.

#include <dma/dma.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

#include <utility>

namespace gemm {

/// Sums the products of the next `blocks` slots, 64 rows of A of each warpgroup and all of B. Collective over the
/// compute warps.
template <class Slots, int columns>
DMA_HOST_DEVICE void sum_products(const Slots& in, dma::MatrixSums<64, columns>& sums, int blocks) {
  const int group = in.group();
  const dma::AsyncReads reads;
  const auto multiply = [&](const auto& slot, bool adds) {
    dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k>(slot, dma::part<0>, 64 * group),
                      dma::matrix_descriptor<dma::Major::k>(slot, dma::part<1>), adds);
    reads.commit(slot);
  };
  auto held = in.wait();
  multiply(held, false);
  for (int at = 1; at < blocks; ++at) {
    auto slot = in.wait();
    multiply(slot, true);
    reads.wait<1>();
    reads.release(held);  // the block before, which tensor cores alone have read
    held = std::move(slot);
  }
  reads.wait<0>(sums);
  reads.release(held);
}

}  // namespace gemm
