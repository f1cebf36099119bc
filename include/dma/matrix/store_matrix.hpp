#pragma once

#include <dma/config.hpp>
#include <dma/machine/matrix.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/unrolled.hpp>
#include <dma/vector.hpp>

namespace dma::inline v0_1 {

/// Stores a warpgroup's sums, rounded to `Element`, to shared memory. `place(row, column)` returns a reference to the
/// vector of eight elements from there on, where `column` is a multiple of 8:
///
///     const auto vectors = tile.vectors();
///     dma::store_matrix<__half>(sums, [&](int row, int column) -> auto& { return vectors(row, column); });
///
/// Collective over the warpgroup.
///
/// Cost    one cvt for two elements; one stmatrix for 16 columns, without bank conflicts in a swizzled tile
/// @pre `complete()` has been called. Rows of eight elements begin on multiples of 16 bytes.
template <class Element, int Columns, class Place>
DMA_HOST_DEVICE void store_matrix(const MatrixSums<64, Columns>& sums, const Place& place) {
  static_assert(Columns % 16 == 0,
                "dma::store_matrix: it stores 16 columns at a time; use sums of a multiple of 16 columns");
  const int lane = MatrixSums<64, Columns>::thread() % 32;
  const int row = MatrixSums<64, Columns>::thread() / 32 * 16 + lane % 16;
  unrolled<Columns / 16>([&](auto step) {
    const auto fragment = matrix_fragment<Element>(sums, step);
    Vector<Element, 8>& to = place(row, 16 * step + lane / 16 * 8);
    machine::store_matrices(&to, fragment.packed());
  });
}

}  // namespace dma::inline v0_1
