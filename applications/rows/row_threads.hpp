#pragma once

#include "element.hpp"
#include "plan.hpp"

#include <dma/dma.hpp>

#include <cstring>

/// The threads that share a row: which elements of it each of them has, how it reads them, and how sums of threads
/// become those of the row.
///
/// A thread's vectors are `row_threads()` apart, so that neighbours access memory side by side.
template <class T, RowsPlan plan>
struct RowThreads {
  static constexpr int width = dma::Vector<T>::size();                                     ///< elements of a vector
  static constexpr int piece_vectors = plan.piece_columns() / width / plan.row_threads();  ///< of a thread
  static constexpr int vectors = plan.pieces * piece_vectors;
  static constexpr int values = vectors * width;
  static constexpr int sums_a_row = plan.ctas_a_row * plan.warps_a_row;
  static constexpr int rows_a_tile = plan.rows_a_tile();
  static constexpr bool is_cluster = plan.ctas_a_row > 1;
  static_assert(values > 0 && values == plan.values() && values * plan.row_threads() * plan.ctas_a_row == plan.columns,
                "Rows: each thread has equally many whole vectors of each piece of a row; choose other warps a row");
  static_assert((sums_a_row & (sums_a_row - 1)) == 0, "Rows: sums are combined in pairs; choose powers of two");
  static_assert(rows_a_tile == 1 || (plan.pieces == 1 && !is_cluster), "Rows: a tile of several rows has whole rows");
  static_assert(plan.warps % plan.warps_a_row == 0, "Rows: each row of a tile has equally many warps");
  static_assert(plan.rows_a_warp == 1 || (plan.warps_a_row == 1 && 32 % plan.rows_a_warp == 0),
                "Rows: the rows of a warp have equally many lanes of it, and a row of several warps has whole ones");

  using Layout = dma::WarpLayout<dma::Compute<plan.warps>>;
  using Tile = dma::Sequential<T, rows_a_tile * plan.piece_columns()>;
  using Values = float[values];
  /// One for each warp of a row, of each CTA.
  template <class Sum>
  using Sums = Sum[rows_a_tile * sums_a_row];

  /// Of this thread, among those of its row in this CTA.
  [[nodiscard]] DMA_HOST_DEVICE static int rank(const dma::Cta& cta) { return cta.thread() % plan.row_threads(); }
  /// Of the tile, this thread's.
  [[nodiscard]] DMA_HOST_DEVICE static int row(const dma::Cta& cta) { return cta.thread() / plan.row_threads(); }

  /// Of the rows from `row` on: as many as are left.
  [[nodiscard]] DMA_HOST_DEVICE static Tile tile_at(int row, int rows) {
    if constexpr (rows_a_tile == 1) {
      return {};
    } else {
      const int left = rows - row;
      return {.elements = (left < rows_a_tile ? left : rows_a_tile) * plan.columns};
    }
  }

  /// This thread's elements of a piece, which is in a slot.
  template <class Slot>
  DMA_HOST_DEVICE static void read(const dma::Cta& cta, const Slot& slot, int piece, Values& values_of_row) {
    for (int k = 0; k < piece_vectors; ++k) {
      float elements[width];
      read_vector(cta, slot, k, elements);
      memcpy(&values_of_row[(piece * piece_vectors + k) * width], elements, sizeof elements);
    }
  }
  /// One vector of them.
  template <class Slot>
  DMA_HOST_DEVICE static void read_vector(const dma::Cta& cta, const Slot& slot, int vector, float (&elements)[width]) {
    const int first = row(cta) * (plan.piece_columns() / width) + rank(cta);
    const dma::Vector<T> vector_of_slot = slot.vectors()[first + vector * plan.row_threads()];
    floats_of(vector_of_slot, elements);
  }

  /// Writes this thread's elements of its part of a row.
  DMA_HOST_DEVICE static void write(const dma::Cta& cta, T* part, int vector, const float (&values_of_vector)[width]) {
    dma::Vector<T> elements;
    for (int e = 0; e < width; ++e) {
      round_to(elements[e], values_of_vector[e]);
    }
    dma::vectors(part)[rank(cta) + vector * plan.row_threads()] = elements;
  }

  /// Vector `vector` of this thread, of a part of a row in global memory.
  [[nodiscard]] DMA_HOST_DEVICE static dma::Vector<T> vector_of(const dma::Cta& cta, const T* part, int vector) {
    return dma::vectors(part)[rank(cta) + vector * plan.row_threads()];
  }
  /// This thread's elements of a part of a row in global memory.
  DMA_HOST_DEVICE static void read(const dma::Cta& cta, const T* part, Values& elements) {
    for (int k = 0; k < vectors; ++k) {
      float of_vector[width];
      floats_of(vector_of(cta, part, k), of_vector);
      memcpy(&elements[k * width], of_vector, sizeof of_vector);
    }
  }

  /// Writes this thread's elements of its part of a row of floats.
  DMA_HOST_DEVICE static void write_floats(const dma::Cta& cta, float* part, const Values& floats) {
    constexpr int quads = width / 4;
    for (int k = 0; k < values / 4; ++k) {
      dma::vectors(part)[(rank(cta) + k / quads * plan.row_threads()) * quads + k % quads] = {
          floats[4 * k], floats[4 * k + 1], floats[4 * k + 2], floats[4 * k + 3]};
    }
  }

  /// The sum of a row, from those of its threads. Collective over the row's CTAs, with one synchronization.
  ///
  /// @param sums  not those of the row before, which other warps may still read
  template <class Compute, class Sum>
  [[nodiscard]] DMA_HOST_DEVICE static Sum combined(const dma::Cta& cta, const Compute& compute, Sum sum,
                                                    Sums<Sum>& sums) {
    sum = of_lanes<32 / plan.rows_a_warp>(cta, sum, values);
    if constexpr (sums_a_row == 1) {
      return sum;
    } else {
      int first = 0;
      if constexpr (is_cluster) {
        if (cta.lane() < plan.ctas_a_row) {
          *cta.peer(cta.lane(), &sums[cta.cluster_rank() * plan.warps + cta.warp()]) = sum;
        }
        cta.cluster_sync();
      } else {
        if (cta.lane() == 0) {
          sums[cta.warp()] = sum;
        }
        compute.sync();
        first = row(cta) * plan.warps_a_row;
      }
      constexpr int lanes = sums_a_row < 32 ? sums_a_row : 32;
      return of_lanes<lanes>(cta, of_some<sums_a_row / lanes, lanes>(sums + first + cta.lane() % lanes, 32 * values),
                             sums_a_row / lanes * 32 * values);
    }
  }

  /// Of a row, from the sums of its CTAs' parts.
  template <class Sum>
  [[nodiscard]] DMA_HOST_DEVICE static Sum of_parts(const dma::Cta& cta, const Sum (&parts)[plan.ctas_a_row]) {
    constexpr int lanes = plan.ctas_a_row < 32 ? plan.ctas_a_row : 32;
    constexpr int of_a_part = values * plan.row_threads();
    return of_lanes<lanes>(cta, of_some<plan.ctas_a_row / lanes, lanes>(parts + cta.lane() % lanes, of_a_part),
                           plan.ctas_a_row / lanes * of_a_part);
  }

  /// Of `Count` sums that are `Step` apart, each of which is of `count` values.
  template <int Count, int Step, class Sum>
  [[nodiscard]] DMA_HOST_DEVICE static Sum of_some(const Sum* sums, int count) {
    if constexpr (Count == 1) {
      return *sums;
    } else {
      return of_some<Count / 2, Step>(sums, count)
          .with(of_some<Count / 2, Step>(sums + Count / 2 * Step, count), Count / 2 * count);
    }
  }
  /// Of `Lanes` neighbours, each of which has a sum of `count` values.
  template <int Lanes, class Sum>
  [[nodiscard]] DMA_HOST_DEVICE static Sum of_lanes(const dma::Cta& cta, Sum sum, int count) {
    const auto exchange = [&](float number, int distance) { return cta.shuffle(number, cta.lane() ^ distance); };
    if constexpr (requires { sum.template of_lanes<Lanes>(exchange); }) {
      return sum.template of_lanes<Lanes>(exchange);
    } else {
      for (int distance = 1; distance < Lanes; distance *= 2, count *= 2) {
        sum = sum.with(sum.exchanged([&](float number) { return exchange(number, distance); }), count);
      }
      return sum;
    }
  }
};
