#pragma once

/// The backward pass: two warpgroups with 64 keys each, one warp that loads, and one that adds to dQ and stores.

#include "backward_plan.hpp"
#include "backward_problem.hpp"
#include "backward_warpgroup.hpp"
#include "head_tile.hpp"

#include <dma/dma.hpp>

namespace attention {

/// A CTA has 128 keys of a head and their values, which stay in shared memory. Queries and their dO pass by in steps of
/// 64, with the keys as rows of the scores: powers and their changes are operands of dV and dK in registers. Of dQ a
/// warpgroup has half of the columns, from all keys: the changes of both meet in shared memory.
template <class Type, int head_size>
struct AttentionBackward {
  using Element = Type;
  using Problem = BackwardProblem<Element>;
  using Layout = dma::WarpLayout<dma::Compute<4, dma::Registers{240}>, dma::Compute<4, dma::Registers{240}>,
                                 dma::Dma<1, dma::Registers{24}>, dma::Dma<1, dma::Registers{24}>>;
  static constexpr int head_elements = head_size;
  static constexpr int tile_keys = 128;
  static constexpr int columns = head_size / 2;  ///< of dQ, a warpgroup's
  /// dV is multiplied while the warpgroups meet. Of heads of 128 elements it is multiplied behind dQ, which is added
  /// meanwhile.
  static constexpr bool multiplies_at_meeting = head_size == 64;
  template <class Tile, int slots, int group, class Engine = dma::TensorCopy<>>
  using Pipeline =
      dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, slots, dma::DmaGroups{.first = group}>, dma::CudaBarrier, Engine>;
  using TileOfQ = HeadTile<Element, head_size, step_queries>;
  using TileOfK = HeadTile<Element, head_size, tile_keys, columns>;
  using TileOfO = HeadTile<Element, 64, tile_keys>;
  using Changes = dma::Tile3D<Element, dma::TileShape{.cols = step_queries, .rows = tile_keys}, swizzled>;
  using Keys = Pipeline<TileOfK, 2, 0>;
  using Queries = Pipeline<TileOfQ, 4, 0>;
  using RowPairs = Pipeline<dma::Sequential<float, 2 * step_queries>, 2, 0, dma::BulkCopy<>>;
  using Sums = Pipeline<dma::StoreAdd<dma::Sequential<float, step_queries * head_size>>, 1, 1, dma::BulkCopy<>>;
  using Outputs = Pipeline<dma::Store<TileOfO>, 1, 1>;

  struct Shared {
    alignas(1024) Element changes[2][tile_keys * step_queries];
    typename Keys::Storage keys;
    typename Queries::Storage queries;
    typename Outputs::Storage outputs;
    typename Sums::Storage sums;
    typename RowPairs::Storage rows;
  };
  struct Maps {
    dma::TensorMap<TileOfQ> q, d_o;
    dma::TensorMap<TileOfK> k, v;
    dma::TensorMap<TileOfO> d_k, d_v;
  };

  [[nodiscard]] DMA_HOST_DEVICE static TileOfQ tile_of_q(const Problem& p, const Heads<const Element>& of,
                                                         int batch = 0, int head = 0, int step = 0) {
    return {of, p.forward.batches, p.forward.heads, p.forward.queries, head_size, batch, head, step * step_queries};
  }
  template <class Tile, class Of>
  [[nodiscard]] DMA_HOST_DEVICE static Tile tile_of_k(const Problem& p, const Heads<Of>& of, const KeyPiece& piece = {},
                                                      int column = 0) {
    return {of,          p.forward.batches, p.forward.kv_heads, p.forward.keys, head_size,
            piece.batch, piece.kv_head,     piece.row,          column};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AttentionBackward>& cta, const Maps& maps, const Problem& p,
                                  const BackwardPlan& plan) const {
    auto& shared = cta.template shared<Shared>();
    Keys keys(cta, shared.keys);
    Queries queries(cta, shared.queries);
    RowPairs row_pairs(cta, shared.rows);
    Sums sums(cta, shared.sums);
    Outputs outputs(cta, shared.outputs);
    const KeyPiece piece = plan.piece_of(cta.block().x);
    const auto for_each_step = [&](const auto& body) {
      for (int head = piece.kv_head * p.group(); head < (piece.kv_head + 1) * p.group(); ++head) {
        for (int step = piece.first; step < piece.first + piece.steps; ++step) {
          body(head, step);
        }
      }
    };
    cta.take_roles(
        [&] {
          BackwardWarpgroup<AttentionBackward>(keys, queries, row_pairs, sums, p, piece)
              .run(for_each_step, shared.changes, outputs);
        },
        [&] {
          const auto kv = keys.as_dma();
          const auto in = queries.as_dma();
          const auto rows = row_pairs.as_dma();
          kv.load(maps.k, tile_of_k<TileOfK>(p, p.forward.k, piece));
          kv.load(maps.v, tile_of_k<TileOfK>(p, p.forward.v, piece));
          for_each_step([&](int head, int step) {
            // Its slot is released last: the waits for the two behind it are for kernels of another order.
            in.load(maps.q, tile_of_q(p, p.forward.q, piece.batch, head, step));
            in.load(maps.d_o, tile_of_q(p, p.d_o, piece.batch, head, step));
            rows.load(p.rows_of(p.step_at(piece.batch, head, step)));
          });
        },
        [&] {
          const auto add = sums.as_dma();
          const auto out = outputs.as_dma();
          for_each_step([&](int head, int step) { add.store(p.sums_of(p.step_at(piece.batch, head, step))); });
          for (int column = 0; column < head_size; column += 64) {
            out.store(maps.d_v, tile_of_k<TileOfO>(p, p.d_v, piece, column));
          }
          for (int column = 0; column < head_size; column += 64) {
            out.store(maps.d_k, tile_of_k<TileOfO>(p, p.d_k, piece, column));
          }
        });
  }
};

}  // namespace attention
