#pragma once

#include "operations.hpp"
#include "row_threads.hpp"

#include <dma/dma.hpp>

/// Two sums side by side.
struct PairSum {
  float first;
  float second;

  [[nodiscard]] DMA_HOST_DEVICE PairSum with(const PairSum& other, int) const {
    return {first + other.first, second + other.second};
  }
  template <class Exchange>
  [[nodiscard]] DMA_HOST_DEVICE PairSum exchanged(const Exchange& exchange) const {
    return {exchange(first), exchange(second)};
  }
};

/// What the backward of a norm takes beside x and the gradient of y, and its gradients of the parameters: a row for
/// each `RowsBackward::part_rows`, which `GradientSums` adds up.
template <class T>
struct LayerNormBackward {
  static constexpr int gradient_rows = 2;

  const T* scale;
  const RowStatistics* statistics;
  float* scale_parts;
  float* shift_parts;
};
template <class T>
struct RmsNormBackward {
  static constexpr int gradient_rows = 1;

  const T* scale;
  const RowStatistics* statistics;
  float* scale_parts;
};

/// The backward of a norm: the gradient of x, and sums of those of scale and shift over the rows of each CTA.
///
/// With n = (x - mean) * factor and g = scale * dy: dx = factor * (g - mean of g - n * mean of (g * n)), where an RMS
/// norm has no mean of g. x and dy are read once, a piece of each after the other. The gradients of the parameters
/// stay in registers from row to row, so the grid is persistent.
///
/// @pre Rows are consecutive; all addresses are multiples of 16.
template <class T, class Operation, RowsPlan plan>
struct RowsBackward {
  using Threads = RowThreads<T, plan>;
  using Layout = typename Threads::Layout;
  using Pipe = dma::DmaPipeline<typename Threads::Tile, dma::MultiBuffer<Layout, plan.stages>>;
  static constexpr dma::KernelTraits traits{.min_ctas = plan.min_ctas, .cluster = plan.ctas_a_row};
  static constexpr bool has_shift = Operation::gradient_rows == 2;
  static_assert(plan.stages >= 2 * plan.pieces, "RowsBackward: slots hold a row's pieces of x and dy; use more stages");

  struct Shared {
    typename Pipe::Storage storage;
    typename Threads::template Sums<PairSum> sums[2];  ///< of even and odd tiles
  };

  [[nodiscard]] static constexpr int ctas(int groups_of_ctas) { return groups_of_ctas * plan.ctas_a_row; }
  /// Rows of the parts of the parameters' gradients.
  [[nodiscard]] static constexpr int part_rows(int groups_of_ctas) { return groups_of_ctas * plan.rows_a_tile(); }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RowsBackward>& cta, const Operation& operation, const T* x,
                                  const T* dy, T* dx, int rows) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    const int part = cta.cluster_rank() * plan.part_columns();
    const int group = cta.block().x / plan.ctas_a_row;
    const int first = group * plan.rows_a_tile();
    const int step = cta.blocks().x / plan.ctas_a_row * plan.rows_a_tile();

    int next_row = first;
    int next_tile = 0;  // of x and of dy in turn
    const auto load = [&](int tiles) {
      for (; tiles > 0 && next_row < rows; --tiles) {
        dma.load((next_tile % 2 == 0 ? x : dy) + static_cast<long long>(next_row) * plan.columns + part +
                     next_tile / 2 * plan.piece_columns(),
                 Threads::tile_at(next_row, rows));
        next_tile = (next_tile + 1) % (2 * plan.pieces);
        next_row += next_tile == 0 ? step : 0;
      }
    };
    load(plan.stages);
    typename Threads::Values scale;
    Threads::read(cta, operation.scale + part, scale);
    if constexpr (Threads::is_cluster) {
      cta.cluster_sync();  // All CTAs have started.
    }
    typename Threads::Values scale_gradient{};
    typename Threads::Values shift_gradient{};
    int turn = 0;
    for (int tile = first; tile < rows; tile += step) {
      const int row = tile + Threads::row(cta);
      const bool has_row = plan.rows_a_tile() == 1 || row < rows;
      const RowStatistics of_row = has_row ? operation.statistics[row] : RowStatistics{};
      typename Threads::Values normalized{};
      typename Threads::Values gradient{};
      read(cta, compute, Threads::tile_at(tile, rows), has_row, normalized, gradient);
      PairSum own{};
      for (int i = 0; i < Threads::values; ++i) {
        normalized[i] = (normalized[i] - of_row.mean) * of_row.factor;
        scale_gradient[i] += gradient[i] * normalized[i];
        shift_gradient[i] += gradient[i];
        gradient[i] *= scale[i];
        own = own.with({gradient[i], gradient[i] * normalized[i]}, 1);
      }
      load(2 * plan.pieces);
      const PairSum all = Threads::combined(cta, compute, own, shared.sums[turn]);
      if (has_row) {
        write(cta, dx + static_cast<long long>(row) * plan.columns + part, all, of_row.factor, normalized, gradient);
      }
      turn ^= 1;
    }
    const long long part_row = first + Threads::row(cta);
    Threads::write_floats(cta, operation.scale_parts + part_row * plan.columns + part, scale_gradient);
    if constexpr (has_shift) {
      Threads::write_floats(cta, operation.shift_parts + part_row * plan.columns + part, shift_gradient);
    }
  }

 private:
  /// A row's pieces of x and of dy, in turn.
  DMA_HOST_DEVICE static void read(dma::KernelCta<RowsBackward>& cta, const dma::ComputeHandle<Pipe>& compute,
                                   const typename Threads::Tile& pattern, bool has_row, typename Threads::Values& of_x,
                                   typename Threads::Values& of_dy) {
    dma::unrolled<plan.pieces>([&](auto piece) {
      dma::unrolled<2>([&](auto is_gradient) {
        const auto slot = compute.wait(pattern);
        if (has_row) {
          Threads::read(cta, slot, piece, is_gradient == 1 ? of_dy : of_x);
        }
      });
    });
  }
  /// The gradient of a row of x. `all` are the sums of g and of g * n.
  DMA_HOST_DEVICE static void write(dma::KernelCta<RowsBackward>& cta, T* dx, const PairSum& all, float factor,
                                    const typename Threads::Values& normalized,
                                    const typename Threads::Values& gradient) {
    const float mean = has_shift ? all.first / plan.columns : 0.0F;
    const float slope = all.second / plan.columns;
    dma::unrolled<Threads::vectors>([&](auto vector) {
      float results[Threads::width];
      for (int e = 0; e < Threads::width; ++e) {
        const int i = vector * Threads::width + e;
        results[e] = factor * (gradient[i] - mean - normalized[i] * slope);
      }
      Threads::write(cta, dx, vector, results);
    });
  }
};

/// The parts of a parameter's gradient, and where their sum is written.
struct GradientParts {
  const float* rows;
  float* sums;
};

/// Adds up the rows of matrices of one shape: sums[c] is the sum of column c. A CTA for 32 columns of a matrix; each of
/// its warps adds every 32nd row. CTAs may start while the last of `RowsBackward` end.
struct GradientSums {
  using Layout = dma::WarpLayout<dma::Compute<32>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  static constexpr int columns_a_cta = 32;
  struct Shared {
    float of_warps[32][columns_a_cta + 1];
  };

  /// CTAs of the grid, for so many matrices.
  [[nodiscard]] static constexpr int ctas(int matrices, int columns) { return matrices * (columns / columns_a_cta); }

  /// @param second  not read where the grid is for one matrix
  DMA_HOST_DEVICE void operator()(dma::KernelCta<GradientSums>& cta, const GradientParts& first,
                                  const GradientParts& second, int row_count, int columns) const {
    cta.grid_dependency_wait();
    auto& shared = cta.shared<Shared>();
    const int ctas_a_matrix = columns / columns_a_cta;
    const GradientParts parts = cta.block().x < ctas_a_matrix ? first : second;
    const int first_column = cta.block().x % ctas_a_matrix * columns_a_cta;
    const int column = first_column + cta.lane();
    float sum = 0;
    for (int row = cta.warp(); row < row_count; row += 32) {
      sum += parts.rows[static_cast<long long>(row) * columns + column];
    }
    shared.of_warps[cta.warp()][cta.lane()] = sum;
    cta.sync();
    sum = shared.of_warps[cta.lane()][cta.warp()];
    for (int distance = 1; distance < 32; distance *= 2) {
      sum += cta.shuffle(sum, cta.lane() ^ distance);
    }
    if (cta.lane() == 0) {
      parts.sums[first_column + cta.warp()] = sum;
    }
  }
};
