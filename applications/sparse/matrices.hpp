#pragma once

/// Sparse matrices to measure with, made by formulas and by the generators of two benchmarks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparse {

/// A matrix by rows, in host memory.
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<int> offsets{0};
  std::vector<int> columns;
  std::vector<float> values;

  [[nodiscard]] int nonzeros() const { return static_cast<int>(columns.size()); }
};

/// Numbers without a pattern, the same on every machine.
class Hash {
 public:
  explicit Hash(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U) {}
  std::uint64_t word() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t word = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31);
  }
  std::uint32_t operator()() { return static_cast<std::uint32_t>(word() >> 32); }
  /// 0 to `end` - 1.
  int below(int end) {
    return static_cast<int>((static_cast<std::uint64_t>((*this)()) * static_cast<std::uint64_t>(end)) >> 32);
  }
  double fraction() { return (*this)() * 0x1p-32; }

 private:
  std::uint64_t state_;
};

/// Adds rows one after another; the columns of a row are sorted, each once.
class MatrixMaker {
 public:
  MatrixMaker(int rows, int cols) {
    matrix_.rows = rows;
    matrix_.cols = cols;
    matrix_.offsets.reserve(static_cast<std::size_t>(rows) + 1);
  }
  void add(int column) {
    if (column >= 0 && column < matrix_.cols) {
      matrix_.columns.push_back(column);
    }
  }
  void end_row() {
    const auto first = matrix_.columns.begin() + matrix_.offsets.back();
    if (!std::is_sorted(first, matrix_.columns.end())) {
      std::sort(first, matrix_.columns.end());
    }
    matrix_.columns.erase(std::unique(first, matrix_.columns.end()), matrix_.columns.end());
    matrix_.offsets.push_back(static_cast<int>(matrix_.columns.size()));
  }
  /// Small integers over 8 as values, so that sums are exact in any order while they are short.
  [[nodiscard]] Matrix finish() {
    Hash random(7);
    matrix_.values.resize(matrix_.columns.size());
    for (float& value : matrix_.values) {
      value = static_cast<float>(random.below(17) - 8) / 8;
    }
    return std::move(matrix_);
  }

 private:
  Matrix matrix_;
};

/// All diagonals up to `half` beside the main one.
[[nodiscard]] inline Matrix banded(int rows, int half) {
  MatrixMaker maker(rows, rows);
  for (int row = 0; row < rows; ++row) {
    for (int column = row - half; column <= row + half; ++column) {
      maker.add(column);
    }
    maker.end_row();
  }
  return maker.finish();
}

/// The neighbours of each point of a grid of `edge`^3: 6, or all 26 as in HPCG, and the point.
[[nodiscard]] inline Matrix stencil(int edge, bool has_corners) {
  MatrixMaker maker(edge * edge * edge, edge * edge * edge);
  for (int z = 0; z < edge; ++z) {
    for (int y = 0; y < edge; ++y) {
      for (int x = 0; x < edge; ++x) {
        for (int k = 0; k < 27; ++k) {
          const int dz = k / 9 - 1;
          const int dy = k / 3 % 3 - 1;
          const int dx = k % 3 - 1;
          const auto is_inside = [&](int at) { return at >= 0 && at < edge; };
          if ((has_corners || std::abs(dx) + std::abs(dy) + std::abs(dz) < 2) && is_inside(x + dx) &&
              is_inside(y + dy) && is_inside(z + dz)) {
            maker.add(((z + dz) * edge + y + dy) * edge + x + dx);
          }
        }
        maker.end_row();
      }
    }
  }
  return maker.finish();
}

/// Columns anywhere, `a_row` in each row.
[[nodiscard]] inline Matrix uniform(int rows, int a_row) {
  MatrixMaker maker(rows, rows);
  Hash random(1);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < a_row; ++k) {
      maker.add(random.below(rows));
    }
    maker.end_row();
  }
  return maker.finish();
}

/// Dense blocks of `edge` x `edge` anywhere, `a_row` in each row of blocks.
[[nodiscard]] inline Matrix blocks(int rows, int edge, int a_row) {
  MatrixMaker maker(rows, rows);
  for (int row = 0; row < rows; ++row) {
    Hash random(static_cast<std::uint64_t>(row / edge) + 1);
    for (int k = 0; k < a_row; ++k) {
      const int first = random.below(rows / edge) * edge;
      for (int column = first; column < first + edge; ++column) {
        maker.add(column);
      }
    }
    maker.end_row();
  }
  return maker.finish();
}

/// Rows of lengths whose distribution falls as length^-exponent, from `shortest` to `longest`, in no order. Columns are
/// anywhere, or the more often the lower where `has_hubs`.
[[nodiscard]] inline Matrix power_law(int rows, double exponent, int shortest, int longest, bool has_hubs) {
  MatrixMaker maker(rows, rows);
  Hash random(3);
  const double low = std::pow(shortest, 1 - exponent);
  const double high = std::pow(longest, 1 - exponent);
  for (int row = 0; row < rows; ++row) {
    const double length = std::pow(low + (high - low) * random.fraction(), 1 / (1 - exponent));
    for (int k = static_cast<int>(length); k > 0; --k) {
      const double at = random.fraction();
      maker.add(static_cast<int>((has_hubs ? at * at * at : at) * rows));
    }
    maker.end_row();
  }
  return maker.finish();
}

/// Graph500's graph: 2^scale vertices, `a_row` edges for each, by recursive choice of a quarter.
[[nodiscard]] inline Matrix rmat(int scale, int a_row) {
  const int rows = 1 << scale;
  const std::size_t edges = static_cast<std::size_t>(rows) * static_cast<std::size_t>(a_row);
  std::vector<int> from(edges);
  std::vector<int> to(edges);
  std::vector<int> at(static_cast<std::size_t>(rows) + 1);
  Hash random(5);
  for (std::size_t e = 0; e < edges; ++e) {
    std::uint64_t bits = 0;
    for (int bit = 0; bit < scale; ++bit) {
      bits = bit % 4 == 0 ? random.word() : bits >> 16;
      const std::uint32_t chance = static_cast<std::uint32_t>(bits) & 0xffffU;  // of 65536: 57, 19, 19 and 5 percent
      const int quarter = chance < 37356 ? 0 : chance < 49807 ? 1 : chance < 62259 ? 2 : 3;
      from[e] = from[e] * 2 + quarter / 2;
      to[e] = to[e] * 2 + quarter % 2;
    }
    ++at[static_cast<std::size_t>(from[e]) + 1];
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    at[row + 1] += at[row];
  }
  std::vector<int> sorted(edges);
  std::vector<int> next(at);
  for (std::size_t e = 0; e < edges; ++e) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(from[e])]++)] = to[e];
  }
  MatrixMaker maker(rows, rows);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (int k = at[row]; k < at[row + 1]; ++k) {
      maker.add(sorted[static_cast<std::size_t>(k)]);
    }
    maker.end_row();
  }
  return maker.finish();
}

inline constexpr const char* matrix_names[] = {"diagonals_5", "banded_41",  "stencil_7",   "hpcg_27",
                                               "uniform_8",   "uniform_32", "uniform_200", "power_law",
                                               "hubs",        "rmat",       "blocks_8",    "blocks_64"};

/// One of these, with about `nonzeros` of them.
[[nodiscard]] inline Matrix make_matrix(const std::string& name, int nonzeros) {
  const auto cube = [](int points) { return static_cast<int>(std::cbrt(points)); };
  const auto scale = [](int rows) { return static_cast<int>(std::log2(rows) + 0.5); };
  if (name == "diagonals_5") return banded(nonzeros / 5, 2);
  if (name == "banded_41") return banded(nonzeros / 41, 20);
  if (name == "stencil_7") return stencil(cube(nonzeros / 7), false);
  if (name == "hpcg_27") return stencil(cube(nonzeros / 27), true);
  if (name == "uniform_8") return uniform(nonzeros / 8, 8);
  if (name == "uniform_32") return uniform(nonzeros / 32, 32);
  if (name == "uniform_200") return uniform(nonzeros / 200, 200);
  if (name == "power_law") return power_law(nonzeros / 8, 2.2, 2, 100000, false);
  if (name == "hubs") return power_law(nonzeros / 22, 1.9, 1, nonzeros / 64, true);
  if (name == "rmat") return rmat(scale(nonzeros / 16), 16);
  if (name == "blocks_8") return blocks(nonzeros / 32, 8, 4);
  if (name == "blocks_64") return blocks(nonzeros / 64 / 64 * 64, 64, 1);
  throw std::invalid_argument("sparse: no matrix is named " + name);
}

}  // namespace sparse
