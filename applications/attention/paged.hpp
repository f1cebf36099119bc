#pragma once

/// Where K and V are: in an array each, or in pages.

#include "head_tile.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <stdexcept>
#include <string>
#endif

namespace attention {

/// K and V in pages of memory, sequences of different lengths: `k.batch` and `v.batch` are the strides from page to
/// page, `keys` is the most that a sequence has, and causal queries are a sequence's last.
template <class Type>
struct PagedProblem : Problem<Type> {
  const int* lengths = nullptr;     ///< keys of each batch's sequence, 0 to `keys`
  const int* page_table = nullptr;  ///< the pages of each sequence, those of the next `table_pitch` further on
  int table_pitch = 0;
  int pages = 0;      ///< of K, and as many of V
  int page_rows = 0;  ///< keys of a page, a multiple of 16
};

/// A tile of a sequence, with its keys.
struct PagedPiece : Piece {
  int keys;
};

/// Keys of the sequence that a tile is of.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE constexpr int keys_of(const Problem<Element>& p, const Piece&) {
  return p.keys;
}
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE constexpr int keys_of(const Problem<Element>&, const PagedPiece& piece) {
  return piece.keys;
}

/// A plan whose pieces have as many blocks as their sequence has: `keys` is the most.
struct PagedPlan : Plan {
  const int* lengths;
  int all_tiles;  ///< divided on the host, which leaves the DMA warp enough registers

  DMA_HOST_DEVICE constexpr PagedPlan(const Plan& plan, const int* of_batches)
      : Plan(plan), lengths(of_batches), all_tiles(plan.tiles()) {}

  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles() const { return all_tiles; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr PagedPiece piece_of(int tile) const {
    const Piece at = Plan::piece_of(tile);
    const int own = lengths[at.batch];
    Plan of_sequence(*this);
    of_sequence.keys = own > 0 ? own : 1;
    return {{at.batch, at.head, at.row, of_sequence.blocks_of(at.row)}, own};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr StepOf<PagedPiece> first_step(int cta) const {
    return {cta, piece_of(cta), 0, first_stride(cta)};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr StepOf<PagedPiece> after(const StepOf<PagedPiece>& step) const {
    return step_after(*this, step);
  }
};

/// K and V are arrays.
struct InArrays {
  static constexpr int loading_warps = 1;
  template <class Element>
  using Problem = attention::Problem<Element>;
  using Plan = attention::Plan;
  using Step = attention::Step;
  template <class Element, int head_size, int block>
  using Tile = HeadTile<Element, head_size, block>;

  template <class Tile, int head_size, class Element>
  [[nodiscard]] DMA_HOST_DEVICE static Tile block_of(const Problem<Element>& p, const Heads<const Element>& heads,
                                                     const Step& step, int head, int row) {
    return {heads, p.batches, p.kv_heads, p.keys, head_size, step.piece.batch, head, row};
  }
};

/// K and V are in pages whose rows are a multiple of `box_rows`.
template <int box_rows>
struct InPages {
  static constexpr int loading_warps = 2;  ///< one loads keys and one values: each looks up its pages meanwhile
  template <class Element>
  using Problem = PagedProblem<Element>;
  using Plan = PagedPlan;
  using Step = StepOf<PagedPiece>;
  template <class Element, int head_size, int block>
  using Tile =
      dma::Paged<Element, dma::PagedShape{.cols = 64, .rows = block, .box_rows = box_rows, .planes = head_size / 64},
                 swizzled>;

  template <class Tile, int head_size, class Element>
  [[nodiscard]] DMA_HOST_DEVICE static Tile block_of(const PagedProblem<Element>& p, const Heads<const Element>& heads,
                                                     const Step& step, int head, int row) {
    return {{p.pages, p.page_rows, heads.batch * 2, heads.head * 2, heads.row * 2},
            p.page_table + static_cast<long long>(step.piece.batch) * p.table_pitch,
            step.piece.keys,
            row,
            head};
  }
};

#if !defined(__CUDACC_RTC__)
/// Throws for a problem that no kernel takes.
template <class Element>
void expect_valid(const PagedProblem<Element>& p) {
  expect_valid<Element>(static_cast<const Problem<Element>&>(p));
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("attention: " + what); };
  if (p.page_rows < 16 || p.page_rows % 16 != 0 || p.pages < 1) {
    refuse("there are " + std::to_string(p.pages) + " pages of " + std::to_string(p.page_rows) +
           " keys; give at least one, of a multiple of 16 keys");
  }
  if (p.lengths == nullptr || p.page_table == nullptr || p.table_pitch < (p.keys + p.page_rows - 1) / p.page_rows) {
    refuse("a row of the page table has " + std::to_string(p.table_pitch) + " pages of " + std::to_string(p.page_rows) +
           " for up to " + std::to_string(p.keys) + " keys, or an address is null; give a page for each " +
           std::to_string(p.page_rows) + " keys, and the lengths");
  }
}
#endif

}  // namespace attention
