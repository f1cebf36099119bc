#pragma once

#include "moments.hpp"

#include <dma/dma.hpp>

#include <cmath>

/// y = (x - mean) / sqrt(variance + epsilon) * scale + shift, where each row has a mean and a variance of its own.
///
/// A row is loaded in pieces. The compute warps sum up each as it comes, hold all of them, and release each when its
/// part of y is written. x is read once; more stages than pieces load the next row meanwhile.
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <int Columns, int PieceColumns, int ComputeWarps, int Stages, int Ctas>
struct LayerNorm {
  using Tile = dma::Sequential<float, PieceColumns>;
  using Layout = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>>;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};

  static constexpr int pieces = Columns / PieceColumns;
  static constexpr int vectors = PieceColumns / 4 / Layout::compute_threads;  ///< of a thread in each piece
  static_assert(pieces * PieceColumns == Columns && vectors * 4 * Layout::compute_threads == PieceColumns,
                "a row is whole pieces, and a piece as many vectors of each compute thread");
  static_assert((ComputeWarps & (ComputeWarps - 1)) == 0, "the moments of the warps are combined in pairs");
  static_assert(Stages >= pieces, "all pieces of a row are held at a time");

  struct Shared {
    typename Pipe::Storage storage;
    Moments of_warps[2][ComputeWarps];  ///< of even and odd rows: a warp may be one row ahead of the others
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LayerNorm>& cta, const float* x, const float* scale,
                                  const float* shift, float* y, int rows, float epsilon) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const int step = cta.blocks().x;
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int row = cta.block().x; row < rows; row += step) {
        for (int piece = 0; piece < pieces; ++piece) {
          dma.load(x + static_cast<long long>(row) * Columns + piece * PieceColumns);
        }
      }
    } else {
      auto compute = pipe.as_compute();
      int turn = 0;
      for (int row = cta.block().x; row < rows; row += step) {
        normalize(cta, compute, scale, shift, y + static_cast<long long>(row) * Columns, epsilon, shared.of_warps[turn],
                  dma::stdlib::make_integer_sequence<int, pieces>{});
        turn ^= 1;
      }
    }
  }

 private:
  using Compute = dma::ComputeHandle<Pipe>;

  template <int... Piece>
  DMA_HOST_DEVICE static void normalize(const dma::KernelCta<LayerNorm>& cta, const Compute& compute,
                                        const float* scale, const float* shift, float* y, float epsilon,
                                        Moments (&of_warps)[ComputeWarps],
                                        dma::stdlib::integer_sequence<int, Piece...>) {
    Moments moments{};
    dma::Slot<Pipe> row[] = {wait_and_add<Piece>(compute, moments)...};
    Parameters next = parameters_of(compute, scale, shift);
    moments = of_row(cta, compute, moments, of_warps);
    const float factor = 1.0F / sqrtf(moments.squares / static_cast<float>(Columns) + epsilon);
    dma::unrolled<pieces>([&](auto piece) {
      const Parameters now = next;
      if constexpr (piece + 1 < pieces) {
        next = parameters_of(compute, scale + (piece + 1) * PieceColumns, shift + (piece + 1) * PieceColumns);
      }
      const auto x4 = row[piece].vectors();
      const auto y4 = dma::vectors(y + piece * PieceColumns);
      dma::unrolled<vectors>([&](auto k) {
        const int i = compute.rank() + k * compute.size();
        y4[i] = (x4[i] - moments.mean) * factor * now.scale[k] + now.shift[k];
      });
      row[piece].release();
    });
  }

  /// This thread's scale and shift of a piece, read before the stores of the piece before it.
  struct Parameters {
    dma::Vector<float> scale[vectors];
    dma::Vector<float> shift[vectors];
  };
  [[nodiscard]] DMA_HOST_DEVICE static Parameters parameters_of(const Compute& compute, const float* scale,
                                                                const float* shift) {
    Parameters parameters;
    dma::unrolled<vectors>([&](auto k) {
      const int i = compute.rank() + k * compute.size();
      parameters.scale[k] = dma::vectors(scale)[i];
      parameters.shift[k] = dma::vectors(shift)[i];
    });
    return parameters;
  }

  /// The next piece of the row. Adds this thread's elements of it to `moments`.
  template <int Piece>
  [[nodiscard]] DMA_HOST_DEVICE static dma::Slot<Pipe> wait_and_add(const Compute& compute, Moments& moments) {
    auto tile = compute.wait();
    const auto x4 = tile.vectors();
    dma::unrolled<vectors>([&](auto k) {
      moments = moments.with(Moments::of(x4[compute.rank() + k * compute.size()]), 4 * (Piece * vectors + k), 4);
    });
    return tile;
  }

  /// The moments of a row, from those of each thread's elements. Collective over the compute warps.
  [[nodiscard]] DMA_HOST_DEVICE static Moments of_row(const dma::KernelCta<LayerNorm>& cta, const Compute& compute,
                                                      Moments moments, Moments (&of_warps)[ComputeWarps]) {
    moments = of_lanes<32>(cta, moments, Columns / Layout::compute_threads);
    if (cta.lane() == 0) {
      of_warps[cta.warp()] = moments;
    }
    compute.sync();
    return of_lanes<ComputeWarps>(cta, of_warps[cta.lane() % ComputeWarps], Columns / ComputeWarps);
  }
  /// The moments of `Lanes` neighbours together, which have `count` values each.
  template <int Lanes>
  [[nodiscard]] DMA_HOST_DEVICE static Moments of_lanes(const dma::KernelCta<LayerNorm>& cta, Moments moments,
                                                        int count) {
    for (int distance = 1; distance < Lanes; distance *= 2, count *= 2) {
      const int lane = cta.lane() ^ distance;
      const Moments other{cta.shuffle(moments.mean, lane), cta.shuffle(moments.squares, lane)};
      moments = moments.with(other, count, count);
    }
    return moments;
  }
};
