#pragma once

/// What the backward pass does with a warpgroup's products, whose rows are keys and whose columns are queries.

#include "backward_problem.hpp"
#include "head_tile.hpp"
#include "softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/store_matrix.hpp>
#include <dma/matrix/sums.hpp>
#include <dma/unrolled.hpp>

namespace attention {

using StepSums = dma::MatrixSums<64, step_queries>;

/// Scores of queries that do not see a key become minus infinity, and those of keys behind a head's last.
template <class Element>
DMA_HOST_DEVICE void mask_queries(StepSums& scores, const Problem<Element>& p, int first_key, int first_query) {
  const int ahead = p.keys - p.queries;  // query i sees the keys to i + ahead
  if (first_key + 64 > p.keys || (p.causal && first_key + 63 > first_query + ahead)) {
    const int thread = StepSums::thread();
    dma::unrolled<2>([&](auto r) {
      const int key = first_key + StepSums::row_of(thread, 2 * r);
      const int first = key >= p.keys ? step_queries : p.causal ? key - ahead - first_query : 0;
      const int own = first - StepSums::column_of(thread, 0);
      dma::unrolled<step_queries / 8>([&](auto i) {
        dma::unrolled<2>([&](auto j) {
          float& score = scores.values[4 * i + 2 * r + j];
          score = 8 * i + j >= own ? score : -infinity();
        });
      });
    });
  }
}

/// Calls `body(score or sum, of its query)` for each of the thread's elements, with number `Which` of its query's pair.
template <int Which, class Pairs, class Body>
DMA_HOST_DEVICE void with_pairs(const Pairs& pairs, const Body& body) {
  const auto vectors = pairs.template vectors<2>();
  const int first = Which * step_queries / 2 + StepSums::thread() % 4;
  dma::unrolled<step_queries / 8>([&](auto i) {
    const dma::Vector<float, 2> of_query = vectors[first + 4 * i];
    constexpr int four = 4 * i.value;
    dma::unrolled<4>([&](auto j) { body(dma::Constant<four + j.value>{}, of_query[j % 2]); });
  });
}
/// P = 2^(factor score - logarithm).
template <class Pairs>
DMA_HOST_DEVICE void to_powers(StepSums& scores, float factor, const Pairs& pairs) {
  with_pairs<0>(pairs,
                [&](auto i, float logarithm) { scores.values[i] = power_of_2(scores.values[i] * factor - logarithm); });
}
/// dS = P (dP - D).
template <class Pairs>
DMA_HOST_DEVICE void to_changes(StepSums& changes, const StepSums& powers, const Pairs& pairs) {
  with_pairs<1>(pairs, [&](auto i, float mean) { changes.values[i] = powers.values[i] * (changes.values[i] - mean); });
}

/// All columns, rounded, as operands A.
template <class Element, int Count>
DMA_HOST_DEVICE void round_to(dma::MatrixFragment<Element> (&operands)[Count], const StepSums& sums) {
  dma::unrolled<Count>([&](auto i) { operands[i] = dma::matrix_fragment<Element>(sums, i); });
}

/// A warpgroup's rows of the changes, from `row` on, for both.
template <class Element>
DMA_HOST_DEVICE void store_rows(const StepSums& changes, Element* tile, int row) {
  using Tile = dma::Tile3D<Element, dma::TileShape{.cols = step_queries, .rows = 128}, swizzled>;
  dma::store_matrix<Element>(
      changes, [&](int r, int c) -> auto& {
        return *reinterpret_cast<dma::Vector<Element, 8>*>(tile + Tile::index(0, row + r, c));
      });
}

/// A warpgroup's part of dQ, in an order in which threads write 16 bytes side by side.
template <int Columns, class Add>
DMA_HOST_DEVICE void add_sums(const dma::MatrixSums<64, Columns>& d_q, const Add& add, int group) {
  const auto slot = add.wait();
  const auto vectors = slot.template vectors<4>();
  const int first = group * (64 * Columns / 4) + StepSums::thread();
  dma::unrolled<Columns / 8>([&](auto i) {
    vectors[first + 128 * i] = {d_q.values[4 * i], d_q.values[4 * i + 1], d_q.values[4 * i + 2], d_q.values[4 * i + 3]};
  });
}

/// Stores a warpgroup's rows of dK or dV, 64 columns a slot.
template <class Element, int Columns, class Outputs>
DMA_HOST_DEVICE void store_keys(dma::MatrixSums<64, Columns>& sums, const Outputs& outputs, int row, float factor) {
  dma::unrolled<dma::MatrixSums<64, Columns>::count>([&](auto i) { sums.values[i] *= factor; });
  dma::unrolled<Columns / 64>([&](auto part) {
    const auto tile = outputs.wait();
    const auto vectors = tile.vectors();
    dma::store_matrix<Element>(
        sums.template columns_from<64 * part.value, 64>(), [&](int r, int c) -> auto& {
          return vectors(0, row + r, c);
        });
  });
}

}  // namespace attention
