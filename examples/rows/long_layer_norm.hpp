#pragma once

#include "../layer_norm/row_pieces.hpp"

#include <dma/dma.hpp>

#include <cmath>

/// The layer norm of rows that are longer than the shared memory of a CTA: a cluster of CTAs for each row, each of
/// which keeps its part of the row in the slots of a pipeline. x is read once.
///
/// y = (x - mean) / sqrt(variance + epsilon) * scale + shift, where each row has a mean and a variance of its own.
///
/// Each warp writes the moments of its elements into the shared memory of every CTA of the cluster. After one
/// `cluster_sync()` a row each warp combines them. DMA warps take part in it, since it is of all threads: they load as
/// many pieces ahead as there are slots beside those of the row, and the others as slots are released.
///
/// @param Columns  of a row; an equal part of each of the `Cluster` CTAs
/// @param Pieces   of a part, a slot each
/// @param Stages   at least `Pieces`; more load the next row meanwhile
/// @param AtOnce   vectors of a thread whose scale and shift are in registers; all of the part: they are read once
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <class Layout_, int Columns, int Cluster, int Pieces, int Stages, int Ctas, int AtOnce>
struct LongLayerNorm {
  static constexpr int part_columns = Columns / Cluster;
  static constexpr int piece_columns = part_columns / Pieces;
  using Tile = dma::Sequential<float, piece_columns>;
  using Layout = Layout_;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>>;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas, .cluster = Cluster};

  static constexpr int warps = Layout::compute_threads / 32;
  static constexpr int vectors = piece_columns / 4 / Layout::compute_threads;  ///< of a thread in each piece
  static constexpr int groups = Pieces * vectors / AtOnce;                     ///< of vectors, of a thread
  static constexpr int moments_of_a_row = Cluster * warps;
  static constexpr bool keeps_parameters = groups == 1;
  static_assert(Layout::is_specialized && Stages >= Pieces);
  static_assert(Cluster * Pieces * vectors * 4 * Layout::compute_threads == Columns &&
                    groups * AtOnce == Pieces * vectors,
                "a row is whole parts, pieces, and groups of vectors");
  static_assert((moments_of_a_row & (moments_of_a_row - 1)) == 0, "moments are combined in pairs");

  struct Shared {
    typename Pipe::Storage storage;
    Moments moments[2][moments_of_a_row];  ///< of even and odd rows: a CTA may be one row ahead of the others
  };

  /// The CTAs of a grid that has a cluster for each of `clusters` rows at a time.
  [[nodiscard]] static constexpr int ctas(int clusters) { return clusters * Cluster; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LongLayerNorm>& cta, const float* x, const float* scale,
                                  const float* shift, float* y, int rows, float epsilon) const {
    auto& shared = cta.template shared<Shared>();
    const int part = cta.cluster_rank() * part_columns;
    const int first = cta.block().x / Cluster;
    const int step = cta.blocks().x / Cluster;
    const auto start_of = [&](int row) { return static_cast<long long>(row) * Columns + part; };
    Pipe pipe(cta, shared.storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      const int own_rows = first < rows ? (rows - 1 - first) / step + 1 : 0;
      int next = 0;
      const auto load = [&](int pieces) {
        for (const int last = next + pieces; next < last && next < own_rows * Pieces; ++next) {
          dma.load(x + start_of(first + next / Pieces * step) + next % Pieces * piece_columns);
        }
      };
      load(Stages);
      cta.cluster_sync();  // All CTAs have started.
      for (int row = first; row < rows; row += step) {
        cta.cluster_sync();
        load(Pieces);  // into slots that the row's y leaves
      }
    } else {
      const auto compute = pipe.as_compute();
      Parameters parameters = Parameters::read(compute, scale + part, shift + part, 0);
      cta.cluster_sync();
      int turn = 0;
      for (int row = first; row < rows; row += step) {
        normalize(cta, compute, scale + part, shift + part, y + start_of(row), epsilon, shared.moments[turn],
                  parameters, dma::stdlib::make_integer_sequence<int, Pieces>{});
        turn ^= 1;
      }
    }
  }

 private:
  using Cta = dma::KernelCta<LongLayerNorm>;
  using Compute = dma::ComputeHandle<Pipe>;

  using Parameters = LayerNormParameters<AtOnce>;

  /// @param parameters  of the first group, also afterwards
  template <int... Piece>
  DMA_HOST_DEVICE static void normalize(const Cta& cta, const Compute& compute, const float* scale, const float* shift,
                                        float* y, float epsilon, Moments (&of_row)[moments_of_a_row],
                                        Parameters& parameters, dma::stdlib::integer_sequence<int, Piece...>) {
    Moments moments{};
    dma::Slot<Pipe> part[] = {wait_and_add<Piece, vectors>(compute, moments)...};
    moments = exchange(cta, moments, of_row);
    const float factor = 1.0F / sqrtf(moments.squares / static_cast<float>(Columns) + epsilon);
    dma::unrolled<groups>([&](auto group) {
      const Parameters now = parameters;
      if constexpr (!keeps_parameters) {
        parameters = Parameters::read(compute, scale, shift, (group + 1) % groups * AtOnce);
      }
      dma::unrolled<AtOnce>([&](auto k) {
        constexpr int vector = group * AtOnce + k;
        const int i = compute.rank() + vector % vectors * compute.size();
        const auto x4 = part[vector / vectors].vectors()[i];
        dma::vectors(y)[compute.rank() + vector * compute.size()] =
            (x4 - moments.mean) * factor * now.scale[k] + now.shift[k];
        if constexpr (vector % vectors == vectors - 1) {
          part[vector / vectors].release();
        }
      });
    });
  }

  /// The moments of a row, from those of each thread's elements. Collective over the cluster, whose DMA warps
  /// synchronize only.
  [[nodiscard]] DMA_HOST_DEVICE static Moments exchange(const Cta& cta, Moments moments,
                                                        Moments (&of_row)[moments_of_a_row]) {
    constexpr int of_a_thread = part_columns / Layout::compute_threads;
    moments = moments_of_lanes<32>(cta, moments, of_a_thread);
    if (cta.lane() < Cluster) {
      *cta.peer(cta.lane(), &of_row[cta.cluster_rank() * warps + cta.warp()]) = moments;
    }
    cta.cluster_sync();
    constexpr int of_a_warp = of_a_thread * 32;
    constexpr int lanes = moments_of_a_row < 32 ? moments_of_a_row : 32;
    constexpr int of_a_lane = moments_of_a_row / lanes;
    moments = of_row[cta.lane() % lanes];
    dma::unrolled<of_a_lane - 1>(
        [&](auto k) { moments = moments.with(of_row[cta.lane() + (k + 1) * lanes], of_a_warp * (k + 1), of_a_warp); });
    return moments_of_lanes<lanes>(cta, moments, of_a_warp * of_a_lane);
  }
};
