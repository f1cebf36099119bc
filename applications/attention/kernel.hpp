#pragma once

/// The kernel: warpgroups with 64 queries each, a warp that loads Q, K and V, or two where K and V are in pages, and
/// one that stores O.

#include "head_tile.hpp"
#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "warpgroup.hpp"

#include <dma/dma.hpp>

namespace attention {

/// Warpgroups that do not wait for one another at the tensor cores.
struct NoTurns {
  struct Turn {
    DMA_HOST_DEVICE void pass() const {}
  };
  [[nodiscard]] DMA_HOST_DEVICE Turn take() const { return {}; }
};

/// Heads of `head_size` elements, whose keys and values pass through the slots of one pipeline, `block_keys` rows at a
/// time: the keys of a step before the values of the step before. `Keys` says where K and V are.
template <class Type, int head_size, int block_keys, int groups = 2, class Keys = InArrays>
struct Attention {
  using Element = Type;
  using Problem = typename Keys::template Problem<Element>;
  using Plan = typename Keys::Plan;
  using Step = typename Keys::Step;
  static constexpr int columns = head_size;
  static constexpr int block = block_keys;
  static_assert(groups == 2 || groups == 3, "attention: a tile has two warpgroups, or three");
  static constexpr int tile_rows = 64 * groups;
  using Two = dma::WarpLayout<dma::Compute<4, dma::Registers{240}>, dma::Compute<4, dma::Registers{240}>,
                              dma::Dma<Keys::loading_warps, dma::Registers{24}>, dma::Dma<1, dma::Registers{24}>>;
  using Three = dma::WarpLayout<dma::Compute<4, dma::Registers{160}>, dma::Compute<4, dma::Registers{160}>,
                                dma::Compute<4, dma::Registers{160}>, dma::Dma<Keys::loading_warps, dma::Registers{32}>,
                                dma::Dma<1, dma::Registers{32}>>;
  using Layout = dma::stdlib::conditional_t<groups == 2, Two, Three>;
  // Of heads of 64 elements powers take as long as products: turns keep the two apart.
  using Turns = dma::stdlib::conditional_t<head_size == 64, dma::Turns<Layout>, NoTurns>;
  template <class Tile, int slots, int group>
  using Pipeline = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, slots, dma::DmaGroups{.first = group}>,
                                    dma::CudaBarrier, dma::TensorCopy<>>;
  using TileOfQ = HeadTile<Element, head_size, tile_rows>;
  using TileOfK = typename Keys::template Tile<Element, head_size, block>;
  using TileOfO = HeadTile<Element, 64, tile_rows>;
  using Queries = Pipeline<TileOfQ, 2, 0>;
  using Blocks = Pipeline<TileOfK, 4, 0>;
  using Outputs = Pipeline<dma::Store<TileOfO>, 2, 1>;

  struct Shared {
    typename Queries::Storage queries;
    typename Blocks::Storage blocks;
    typename Outputs::Storage outputs;
  };
  struct Maps {
    dma::TensorMap<TileOfQ> q;
    dma::TensorMap<TileOfK> k;
    dma::TensorMap<TileOfK> v;
    dma::TensorMap<TileOfO> o;
  };

  /// The rows of a tile, from column `column` on, and those of a block of its keys or values.
  [[nodiscard]] DMA_HOST_DEVICE static TileOfQ tile_of_q(const Problem& p, const Piece& at = {}) {
    return {p.q, p.batches, p.heads, p.queries, head_size, at.batch, at.head, at.row};
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfO tile_of_o(const Problem& p, const Piece& at = {}, int column = 0) {
    return {p.o, p.batches, p.heads, p.queries, head_size, at.batch, at.head, at.row, column};
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfK block_of(const Problem& p, const Heads<const Element>& heads,
                                                        const Step& step = {}, int head = 0) {
    return Keys::template block_of<TileOfK, head_size>(p, heads, step, head, step.at * block);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Attention>& cta, const Maps& maps, const Problem& p, Plan plan) const {
    plan.rows = tile_rows;  // as it was made, and now known to the compiler, which divides by them
    plan.block = block;
    auto& shared = cta.template shared<Shared>();
    Queries queries(cta, shared.queries);
    Blocks blocks(cta, shared.blocks);
    Outputs outputs(cta, shared.outputs);
    Turns turns;
    const Step first = plan.first_step(cta.block().x);
    cta.take_roles(
        [&] { Warpgroup<Attention>(cta, queries, blocks, outputs, turns, p, plan, first).attend(); },
        [&] {
          const auto q = queries.as_dma();
          const auto kv = blocks.as_dma();
          int head = 0;  // of the keys that were loaded last: divided once a tile
          const auto load_keys = [&](const Step& step) {
            if (step.begins_tile()) {
              // Its wait for a slot is for tiles of few blocks: of more, the slots of K and V that are awaited come
              // free behind it.
              q.load(maps.q, tile_of_q(p, step.piece));
              head = step.piece.head / (p.heads / p.kv_heads);
            }
            kv.load(maps.k, block_of(p, p.k, step, head));
          };
          load_keys(first);
          auto tile_after = piece_behind(plan, first);  // found while slots are full: of pages it takes a read
          for (Step step = first; step.is_planned();) {
            const Step next = step_after(plan, step, [&] { return tile_after; });
            const int head_of_values = head;
            if (next.is_planned()) {
              load_keys(next);
            }
            kv.load(maps.v, block_of(p, p.v, step, head_of_values));
            if (next.is_planned() && next.begins_tile()) {
              tile_after = piece_behind(plan, next);
            }
            step = next;
          }
        },
        [&] {
          const auto o = outputs.as_dma();
          int stride = first.stride;
          for (int tile = first.tile; tile < plan.tiles(); tile += stride, stride = plan.stride_after(stride)) {
            for (int column = 0; column < head_size; column += 64) {
              o.store(maps.o, tile_of_o(p, plan.piece_of(tile), column));
            }
          }
        });
  }
};

}  // namespace attention
