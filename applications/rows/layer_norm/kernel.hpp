#pragma once

#include "row_pieces.hpp"

#include <dma/dma.hpp>

#include <cmath>

/// y = (x - mean) / sqrt(variance + epsilon) * scale + shift, where each row has a mean and a variance of its own.
///
/// A row is loaded in pieces. The compute warps sum up each as it comes, hold all of them, and release each when its
/// part of y is written. x is read once; more stages than pieces load the next row meanwhile.
///
/// @param AtOnce  vectors of a thread whose scale and shift are in registers at a time; a piece may have more
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <class Layout_, int Columns, int Pieces, int Stages, int Ctas, int AtOnce = 4>
struct LayerNorm {
  static constexpr int piece_columns = Columns / Pieces;
  using Tile = dma::Sequential<float, piece_columns>;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>>;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};

  static constexpr int warps = Layout::compute_threads / 32;
  static constexpr int vectors = piece_columns / 4 / Layout::compute_threads;  ///< of a thread in each piece
  static_assert(Pieces * vectors * 4 * Layout::compute_threads == Columns,
                "a row is whole pieces, and a piece equally many vectors of each compute thread");
  static constexpr int at_once = vectors < AtOnce ? vectors : AtOnce;
  static constexpr int parts = vectors / at_once;  ///< of a piece
  static_assert(parts * at_once == vectors, "a piece is whole parts");
  static_assert((warps & (warps - 1)) == 0, "the moments of the warps are combined in pairs");
  static_assert(Stages >= Pieces, "all pieces of a row are held at a time");
  static_assert(Pieces == 1 || Layout::is_specialized, "without DMA warps for_each_tile() counts rows as stages");

  struct Shared {
    typename Pipe::Storage storage;
    Moments of_warps[2][warps];  ///< of even and odd rows: a warp may be one row ahead of the others
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LayerNorm>& cta, const float* x, const float* scale,
                                  const float* shift, float* y, int rows, float epsilon) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    int turn = 0;
    pipe.for_each_tile(
        cta.tiles(rows),
        [&](const auto& dma, int row) {
          for (int piece = 0; piece < Pieces; ++piece) {
            dma.load(x + static_cast<long long>(row) * Columns + piece * piece_columns);
          }
        },
        [&](const auto& compute, int row) {
          normalize(cta, compute, scale, shift, y + static_cast<long long>(row) * Columns, epsilon,
                    shared.of_warps[turn], dma::stdlib::make_integer_sequence<int, Pieces>{});
          turn ^= 1;
        });
  }

 private:
  using Compute = dma::ComputeHandle<Pipe>;
  using Parameters = LayerNormParameters<at_once>;

  template <int... Piece>
  DMA_HOST_DEVICE static void normalize(const dma::KernelCta<LayerNorm>& cta, const Compute& compute,
                                        const float* scale, const float* shift, float* y, float epsilon,
                                        Moments (&of_warps)[warps], dma::stdlib::integer_sequence<int, Piece...>) {
    Parameters next = Parameters::read(compute, scale, shift, 0);
    Moments moments{};
    dma::Slot<Pipe> row[] = {wait_and_add<Piece, vectors>(compute, moments)...};
    moments = of_row(cta, compute, moments, of_warps);
    const float factor = 1.0F / sqrtf(moments.squares / static_cast<float>(Columns) + epsilon);
    dma::unrolled<Pieces * parts>([&](auto part) {
      constexpr int piece = part / parts;
      constexpr int first = part % parts * at_once;
      const Parameters now = next;
      if constexpr (part + 1 < Pieces * parts) {
        next = Parameters::read(compute, scale, shift, (part + 1) * at_once);
      }
      const auto x4 = row[piece].vectors();
      const auto y4 = dma::vectors(y + piece * piece_columns);
      dma::unrolled<at_once>([&](auto k) {
        const int i = compute.rank() + (first + k) * compute.size();
        y4[i] = (x4[i] - moments.mean) * factor * now.scale[k] + now.shift[k];
      });
      if constexpr (first + at_once == vectors) {
        row[piece].release();
      }
    });
  }

  /// The moments of a row, from those of each thread's elements. Collective over the compute warps.
  [[nodiscard]] DMA_HOST_DEVICE static Moments of_row(const dma::KernelCta<LayerNorm>& cta, const Compute& compute,
                                                      Moments moments, Moments (&of_warps)[warps]) {
    moments = moments_of_lanes<32>(cta, moments, Columns / Layout::compute_threads);
    if (cta.lane() == 0) {
      of_warps[cta.warp()] = moments;
    }
    compute.sync();
    return moments_of_lanes<warps>(cta, of_warps[cta.lane() % warps], Columns / warps);
  }
};
