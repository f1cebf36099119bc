#pragma once

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

/// Transposes through shared memory, of row-major matrices of any shape: global memory is read and written along its
/// rows.
namespace transpose {

[[nodiscard]] DMA_HOST_DEVICE constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// Tiles of a matrix of `rows` x `cols` elements, a CTA each. They follow one another down the matrix, so that what
/// CTAs write at a time is contiguous. A grid has at most 65535 tiles beside one another.
template <int TileRows, int TileCols>
struct TileAt {
  [[nodiscard]] static dma::Index3 grid(int rows, int cols) {
    return {(rows + TileRows - 1) / TileRows, (cols + TileCols - 1) / TileCols};
  }
  DMA_HOST_DEVICE TileAt(const dma::Cta& cta, int matrix_rows, int matrix_cols)
      : row(cta.block().x * TileRows),
        col(cta.block().y * TileCols),
        rows(smaller(matrix_rows - row, TileRows)),
        cols(smaller(matrix_cols - col, TileCols)) {}

  int row;
  int col;
  int rows;  ///< inside the matrix
  int cols;
};

/// By hand: the well-known tile with a pitch that is odd, written along its rows and read along its columns.
template <class T>
struct TransposeByHand {
  static constexpr int side = 32;
  static constexpr int rows_at_once = 8;
  using Layout = dma::WarpLayout<dma::Compute<rows_at_once>>;
  using At = TileAt<side, side>;
  struct Shared {
    T tile[side][side + 1];
  };

  [[nodiscard]] static dma::Index3 grid(int rows, int cols) { return At::grid(rows, cols); }

  template <class From, class To>
  DMA_HOST_DEVICE void operator()(dma::KernelCta<TransposeByHand>& cta, From from, To to, int rows, int cols) const {
    auto& tile = cta.template shared<Shared>().tile;
    const At at(cta, rows, cols);
    const int x = cta.thread() % side;
    const int y = cta.thread() / side;
    dma::unrolled<side / rows_at_once>([&](auto i) {
      const int row = y + i * rows_at_once;
      if (row < at.rows && x < at.cols) {
        tile[row][x] = from[static_cast<long long>(at.row + row) * cols + at.col + x];
      }
    });
    cta.sync();
    dma::unrolled<side / rows_at_once>([&](auto i) {
      const int col = y + i * rows_at_once;
      if (col < at.cols && x < at.rows) {
        to[static_cast<long long>(at.col + col) * rows + at.row + x] = tile[x][col];
      }
    });
  }
};

/// By the pattern that transposes: elements arrive where they are read. Rows of 256 bytes; in a tile of 32 x 32 floats
/// a thread has so few elements that what it does once takes longer than they do.
template <class T>
struct TransposeByPattern {
  static constexpr int side = 256 / static_cast<int>(sizeof(T));
  static constexpr dma::KernelTraits traits{.min_ctas = 4, .programmatic_launch = true};
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  using At = TileAt<side, side>;
  using Tile = dma::Transpose<T, side, side>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 1>, dma::DefaultBarrier, dma::RegisterCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  [[nodiscard]] static dma::Index3 grid(int rows, int cols) { return At::grid(rows, cols); }

  template <class To>
  DMA_HOST_DEVICE void operator()(dma::KernelCta<TransposeByPattern>& cta, const T* from, To to, int rows,
                                  int cols) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.grid_dependency_wait();
    const At at(cta, rows, cols);
    const Tile shape{cols * static_cast<long long>(sizeof(T)), at.rows, at.cols};
    pipe.for_each_tile(
        {.last = 1},  //
        [&](const auto& dma, int) { dma.load(from + static_cast<long long>(at.row) * cols + at.col, shape); },
        [&](const auto& compute, int) {
          const auto block = compute.wait(shape);
          const int row = compute.rank() % side;
          for (int col = compute.rank() / side; col < at.cols; col += compute.size() / side) {
            if (row < at.rows) {
              to[static_cast<long long>(at.col + col) * rows + at.row + row] = block(col, row);
            }
          }
        });
  }
};

/// 16 bytes an access everywhere: rows of 256 bytes arrive as they are, and each thread transposes a block of them in
/// registers.
///
/// @pre rows and cols are multiples of `width`; the matrices begin on 16 bytes.
template <class T>
struct TransposeInRegisters {
  static constexpr int width = dma::Vector<T>::size();
  static_assert(width == 2 || width == 4, "transpose: TransposeInRegisters takes elements of 4 and 8 bytes");
  static constexpr int side = 256 / static_cast<int>(sizeof(T));
  static constexpr int threads = side / width * (side / width);
  static constexpr dma::KernelTraits traits{.min_ctas = 4, .programmatic_launch = true};
  using Layout = dma::WarpLayout<dma::Compute<threads / 32>>;
  using At = TileAt<side, side>;
  /// 16 bytes more than a row: blocks below one another begin in other banks.
  using Tile = dma::Strided<T, side, side, dma::RowLayout{.pitch_bytes = 256 + 16}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 1>, dma::DefaultBarrier, dma::RegisterCopy<>>;
  using Vector = dma::Vector<T>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  [[nodiscard]] static dma::Index3 grid(int rows, int cols) { return At::grid(rows, cols); }

  static void expects(const T* /*from*/, const T* /*to*/, int rows, int cols) {
    if (rows % width != 0 || cols % width != 0) {
      throw std::invalid_argument("transpose: TransposeInRegisters moves 16 bytes an access, and a matrix of " +
                                  std::to_string(rows) + " x " + std::to_string(cols) +
                                  " elements has rows that do not begin on 16 bytes; use TransposeByPattern");
    }
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TransposeInRegisters>& cta, const T* from, T* to, int rows,
                                  int cols) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    cta.grid_dependency_wait();
    const At at(cta, rows, cols);
    const Tile shape{cols * static_cast<long long>(sizeof(T)), at.rows, at.cols};
    pipe.for_each_tile(
        {.last = 1},  //
        [&](const auto& dma, int) { dma.load(from + static_cast<long long>(at.row) * cols + at.col, shape); },
        [&](const auto& compute, int) {
          const auto tile = compute.wait(shape);
          const int row = compute.rank() % (side / width) * width;
          const int col = compute.rank() / (side / width) * width;
          if (row < at.rows && col < at.cols) {
            Vector block[width];
            read_block(tile.vectors(), row, col, block);
            transpose_block(block);
            T* const out = to + static_cast<long long>(at.col + col) * rows + at.row + row;
            dma::unrolled<width>([&](auto i) { *dma::vectors(out + i * static_cast<long long>(rows)) = block[i]; });
          }
        });
  }

 private:
  /// Rows `row` to `row + width - 1` of a tile, from column `col` on. Lanes whose blocks begin in the same bank start
  /// with different rows.
  template <class Rows>
  DMA_HOST_DEVICE static void read_block(const Rows& tile, int row, int col, Vector (&block)[width]) {
    const int turn = row / 8 % width;
    Vector turned[width];
    dma::unrolled<width>([&](auto i) { turned[i] = tile(row + (i + turn) % width, col); });
    dma::unrolled<width / 2>([&](auto bit) {
      constexpr int step = 1 << bit;
      Vector last[width];
      dma::unrolled<width>([&](auto i) { last[i] = turned[i]; });
      dma::unrolled<width>(
          [&](auto i) { turned[i] = (turn & step) != 0 ? last[(i + width - step) % width] : last[i]; });
    });
    dma::unrolled<width>([&](auto i) { block[i] = turned[i]; });
  }
  DMA_HOST_DEVICE static void transpose_block(Vector (&block)[width]) {
    dma::unrolled<width>([&](auto i) {
      dma::unrolled<width>([&](auto j) {
        if constexpr (i < j) {
          const T held = block[i][j];
          block[i][j] = block[j][i];
          block[j][i] = held;
        }
      });
    });
  }
};

}  // namespace transpose
