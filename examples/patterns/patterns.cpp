// The kernels of docs/guide/patterns on the emulator. Each result is compared with a loop that does not use tiles.

#include "../usage.hpp"
#include "boxes/halo2d.hpp"
#include "boxes/halo3d.hpp"
#include "boxes/tile2d.hpp"
#include "boxes/tile3d.hpp"
#include "composites/concat.hpp"
#include "composites/repeat.hpp"
#include "composites/transpose.hpp"
#include "lists/csr.hpp"
#include "lists/indirect.hpp"
#include "lists/paged.hpp"
#include "rows/sequential.hpp"
#include "rows/strided.hpp"
#include "rows/swizzle.hpp"
#include "stores/store.hpp"
#include "stores/update.hpp"

#include <dma/host/launch.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

/// Small whole numbers, so that sums of floats are exact in any order.
std::vector<float> numbers(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * 7 % 61);
  }
  return values;
}

class Checks {
 public:
  template <class T>
  void compare(const char* name, const std::vector<T>& actual, const std::vector<T>& expected) {
    std::size_t wrong = actual.size() == expected.size() ? 0 : expected.size();
    for (std::size_t i = 0; wrong == 0 && i < expected.size(); ++i) {
      wrong += actual[i] == expected[i] ? 0 : 1;
    }
    std::printf("%-40s %s\n", name, wrong == 0 ? "right" : "WRONG");
    all_right_ = all_right_ && wrong == 0;
  }
  [[nodiscard]] bool all_right() const { return all_right_; }

 private:
  bool all_right_ = true;
};

/// Element (row, col) of an array, 0 outside it.
float element(const std::vector<float>& array, int rows, int cols, int row, int col) {
  return row >= 0 && row < rows && col >= 0 && col < cols ? array[static_cast<std::size_t>(row * cols + col)] : 0.0F;
}

void check_sequential(Checks& checks) {
  constexpr int n = 1003;
  const std::vector<float> x = numbers(n);
  std::vector<float> y(x.size(), -1.0F);
  dma::host::launch(Twice{}, {1}, x.data(), y.data(), n);
  std::vector<float> expected;
  for (const float value : x) {
    expected.push_back(value + value);
  }
  checks.compare("sequential", y, expected);
}

void check_strided(Checks& checks) {
  constexpr int rows = 53;
  constexpr int cols = 96;
  constexpr int pitch = 100;
  const std::vector<float> matrix = numbers(rows * pitch);
  std::vector<float> sums(cols, -1.0F);
  dma::host::launch(ColumnSums{}, {cols / 32}, matrix.data(), static_cast<long long>(pitch), rows, sums.data());
  std::vector<float> expected(cols, 0.0F);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (i % pitch < cols) {
      expected[i % pitch] += matrix[i];
    }
  }
  checks.compare("strided", sums, expected);
}

void check_pitch_at_run_time(Checks& checks) {
  constexpr int tiles = 3;
  for (const int cols : {16, 63}) {
    const std::vector<float> matrix = numbers(tiles * 32 * cols);
    std::vector<float> sums(tiles * 32, -1.0F);
    dma::host::launch(SumsOfRows{}, {1}, matrix.data(), tiles, cols, sums.data());
    std::vector<float> expected(sums.size(), 0.0F);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      expected[i / static_cast<std::size_t>(cols)] += matrix[i];
    }
    checks.compare("strided, pitch at run time", sums, expected);
  }
}

void check_indirect(Checks& checks) {
  constexpr int table_rows = 200;
  constexpr int n = 45;
  const std::vector<float> table = numbers(table_rows * 32);
  std::vector<int> ids;
  std::vector<float> expected;
  for (int i = 0; i < n; ++i) {
    ids.push_back(i * 37 % table_rows);
    for (int col = 0; col < 32; ++col) {
      expected.push_back(element(table, table_rows, 32, ids.back(), col));
    }
  }
  std::vector<float> out(expected.size(), -1.0F);
  dma::host::launch(GatherRows{}, {1}, table.data(), static_cast<long long>(table_rows), ids.data(), n, out.data());
  checks.compare("indirect", out, expected);

  expected.clear();
  for (int i = 0; i < 64 * 32; ++i) {
    expected.push_back(element(table, table_rows, 32, i / 32 * 3, i % 32));
  }
  std::vector<float> staged(expected.size(), -1.0F);
  dma::host::launch(GatherEverySoMany{}, {1}, table.data(), static_cast<long long>(table_rows), 3, staged.data());
  checks.compare("indirect, by a list in shared memory", staged, expected);
}

void check_csr(Checks& checks) {
  constexpr int matrix_rows = 90;
  constexpr int n = 53;
  std::vector<int> offsets{0};
  for (int row = 0; row < matrix_rows; ++row) {
    offsets.push_back(offsets.back() + row * 13 % 65);
  }
  const std::vector<float> values = numbers(offsets.back());
  std::vector<int> ids;
  std::vector<float> expected;
  for (int i = 0; i < n; ++i) {
    ids.push_back(i * 37 % matrix_rows);
    float sum = 0;
    for (int k = offsets[static_cast<std::size_t>(ids.back())]; k < offsets[static_cast<std::size_t>(ids.back()) + 1];
         ++k) {
      sum += values[static_cast<std::size_t>(k)];
    }
    expected.push_back(sum);
  }
  std::vector<float> sums(expected.size(), -1.0F);
  dma::host::launch(SumSparseRows{}, {2}, values.data(), offsets.data(), matrix_rows, ids.data(), n, sums.data());
  checks.compare("csr", sums, expected);

  std::vector<float> all_sums(matrix_rows, -1.0F);
  dma::host::launch(SumConsecutiveRows{}, {2}, values.data(), offsets.data(), matrix_rows, all_sums.data());
  std::vector<float> all_expected(matrix_rows, 0.0F);
  for (std::size_t row = 0; row < all_expected.size(); ++row) {
    for (int k = offsets[row]; k < offsets[row + 1]; ++k) {
      all_expected[row] += values[static_cast<std::size_t>(k)];
    }
  }
  checks.compare("csr, consecutive rows as one run", all_sums, all_expected);
}

void check_paged(Checks& checks) {
  constexpr int heads = 3;
  constexpr int pages = 5;
  constexpr int length = 13;
  constexpr int count = 21;
  const std::vector<int> list = {3, 0, 4};
  const std::vector<float> added = numbers(count * heads * 32);
  std::vector<float> cache(static_cast<std::size_t>(pages * 16 * heads * 32), -1.0F);
  std::vector<float> expected = cache;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::size_t row = length + i / (heads * 32);
    const std::size_t page = static_cast<std::size_t>(list[row / 16]);
    expected[(page * 16 + row % 16) * heads * 32 + i % (heads * 32)] = added[i];
  }
  dma::host::launch(AppendRows{}, {heads}, added.data(), cache.data(), list.data(), pages, length, count);
  checks.compare("paged, rows appended", cache, expected);
}

void check_tile2d(Checks& checks) {
  constexpr int rows = 19;
  constexpr int cols = 70;
  const std::vector<float> in = numbers(rows * cols);
  std::vector<float> out(in.size(), -1.0F);
  dma::host::launch(BoxSums{}, {1}, in.data(), rows, cols, out.data());
  std::vector<float> expected;
  for (int i = 0; i < rows * cols; ++i) {
    float sum = 0;
    for (int row = i / cols - 1; row <= i / cols + 1; ++row) {
      for (int col = i % cols - 1; col <= i % cols + 1; ++col) {
        sum += element(in, rows, cols, row, col);
      }
    }
    expected.push_back(sum);
  }
  checks.compare("tile2d", out, expected);
}

void check_halo2d(Checks& checks) {
  constexpr int rows = 24;
  constexpr int cols = 64;
  const std::vector<float> in = numbers(rows * cols);
  std::vector<float> sums(rows / 8 * (cols / 16), -1.0F);
  dma::host::launch(RingSums{}, {1}, in.data(), rows, cols, sums.data());
  std::vector<float> expected;
  for (int row = 0; row < rows; row += 8) {
    for (int col = 0; col < cols; col += 16) {
      float sum = 0;
      for (int c = col; c < col + 16; ++c) {
        sum += element(in, rows, cols, row - 1, c) + element(in, rows, cols, row + 8, c);
      }
      for (int r = row; r < row + 8; ++r) {
        sum += element(in, rows, cols, r, col - 1) + element(in, rows, cols, r, col + 16);
      }
      expected.push_back(sum);
    }
  }
  checks.compare("halo2d", sums, expected);
}

void check_transpose(Checks& checks) {
  constexpr int rows = 37;
  constexpr int cols = 75;
  const std::vector<float> in = numbers(rows * cols);
  std::vector<float> out(in.size(), -1.0F);
  dma::host::launch(Turn{}, {1}, in.data(), rows, cols, out.data());
  std::vector<float> expected;
  for (int col = 0; col < cols; ++col) {
    for (int row = 0; row < rows; ++row) {
      expected.push_back(element(in, rows, cols, row, col));
    }
  }
  checks.compare("transpose", out, expected);
}

void check_store(Checks& checks) {
  constexpr int rows = 21;
  constexpr int cols = 45;
  std::vector<int> table(rows * cols, -1);
  dma::host::launch(TimesTable{}, {1}, table.data(), rows, cols);
  std::vector<int> expected;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      expected.push_back(row * col);
    }
  }
  checks.compare("store", table, expected);

  constexpr int n = 21;
  constexpr int table_rows = 50;
  const std::vector<float> values = numbers(n * 32);
  std::vector<int> ids;
  std::vector<float> scattered(table_rows * 32, -1.0F);
  std::vector<float> wanted = scattered;
  for (int i = 0; i < n; ++i) {
    ids.push_back((i * 7 + 3) % table_rows);
    for (int col = 0; col < 32; ++col) {
      wanted[static_cast<std::size_t>(ids.back() * 32 + col)] = element(values, n, 32, i, col);
    }
  }
  dma::host::launch(ScatterRows{}, {1}, values.data(), ids.data(), n, scattered.data(),
                    static_cast<long long>(table_rows));
  checks.compare("store, a scatter", scattered, wanted);

  // Two CTAs add the same rows, some of them twice.
  ids[4] = ids[3];
  for (int i = 0; i < n; ++i) {
    for (int col = 0; col < 32; ++col) {
      wanted[static_cast<std::size_t>(ids[static_cast<std::size_t>(i)] * 32 + col)] +=
          2 * element(values, n, 32, i, col);
    }
  }
  dma::host::launch(AddRows{}, {2}, values.data(), ids.data(), n, scattered.data(), static_cast<long long>(table_rows));
  checks.compare("store, a scatter that adds", scattered, wanted);
}

void check_update(Checks& checks) {
  constexpr int rows = 21;
  constexpr int cols = 45;
  std::vector<float> array = numbers(rows * cols);
  std::vector<float> expected = array;
  for (float& value : expected) {
    value *= 3;
  }
  dma::host::launch(ScaleInPlace{}, {2}, array.data(), rows, cols, 3.0F);
  checks.compare("update", array, expected);

  constexpr int n = 21;
  constexpr int table_rows = 50;
  const std::vector<float> gradient = numbers(n * 32);
  std::vector<float> table = numbers(table_rows * 32);
  std::vector<float> wanted = table;
  std::vector<int> ids;
  for (int i = 0; i < n; ++i) {
    ids.push_back((i * 7 + 3) % table_rows);
    for (int col = 0; col < 32; ++col) {
      wanted[static_cast<std::size_t>(ids.back() * 32 + col)] -= 2 * element(gradient, n, 32, i, col);
    }
  }
  dma::host::launch(UpdateRows{}, {2}, table.data(), static_cast<long long>(table_rows), ids.data(), gradient.data(),
                    -2.0F, n);
  checks.compare("update, rows named by a list", table, wanted);
}

/// Element (plane, row, col) of a volume, 0 outside it.
float element(const std::vector<float>& volume, int planes, int rows, int cols, int plane, int row, int col) {
  return plane >= 0 && plane < planes && row >= 0 && row < rows && col >= 0 && col < cols
             ? volume[static_cast<std::size_t>((plane * rows + row) * cols + col)]
             : 0.0F;
}

void check_tile3d(Checks& checks) {
  constexpr int planes = 5;
  constexpr int rows = 9;
  constexpr int cols = 21;
  const std::vector<float> in = numbers(planes * rows * cols);
  std::vector<float> out(in.size(), -1.0F);
  dma::host::launch(StarSums{}, {1}, in.data(), planes, rows, cols, out.data());
  std::vector<float> expected;
  for (int p = 0; p < planes; ++p) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        const auto at = [&](int plane, int row, int col) { return element(in, planes, rows, cols, plane, row, col); };
        expected.push_back(at(p, r, c) + at(p - 1, r, c) + at(p + 1, r, c) + at(p, r - 1, c) + at(p, r + 1, c) +
                           at(p, r, c - 1) + at(p, r, c + 1));
      }
    }
  }
  checks.compare("tile3d", out, expected);
}

void check_halo3d(Checks& checks) {
  constexpr int planes = 4;
  constexpr int rows = 12;
  constexpr int cols = 24;
  const std::vector<float> in = numbers(planes * rows * cols);
  std::vector<float> sums(planes / 2 * (rows / 4) * (cols / 8), -1.0F);
  dma::host::launch(ShellSums{}, {1}, in.data(), planes, rows, cols, sums.data());
  std::vector<float> expected;
  for (int p = 0; p < planes; p += 2) {
    for (int r = 0; r < rows; r += 4) {
      for (int c = 0; c < cols; c += 8) {
        float sum = 0;
        for (int plane = p - 1; plane <= p + 2; ++plane) {
          for (int row = r - 1; row <= r + 4; ++row) {
            for (int col = c - 1; col <= c + 8; ++col) {
              const int beside = (plane < p || plane > p + 1) + (row < r || row > r + 3) + (col < c || col > c + 7);
              sum += beside == 1 ? element(in, planes, rows, cols, plane, row, col) : 0.0F;
            }
          }
        }
        expected.push_back(sum);
      }
    }
  }
  checks.compare("halo3d", sums, expected);
}

void check_concat(Checks& checks) {
  constexpr int rows = 21;
  constexpr int cols = 45;
  const std::vector<float> in = numbers(rows * cols);
  std::vector<float> out(in.size(), -1.0F);
  dma::host::launch(LessFirstRow{}, {1}, in.data(), rows, cols, out.data());
  std::vector<float> expected;
  for (std::size_t i = 0; i < in.size(); ++i) {
    expected.push_back(in[i] - in[i % cols]);
  }
  checks.compare("concat", out, expected);
}

void check_concat_of_two_arrays(Checks& checks) {
  const LessCoarse::Fine fine{.pitch_bytes = 48 * 4, .array_rows = 21, .array_cols = 45};
  const LessCoarse::Coarse coarse{.pitch_bytes = 24 * 4, .array_rows = 11, .array_cols = 23};
  const std::vector<float> u = numbers(21 * 48);
  const std::vector<float> v = numbers(11 * 24 + 5);  // not the beginning of `u`
  std::vector<float> out(21 * 45, -1.0F);
  const auto map =
      dma::host::tensor_map<LessCoarse::Tile>(dma::TensorArray{u.data(), fine}, dma::TensorArray{v.data() + 4, coarse});
  dma::host::launch(LessCoarse{}, {1}, map, fine, coarse, out.data());
  std::vector<float> expected;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / 45;
    const std::size_t col = i % 45;
    expected.push_back(u[row * 48 + col] - v[row / 2 * 24 + col / 2 + 4]);
  }
  checks.compare("concat of two arrays", out, expected);
}

void check_repeat(Checks& checks) {
  constexpr int rows = 20;
  const std::vector<float> fields = numbers(3 * rows * 32);
  std::vector<float> sum(rows * 32, -1.0F);
  dma::host::launch(SumOfFields{}, {1}, fields.data(), rows, sum.data());
  std::vector<float> expected;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    expected.push_back(fields[i] + fields[sum.size() + i] + fields[2 * sum.size() + i]);
  }
  checks.compare("repeat", sum, expected);
}

void check_swizzle(Checks& checks) {
  constexpr int rows = 96;
  const std::vector<float> values = numbers(rows * 32);
  std::vector<RowSums::Quad> matrix(rows * 8);
  std::vector<float> expected(rows, 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    matrix[i / 4].part[i % 4] = values[i];
    expected[i / 32] += values[i];
  }
  std::vector<float> sums(rows, -1.0F);
  dma::host::launch(RowSums{}, {1}, matrix.data(), rows, sums.data());
  checks.compare("swizzled rows", sums, expected);
}

}  // namespace

int main(int argc, char** argv) {
  expect_no_arguments(argc, argv, "Moves tiles of each pattern, emulated, and compares what arrives with a formula.");
  Checks checks;
  check_sequential(checks);
  check_strided(checks);
  check_pitch_at_run_time(checks);
  check_indirect(checks);
  check_csr(checks);
  check_paged(checks);
  check_tile2d(checks);
  check_halo2d(checks);
  check_transpose(checks);
  check_store(checks);
  check_update(checks);
  check_tile3d(checks);
  check_halo3d(checks);
  check_concat(checks);
  check_concat_of_two_arrays(checks);
  check_repeat(checks);
  check_swizzle(checks);
  return checks.all_right() ? 0 : 1;
}
