#pragma once

#include <dma/config.hpp>

#include <string>

/// Where a CTA keeps its part of a row until it has written y: in registers, so that all slots are for the rows after
/// it
/// (`Rows`), or in slots (`LongRows`).
enum class Kept { in_registers, in_slots };

/// How rows of one length are shared among CTAs and their warps: `columns / ctas_a_row / row_threads()` values a
/// thread.
struct RowsPlan {
  int columns;
  int warps = 16;        ///< of a CTA
  int warps_a_row = 16;  ///< of those; a tile has a row for each group of them
  int rows_a_warp = 1;   ///< more than one: a row has a part of the lanes of its warp
  int ctas_a_row = 1;    ///< more than one: a cluster
  int pieces = 1;        ///< of a CTA's part of a row, a tile each
  int stages = 3;
  int min_ctas = 1;  ///< that an SM holds
  int max_ctas = 0;  ///< that it holds at most, since a CTA takes more shared memory than it needs; 0: as many as fit
  int at_once = 0;   ///< vectors of a thread whose parameters are in registers at a time; 0: all, and from row to row
  Kept kept = Kept::in_registers;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_a_tile() const { return warps / warps_a_row * rows_a_warp; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int part_columns() const { return columns / ctas_a_row; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int piece_columns() const { return part_columns() / pieces; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int row_threads() const { return 32 * warps_a_row / rows_a_warp; }
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
/// Rows of bfloat16 have half the bytes of floats and as much arithmetic. So a thread has 32 of their elements, or 16
/// where there is one parameter or none, and a short row some lanes of a warp: an exchange of sums is then for several
/// rows. GB/s of a layer norm of 256 columns with 8, 16, 32 and 64 elements a thread: 3099, 3846, 4166 and 4025; of an
/// RMS norm 3571, 4203 and 4156. The parameters of one vector of 8 elements are in registers at a time, or of two
/// where a thread has no more.
[[nodiscard]] constexpr RowsPlan fastest_plan(const RowsCase& rows) {
  const int columns = rows.columns;
  const bool is_softmax = rows.parameter_rows == 0 && rows.writes_elements;
  if (columns > 4096) {
    return {.columns = columns, .ctas_a_row = columns / 16384, .stages = 3, .kept = Kept::in_slots};
  }
  if (rows.element_bytes == 2) {
    const bool has_16_values = rows.parameter_rows < 2 && columns < 4096;
    const int row_threads = columns / (has_16_values ? 16 : 32);
    const int warps_a_row = row_threads < 32 ? 1 : row_threads / 32;
    const int rows_a_warp = row_threads < 32 ? 32 / row_threads : 1;
    if (has_16_values) {
      return {.columns = columns,
              .warps = 4,
              .warps_a_row = warps_a_row,
              .rows_a_warp = rows_a_warp,
              .stages = 1,
              .min_ctas = 12};
    }
    if (rows.parameter_rows < 2) {
      return {.columns = columns, .warps = 8, .warps_a_row = 4, .stages = 1, .min_ctas = 4, .at_once = 1};
    }
    const int warps = warps_a_row < 2 ? 2 : warps_a_row;
    return {.columns = columns,
            .warps = warps,
            .warps_a_row = warps_a_row,
            .rows_a_warp = rows_a_warp,
            .stages = 1,
            .min_ctas = 24 / warps,
            .at_once = 1};
  }
  switch (columns) {
    case 256:
      return is_softmax ? RowsPlan{.columns = 256,
                                   .warps = 2,
                                   .warps_a_row = 1,
                                   .rows_a_warp = 2,
                                   .stages = 1,
                                   .min_ctas = 12,
                                   .max_ctas = 14}
                        : RowsPlan{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = 12};
    case 512:
      return {.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1, .min_ctas = 12};
    case 1024:
      return rows.writes_elements ? RowsPlan{.columns = 1024, .warps = 4, .warps_a_row = 4, .stages = 1, .min_ctas = 12}
                                  : RowsPlan{.columns = 1024, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = 8};
    case 2048:
      return {.columns = 2048, .warps = 8, .warps_a_row = 4, .stages = 1, .min_ctas = 4};
    default: {
      const int pieces = rows.parameter_rows < 2 && rows.writes_elements ? 4 : 1;
      return {.columns = columns,
              .warps = 8,
              .warps_a_row = 8,
              .pieces = pieces,
              .stages = pieces,
              .min_ctas = rows.writes_elements ? 4 : 6,
              .at_once = rows.parameter_rows == 2 ? 2 : 0};
    }
  }
}

/// The plan of the backward of a layer norm of 512 to 4096 floats that was the fastest on an H200. x and dy of a row,
/// the scale and both gradients are in registers: 16 values of each a thread, or 8 where a CTA has a row. Slots are for
/// one row of each warp or CTA, of 4096 columns in halves. With slots for two rows more is in flight than the memory
/// needs: GB/s of 1024 columns with slots for one row and for two 4072 and 4003, of 4096 columns with 8 warps 4044 and
/// 3980, with 16 warps and halves 4134.
[[nodiscard]] constexpr RowsPlan fastest_backward_plan(int columns) {
  if (columns == 4096) {
    return {.columns = columns, .pieces = 2, .stages = 4, .min_ctas = 2};
  }
  return {.columns = columns, .warps = 8, .warps_a_row = columns / 512, .stages = 2, .min_ctas = 2};
}

[[nodiscard]] inline std::string to_string(const RowsPlan& plan) {
  const auto some = [](int count, const char* what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
  };
  return std::to_string(plan.columns) + " columns: " +
         (plan.ctas_a_row > 1 ? "a cluster of " + some(plan.ctas_a_row, "CTA")
                              : some(plan.rows_a_tile(), "row") + " a CTA") +
         " at a time, " + (plan.rows_a_warp > 1 ? some(plan.row_threads(), "lane") : some(plan.warps_a_row, "warp")) +
         " and " + some(plan.values(), "value") + " a thread" +
         (plan.kept == Kept::in_slots ? ", one row ahead; " : "; ") + some(plan.stages, "stage") + " of " +
         some(plan.rows_a_tile() * plan.piece_columns(), "element");
}
