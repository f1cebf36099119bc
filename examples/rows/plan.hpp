#pragma once

#include <dma/config.hpp>

#include <string>

/// Where a CTA keeps its part of a row until it has written y: in registers, so that all slots are for the rows after
/// it
/// (`Rows`), or in slots (`LongRows`).
enum class Kept { in_registers, in_slots };

/// How rows of one length are shared among CTAs and their warps: `columns / ctas_a_row / (32 * warps_a_row)` values a
/// thread.
struct RowsPlan {
  int columns;
  int warps = 16;        ///< of a CTA
  int warps_a_row = 16;  ///< of those; a tile has a row for each group of them
  int ctas_a_row = 1;    ///< more than one: a cluster
  int pieces = 1;        ///< of a CTA's part of a row, a tile each
  int stages = 3;
  int min_ctas = 1;  ///< that an SM holds
  int at_once = 0;   ///< vectors of a thread whose parameters are in registers at a time; 0: all, and from row to row
  Kept kept = Kept::in_registers;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_a_tile() const { return warps / warps_a_row; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int part_columns() const { return columns / ctas_a_row; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int piece_columns() const { return part_columns() / pieces; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int row_threads() const { return 32 * warps_a_row; }
  /// Values of a thread.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int values() const { return part_columns() / row_threads(); }
};

[[nodiscard]] inline std::string to_string(const RowsPlan& plan) {
  const auto some = [](int count, const char* what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
  };
  return std::to_string(plan.columns) + " columns: " +
         (plan.ctas_a_row > 1 ? "a cluster of " + some(plan.ctas_a_row, "CTA")
                              : some(plan.rows_a_tile(), "row") + " a CTA") +
         " at a time, " + some(plan.warps_a_row, "warp") + " and " + some(plan.values(), "value") + " a thread" +
         (plan.kept == Kept::in_slots ? ", one row ahead; " : "; ") + some(plan.stages, "stage") + " of " +
         some(plan.rows_a_tile() * plan.piece_columns(), "element");
}
