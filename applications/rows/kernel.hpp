#pragma once

#include "operations.hpp"
#include "row_threads.hpp"
#include "row_writer.hpp"

#include <dma/dma.hpp>

/// The shared memory of a CTA, of which an SM of compute capability 9.0 holds at most `MaxCtas` at a time: it is that
/// part of the SM's 228 KB, of which 1 KB a CTA is the system's. With 0 as many as fit.
template <class Needed, int MaxCtas>
struct SharedOf {
  static constexpr int unused = 228 * 1024 / MaxCtas / 128 * 128 - 1024 - int{sizeof(Needed)};
  static_assert(unused > 0, "Rows: an SM holds fewer CTAs; use a smaller max_ctas, or 0");
  struct Type : Needed {
    char unused_bytes[unused];
  };
};
template <class Needed>
struct SharedOf<Needed, 0> {
  using Type = Needed;
};

/// Reduces each row of a matrix and writes a matrix of the same shape that depends on the row's sum: layer norm, RMS
/// norm, softmax; or one number a row. x is read once.
///
/// Threads keep a row in registers, so that its slots are free for the rows after it before its sum is known. A row
/// that is longer than a CTA's registers belongs to a cluster of CTAs: each warp writes the sum of its elements into
/// the shared memory of every CTA of the cluster, and after one `cluster_sync()` a row each warp combines them. The
/// grid is persistent where the parameters stay in registers from row to row.
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <class T, class Operation, RowsPlan plan>
struct Rows {
  using Threads = RowThreads<T, plan>;
  using Layout = typename Threads::Layout;
  using Pipe = dma::DmaPipeline<typename Threads::Tile, dma::MultiBuffer<Layout, plan.stages>>;
  using Sum = typename Operation::Sum;
  static constexpr dma::KernelTraits traits{.min_ctas = plan.min_ctas, .cluster = plan.ctas_a_row};

  using Writer = RowWriter<T, Operation, plan>;
  static_assert(plan.stages >= plan.pieces, "Rows: slots hold the pieces of a row; use more stages");

  struct Needed {
    typename Pipe::Storage storage;
    typename Threads::template Sums<Sum> sums[2];  ///< of even and odd tiles: a warp may be one ahead of the others
  };
  using Shared = typename SharedOf<Needed, plan.max_ctas>::Type;

  /// CTAs of a grid in which `groups_of_ctas` tiles are worked on at a time.
  [[nodiscard]] static constexpr int ctas(int groups_of_ctas) { return groups_of_ctas * plan.ctas_a_row; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Rows>& cta, const Operation& operation, const T* x, T* y,
                                  int rows) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    const int part = cta.cluster_rank() * plan.part_columns();
    const int first = cta.block().x / plan.ctas_a_row * plan.rows_a_tile();
    const int step = cta.blocks().x / plan.ctas_a_row * plan.rows_a_tile();

    int next_row = first;
    int next_piece = 0;
    const auto load = [&](int pieces) {
      for (; pieces > 0 && next_row < rows; --pieces) {
        dma.load(x + static_cast<long long>(next_row) * plan.columns + part + next_piece * plan.piece_columns(),
                 Threads::tile_at(next_row, rows));
        next_piece = (next_piece + 1) % plan.pieces;
        next_row += next_piece == 0 ? step : 0;
      }
    };
    load(plan.stages);
    Writer writer(cta, operation, part);
    if constexpr (Threads::is_cluster) {
      cta.cluster_sync();  // All CTAs have started.
    }
    int turn = 0;
    for (int tile = first; tile < rows; tile += step) {
      const int row = tile + Threads::row(cta);
      const bool has_row = plan.rows_a_tile() == 1 || row < rows;
      typename Threads::Values values{};
      dma::unrolled<plan.pieces>([&](auto piece) {
        const auto slot = compute.wait(Threads::tile_at(tile, rows));
        if (has_row) {
          Threads::read(cta, slot, piece, values);
        }
      });
      const Sum own = Sum::of(values);
      load(plan.pieces);
      const auto of_row = operation.row_of(own, Threads::combined(cta, compute, own, shared.sums[turn]), plan.columns);
      if (has_row) {
        writer.write(cta, operation, part, y + static_cast<long long>(row) * plan.columns + part, of_row,
                     [&](int vector, float(&elements)[Threads::width]) {
                       memcpy(elements, &values[vector * Threads::width], sizeof elements);
                     });
        if (part == 0 && Threads::rank(cta) == 0) {
          operation.write(row, of_row);
        }
      }
      turn ^= 1;
    }
  }
};
