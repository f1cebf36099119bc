#pragma once

/// What becomes of scores that a query does not see, and of a tile's sums.

#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/store_matrix.hpp>
#include <dma/matrix/sums.hpp>

namespace attention {

/// The first blocks of a piece's keys of which a warpgroup's queries see all keys. `row` is its first in the tile.
template <int block, class Element, class Piece>
[[nodiscard]] DMA_HOST_DEVICE int blocks_without_mask(const Problem<Element>& p, const Piece& piece, int row) {
  const int keys = keys_of(p, piece);
  const int seen = p.causal ? keys - p.queries + piece.row + row + 1 : keys;  // by the first query
  return (seen < keys ? seen : keys) / block;
}

/// Scores of keys that a query does not see become minus infinity. Returns whether no query of the warpgroup sees a key
/// of the block's second half, whose scores are then left as they are.
template <class Element, class Piece, int block>
DMA_HOST_DEVICE bool mask(dma::MatrixSums<64, block>& scores, const Problem<Element>& p, const StepOf<Piece>& step,
                          int row) {
  const int first = step.at * block;
  const int keys = keys_of(p, step.piece);
  const int end = keys - first;
  const int diagonal = p.causal ? keys - p.queries + step.piece.row + row - first : end;
  const auto seen_by = [&](int query) { return diagonal + query + 1 < end ? diagonal + query + 1 : end; };
  const bool is_half = seen_by(63) <= block / 2;
  // A limit for each row that a thread has a part of, from its first column on: two instructions a score.
  using Sums = dma::MatrixSums<64, block>;
  const int thread = Sums::thread();
  dma::unrolled<2>([&](auto part) {
    constexpr int begin = part.value * (block / 2);
    if (seen_by(0) < begin + block / 2 && (begin == 0 || !is_half)) {
      dma::unrolled<2>([&](auto r) {
        const int limit = seen_by(Sums::row_of(thread, 2 * r)) - Sums::column_of(thread, 0);
        dma::unrolled<block / 16>([&](auto i) {
          constexpr int column = begin + 8 * i.value;
          dma::unrolled<2>([&](auto j) {
            float& score = scores.values[column / 2 + 2 * r + j];
            score = column + j < limit ? score : -infinity();
          });
        });
      });
    }
  });
  return is_half;
}

/// Writes the logarithms of a warpgroup's rows of a tile, and stores the rows, 64 columns a slot.
template <class Element, int head_size, class Softmax, class Outputs>
DMA_HOST_DEVICE void store(dma::MatrixSums<64, head_size>& sums, const Softmax& softmax, Rows rows,
                           const Outputs& outputs, const Problem<Element>& p, const Piece& piece, int row) {
  softmax.finish(rows);
  const float factors[2] = {softmax.factor_of(rows, 0), softmax.factor_of(rows, 1)};
  using Sums = dma::MatrixSums<64, head_size>;
  int thread = Sums::thread();
  asm volatile("" : "+r"(thread));  // the compiler would keep rows in registers from tile to tile, and ptxas spill them
  if (p.log_sums != nullptr && thread % 4 == 0) {
    dma::unrolled<2>([&](auto r) {
      const int query = piece.row + row + Sums::row_of(thread, 2 * r);
      if (query < p.queries) {
        p.log_sums[(static_cast<long long>(piece.batch) * p.heads + piece.head) * p.queries + query] =
            softmax.log_sum(rows, r);
      }
    });
  }
  softmax.multiply(sums, factors);
  dma::unrolled<head_size / 64>([&](auto part) {
    const auto tile = outputs.wait();
    const auto vectors = tile.vectors();
    dma::store_matrix<Element>(
        sums.template columns_from<64 * part.value, 64>(), [&](int r, int c) -> auto& {
          return vectors(0, row + r, c);
        });
  });
}

}  // namespace attention
