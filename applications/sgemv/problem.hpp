#pragma once

/// y = alpha op(A) x + beta y as in BLAS, and how its kernels divide it.

#include <dma/dma.hpp>

namespace sgemv {

enum class Op { n, t };  ///< A as it is, or transposed

struct Problem {
  Op op;
  int m;  ///< rows of A
  int n;  ///< columns of A
  float alpha;
  const float* a;  ///< column-major: element (i, j) at a[i + j * lda]
  long long lda;   ///< >= m
  const float* x;  ///< `summed()` elements, `incx` apart; of a negative `incx` the last comes first
  int incx;        ///< not 0
  float beta;      ///< 0: y is written and never read
  float* y;        ///< `outputs()` elements, `incy` apart
  int incy;        ///< not 0

  [[nodiscard]] DMA_HOST_DEVICE constexpr int summed() const { return op == Op::n ? n : m; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int outputs() const { return op == Op::n ? m : n; }
  /// The address of element 0.
  [[nodiscard]] DMA_HOST_DEVICE const float* first_of_x() const { return incx > 0 ? x : x - (summed() - 1LL) * incx; }
  [[nodiscard]] DMA_HOST_DEVICE float* first_of_y() const { return incy > 0 ? y : y - (outputs() - 1LL) * incy; }
};

/// Partial sums that CTAs with common outputs leave for the last of them. Launches that may overlap, on two streams,
/// need one each.
struct Workspace {
  double* partial = nullptr;                ///< the sums of each part of each block
  dma::ArrivalCounter* arrivals = nullptr;  ///< one a block, zero before and after
};

/// The tile of A that a CTA processes at a time. Rows are summed over in y = A^T x, columns in y = A x.
struct Tile {
  int rows;
  int cols;
};

/// The properties of a problem that its kernel needs at compile time.
struct Access {
  int alignment = 16;      ///< of A's columns and of x, whichever is less, in bytes: 16 or 4
  bool x_is_dense = true;  ///< incx is 1
  /// No earlier grid of the stream writes A, as where it is a layer's weights: `Direct` and `Both` load it before they
  /// wait for these grids.
  bool a_is_constant = false;
};

/// What loads of A name.
template <Access access, class T>
[[nodiscard]] DMA_HOST_DEVICE auto source_in_a(const T* place) {
  if constexpr (access.a_is_constant) {
    return dma::constant(place);
  } else {
    return place;
  }
}

/// The tiles of A and of x of CTA (block, part): those of its block of outputs and of its part of the summed axis.
template <Op op, Tile tile, Access access>
struct Share {
  static constexpr int summed = op == Op::n ? tile.cols : tile.rows;   ///< elements of x to a tile
  static constexpr int outputs = op == Op::n ? tile.rows : tile.cols;  ///< elements of y to a block

  using A = dma::Tile2D<float, tile.rows, tile.cols, dma::RowLayout{.alignment = access.alignment}>;
  using DenseX = dma::Tile2D<float, summed, 1, dma::RowLayout{.alignment = access.alignment}>;
  using SpreadX = dma::Tile2D<float, 1, summed>;
  using X = dma::stdlib::conditional_t<access.x_is_dense, DenseX, SpreadX>;

  const Problem& p;
  int first_output;
  int first;  ///< of the summed axis
  int last;   ///< one after it

  DMA_HOST_DEVICE Share(const dma::Cta& cta, const Problem& problem)
      : p(problem), first_output(cta.block().x * outputs), first(0), last(problem.summed()) {
    if (const unsigned parts = static_cast<unsigned>(cta.blocks().y); parts > 1) {
      const unsigned tiles = (static_cast<unsigned>(last) + summed - 1) / summed;
      const unsigned part = static_cast<unsigned>(cta.block().y);
      const unsigned end = tile_of(part + 1, tiles, parts) * summed;
      first = static_cast<int>(tile_of(part, tiles, parts) * summed);
      last = end < static_cast<unsigned>(last) ? static_cast<int>(end) : last;
    }
  }

  /// The tile of A at `at` of the summed axis, zero outside of it.
  [[nodiscard]] DMA_HOST_DEVICE A a_at(int at) const {
    return op == Op::n ? A{p.lda * 4, p.n, p.m, at, first_output} : A{p.lda * 4, p.n, p.m, first_output, at};
  }
  [[nodiscard]] DMA_HOST_DEVICE X x_at(int at) const {
    return access.x_is_dense ? X{0, 1, p.summed(), 0, at} : X{p.incx * 4LL, p.summed(), 1, at, 0};
  }

 private:
  /// Where a part begins: the first parts have one tile more where they are not equal.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned tile_of(unsigned part, unsigned tiles, unsigned parts) {
    const unsigned more = tiles % parts;
    return tiles / parts * part + (part < more ? part : more);
  }
};

}  // namespace sgemv
