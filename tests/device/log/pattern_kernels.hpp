#pragma once

/// The kernels of docs/guide/patterns on small problems, one list for both machines.

#include "patterns/boxes/halo2d.hpp"
#include "patterns/boxes/halo3d.hpp"
#include "patterns/boxes/tile2d.hpp"
#include "patterns/boxes/tile3d.hpp"
#include "patterns/composites/concat.hpp"
#include "patterns/composites/repeat.hpp"
#include "patterns/composites/transpose.hpp"
#include "patterns/lists/csr.hpp"
#include "patterns/lists/indirect.hpp"
#include "patterns/lists/paged.hpp"
#include "patterns/rows/sequential.hpp"
#include "patterns/rows/strided.hpp"
#include "patterns/rows/swizzle.hpp"
#include "patterns/stores/store.hpp"
#include "patterns/stores/update.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <vector>

namespace logged {

/// For the members of `machine` see `Examples` and `Applications`.
template <class Machine>
class Patterns {
 public:
  explicit Patterns(Machine& machine) : machine_(machine) {}

  void run() {
    run_rows();
    run_lists();
    run_boxes();
    run_stores();
    run_composites();
  }

 private:
  [[nodiscard]] float* floats(int count) { return machine_.template array<float>(count); }
  [[nodiscard]] const float* input(int count) { return floats(count); }
  /// Numbers below `limit`, each once.
  [[nodiscard]] const int* list(int count, int limit) {
    std::vector<int> ids(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      ids[static_cast<std::size_t>(i)] = (i * 7 + 3) % limit;
    }
    return machine_.copy_of(ids);
  }

  void run_rows() {
    constexpr int n = 1003;
    machine_.run("sequential", Twice{}, {1}, input(n), floats(n), n);
    constexpr long long pitch = 100;
    constexpr int rows = 53;
    machine_.run("strided", ColumnSums{}, {3}, input(rows * pitch), pitch, rows, floats(96));
    constexpr int tiles = 3;
    machine_.run("strided, pitch at run time", SumsOfRows{}, {1}, input(tiles * 32 * 63), tiles, 63,
                 floats(tiles * 32));
    constexpr int quad_rows = 96;
    machine_.run("swizzled rows", RowSums{}, {1},
                 static_cast<const RowSums::Quad*>(machine_.template array<RowSums::Quad>(quad_rows * 8)), quad_rows,
                 floats(quad_rows));
  }

  void run_lists() {
    constexpr long long table_rows = 200;
    constexpr int n = 45;
    const float* const table = input(table_rows * 32);
    machine_.run("indirect", GatherRows{}, {1}, table, table_rows, list(n, table_rows), n, floats(n * 32));
    machine_.run("indirect, by a list in shared memory", GatherEverySoMany{}, {1}, table, table_rows, 3,
                 floats(64 * 32));
    constexpr int matrix_rows = 90;
    std::vector<int> offsets{0};
    for (int row = 0; row < matrix_rows; ++row) {
      offsets.push_back(offsets.back() + row * 13 % 65);
    }
    const float* const values = input(offsets.back() + 4);
    const int* const starts = machine_.copy_of(offsets);
    machine_.run("csr", SumSparseRows{}, {2}, values, starts, matrix_rows, list(53, matrix_rows), 53, floats(53));
    machine_.run("csr, consecutive rows as one run", SumConsecutiveRows{}, {2}, values, starts, matrix_rows,
                 floats(matrix_rows));
    constexpr int pages = 5;
    constexpr int added = 21;
    machine_.run("paged, rows appended", AppendRows{}, {3}, input(added * 3 * 32), floats(pages * 16 * 3 * 32),
                 list(3, pages), pages, 13, added);
  }

  void run_boxes() {
    machine_.run("tile2d", BoxSums{}, {1}, input(19 * 70), 19, 70, floats(19 * 70));
    machine_.run("tile3d", StarSums{}, {1}, input(5 * 9 * 21), 5, 9, 21, floats(5 * 9 * 21));
    machine_.run("halo2d", RingSums{}, {1}, input(24 * 64), 24, 64, floats(12));
    machine_.run("halo3d", ShellSums{}, {1}, input(4 * 12 * 24), 4, 12, 24, floats(18));
    machine_.run("transpose", Turn{}, {1}, input(37 * 75), 37, 75, floats(37 * 75));
  }

  void run_stores() {
    constexpr int rows = 21;
    constexpr int cols = 45;
    constexpr long long table_rows = 50;
    machine_.run("store", TimesTable{}, {1}, machine_.template array<int>(rows * cols), rows, cols);
    const auto write_rows = [&]<class Kernel>(const char* name, Kernel kernel) {
      machine_.run(name, kernel, {1}, input(rows * 32), list(rows, table_rows), rows, floats(table_rows * 32),
                   table_rows);
    };
    write_rows("store, a scatter", ScatterRows{});
    write_rows("store, a scatter that adds", AddRows{});
    machine_.run("update", ScaleInPlace{}, {2}, floats(rows * cols), rows, cols, 3.0F);
    machine_.run("update, rows named by a list", UpdateRows{}, {2}, floats(table_rows * 32), table_rows,
                 list(rows, table_rows), input(rows * 32), -2.0F, rows);
  }

  void run_composites() {
    machine_.run("concat", LessFirstRow{}, {1}, input(21 * 45), 21, 45, floats(21 * 45));
    const LessCoarse::Fine fine{.pitch_bytes = 48 * 4, .array_rows = 21, .array_cols = 45};
    const LessCoarse::Coarse coarse{.pitch_bytes = 24 * 4, .array_rows = 11, .array_cols = 23};
    const float* const u = input(21 * 48);
    const float* const v = input(11 * 24);
    machine_.run("concat of two arrays", LessCoarse{}, {1},
                 machine_.template map<LessCoarse::Tile>(dma::TensorArray{u, fine}, dma::TensorArray{v, coarse}), fine,
                 coarse, floats(21 * 45));
    machine_.run("repeat", SumOfFields{}, {1}, input(3 * 20 * 32), 20, floats(20 * 32));
  }

  Machine& machine_;
};

}  // namespace logged
