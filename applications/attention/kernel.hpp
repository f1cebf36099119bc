#pragma once

/// The kernel: warpgroups with 64 queries each, a warp that loads Q, K and V, or two where K and V are in pages, and
/// one that stores O.

#include "head_tile.hpp"
#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "results.hpp"
#include "softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/compute_first.hpp>
#include <dma/matrix/descriptor.hpp>
#include <dma/matrix/fragment.hpp>
#include <dma/matrix/multiply_add.hpp>
#include <dma/matrix/sums.hpp>

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
        [&] {
          const auto q = queries.as_compute();
          const auto kv = blocks.as_compute();
          const auto o = outputs.as_compute();
          const int row = 64 * q.group();
          const dma::AsyncReads reads;
          const Softmax softmax(cta, scale_of(p.scale, head_size));
          dma::MatrixSums<64, block> scores;
          dma::MatrixSums<64, head_size> sums;
          dma::MatrixFragment<Element> powers[block / 16];
          Rows rows;
          Step step = first;    // whose powers are in registers
          bool shrink = false;  // sums, by `shrinks`, before this step's values are added
          float shrinks[2];
          const auto multiply_keys = [&](const auto& query, const auto& key) {
            dma::multiply_add(scores, dma::matrix_descriptor<dma::Major::k>(query, row),
                              dma::matrix_descriptor<dma::Major::k>(key), false);
            reads.commit(query, key);
          };
          const auto multiply_values = [&](const auto& value) {
            if (shrink) {  // while the tensor cores multiply the keys of the next step
              softmax.multiply(sums, shrinks);
            }
            dma::multiply_add(sums, powers, dma::matrix_descriptor<dma::Major::mn>(value), !step.begins_tile());
            reads.commit(value);
          };
          const auto to_powers = [&](const Step& of, auto is_plain) {
            if constexpr (!is_plain) {
              if (mask(scores, p, of, row)) {
                return softmax.template add<block / 2>(rows, scores, shrinks);
              }
            }
            return softmax.add(rows, scores, shrinks);
          };
          const auto round_powers = [&] {
            dma::unrolled<block / 16>([&](auto i) { powers[i] = dma::matrix_fragment<Element>(scores, i); });
          };

          auto behind = piece_behind(plan, step);
          auto query = q.wait();
          {
            auto key = kv.wait();
            multiply_keys(query, key);
            reads.template wait<0>(scores);
          }
          to_powers(step, dma::Constant<false>{});
          round_powers();
          // While the tensor cores multiply this step's values, the scores of the next become powers. A plain next step
          // is of the same tile, and its keys are seen: code for others is kept out of the loop over these.
          const auto attend_to = [&](const Step& next, auto is_plain) {
            const bool begins_tile = !is_plain && next.begins_tile();
            auto turn = turns.take();
            auto key = kv.wait();
            multiply_keys(query, key);
            auto value = kv.wait();
            multiply_values(value);
            turn.pass();
            if (begins_tile) {
              behind = piece_behind(plan, next);
            }
            reads.template wait<1>(scores);
            reads.release(key);
            const Rows before = rows;
            if (begins_tile) {
              rows = {};
            }
            shrink = to_powers(next, is_plain);
            dma::compute_first(rows.sum[0] + rows.sum[1]);
            reads.template wait<0>(sums);
            reads.release(value);
            if (begins_tile) {
              store(sums, softmax, before, o, p, step.piece, row);
              shrink = false;
            }
            round_powers();
            step = next;
          };
          while (true) {
            for (const int end = blocks_without_mask<block>(p, step.piece, row); step.at + 1 < end;) {
              Step next = step;
              ++next.at;
              attend_to(next, dma::Constant<true>{});
            }
            const Step next = step_after(plan, step, [&] { return behind; });
            if (next.begins_tile()) {
              reads.release(query);
              if (!next.is_planned()) {
                break;
              }
              query = q.wait();
            }
            attend_to(next, dma::Constant<false>{});
          }
          auto value = kv.wait();
          multiply_values(value);
          reads.template wait<0>(sums);
          value.release();
          store(sums, softmax, rows, o, p, step.piece, row);
        },
        [&] {
          const auto q = queries.as_dma();
          const auto kv = blocks.as_dma();
          int head = 0;  // of the keys that were loaded last: divided once a tile
          const auto load_keys = [&](const Step& step) {
            if (step.begins_tile()) {
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
