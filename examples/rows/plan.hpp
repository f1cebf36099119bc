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

/// What a plan depends on.
struct RowsCase {
  int columns;
  int element_bytes;
  int parameter_rows;    ///< of the operation
  bool writes_elements;  ///< and not one number a row
};

/// The plan that was the fastest on an H200 for rows of 256 to 4096 elements and of 65536 to 262144.
///
/// Rows of bfloat16 have half the bytes of floats and as much arithmetic. So a thread has 32 of their elements, where
/// the exchange of sums costs least, and the parameters of one vector of 8 at a time: with more they exceed the 64
/// registers of 32 warps an SM. GB/s of a layer norm of 1024 columns with 8, 16 and 32 elements a thread: 3083, 3601
/// and 4200; a persistent grid that keeps the parameters 3689.
[[nodiscard]] constexpr RowsPlan fastest_plan(const RowsCase& rows) {
  const int columns = rows.columns;
  if (columns > 4096) {
    return {.columns = columns, .ctas_a_row = columns / 16384, .stages = 3, .kept = Kept::in_slots};
  }
  if (rows.element_bytes == 2) {
    if (columns <= 512) {
      return {.columns = columns, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = columns == 256 ? 12 : 8};
    }
    if (columns == 1024 && rows.parameter_rows < 2) {
      return {.columns = columns, .warps = 4, .warps_a_row = 2, .stages = 1, .min_ctas = 12, .at_once = 1};
    }
    const int warps_a_row = columns / 1024;
    return {.columns = columns,
            .warps = 2 * warps_a_row,
            .warps_a_row = warps_a_row,
            .stages = 1,
            .min_ctas = 16 / warps_a_row,
            .at_once = 1};
  }
  switch (columns) {
    case 256:
      return rows.writes_elements && rows.parameter_rows == 0
                 ? RowsPlan{.columns = 256, .warps = 2, .warps_a_row = 1, .stages = 1, .min_ctas = 16}
                 : RowsPlan{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = 12};
    case 512:
      return {.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1, .min_ctas = 12};
    case 1024:
      return rows.writes_elements ? RowsPlan{.columns = 1024, .warps = 4, .warps_a_row = 4, .stages = 1, .min_ctas = 12}
                                  : RowsPlan{.columns = 1024, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = 8};
    case 2048:
      return {.columns = 2048, .warps = 8, .warps_a_row = 4, .stages = 1, .min_ctas = 4};
    default:
      return {.columns = columns,
              .warps = 8,
              .warps_a_row = 8,
              .stages = 1,
              .min_ctas = rows.writes_elements ? 4 : 6,
              .at_once = rows.parameter_rows == 2 ? 2 : 0};
  }
}

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
