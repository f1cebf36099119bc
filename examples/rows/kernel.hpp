#pragma once

#include "operations.hpp"
#include "row_threads.hpp"

#include <dma/dma.hpp>

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

  static constexpr int at_once = plan.at_once == 0 ? Threads::vectors : plan.at_once;
  static constexpr int groups = Threads::vectors / at_once;  ///< of vectors whose parameters are in registers
  static_assert(plan.stages >= plan.pieces, "Rows: slots hold the pieces of a row; use more stages");
  static_assert(groups * at_once == Threads::vectors, "Rows: at_once divides the vectors of a thread");

  struct Shared {
    typename Pipe::Storage storage;
    typename Threads::template Sums<Sum> sums[2];  ///< of even and odd tiles: a warp may be one ahead of the others
  };

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
    Parameters parameters;
    read_parameters<0>(cta, operation, part, parameters);
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
        write(cta, operation, part, y + static_cast<long long>(row) * plan.columns + part, values, of_row, parameters);
        if (part == 0 && Threads::rank(cta) == 0) {
          operation.write(row, of_row);
        }
      }
      turn ^= 1;
    }
  }

 private:
  static constexpr int group_values = at_once * Threads::width;
  static constexpr int parameter_rows = Operation::parameter_rows == 0 ? 1 : Operation::parameter_rows;
  using Parameters = float[parameter_rows][group_values];

  /// Those of a group of this thread's vectors.
  template <int Group>
  DMA_HOST_DEVICE static void read_parameters(const dma::Cta& cta, const Operation& operation, int part,
                                              Parameters& parameters) {
    dma::unrolled<Operation::parameter_rows>(
        [&](auto p) { Threads::template read<Group * at_once>(cta, operation.parameters(p) + part, parameters[p]); });
  }

  /// Where the parameters have several groups, reads each before the stores of the group before it.
  ///
  /// @param parameters  of the first group, also afterwards
  DMA_HOST_DEVICE static void write(const dma::Cta& cta, const Operation& operation, int part, T* y,
                                    const typename Threads::Values& values, const typename Operation::Row& row,
                                    Parameters& parameters) {
    if constexpr (Operation::writes_elements) {
      dma::unrolled<groups>([&](auto group) {
        Parameters now;
        memcpy(&now, &parameters, sizeof now);
        if constexpr (groups > 1) {
          read_parameters<(group + 1) % groups>(cta, operation, part, parameters);
        }
        dma::unrolled<at_once>([&](auto k) {
          constexpr int vector = group * at_once + k;
          float results[Threads::width];
          for (int e = 0; e < Threads::width; ++e) {
            float of_element[parameter_rows]{};
            for (int p = 0; p < Operation::parameter_rows; ++p) {
              of_element[p] = now[p][k * Threads::width + e];
            }
            results[e] = Operation::value(values[vector * Threads::width + e], row, of_element);
          }
          Threads::write(cta, y, vector, results);
        });
      });
    }
  }
};
