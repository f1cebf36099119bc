#pragma once

/// y = alpha A x for a column-major A, as the paper has it (SC'11, sections 3.1 and 6.1): a CTA takes `block_rows` rows
/// of A and streams along them, x through one pipeline and, in the both-* variants, A through another.

#include <dma/dma.hpp>

namespace sgemv {

struct Problem {
  int m;  ///< rows of A
  int n;  ///< columns of A
  float alpha;
  const float* a;  ///< column-major: element (i, j) at a[i + j * lda]
  long long lda;   ///< >= m
  const float* x;  ///< n elements
  float* y;        ///< m elements
};

inline constexpr int block_rows = 32;  ///< rows a CTA computes: a lane each
inline constexpr int tile_cols = 256;  ///< columns it takes at a time

/// Tiles whose source is a multiple of `Alignment` bytes wherever they start: 16 where A, lda, m and x allow it,
/// else 4.
template <int Alignment>
using TileOfX = dma::Sequential<float, tile_cols, Alignment>;
template <int Alignment>
using TileOfA = dma::Strided<float, block_rows, tile_cols, dma::RowLayout{.alignment = Alignment}>;

DMA_HOST_DEVICE constexpr int smaller(long long a, long long b) { return static_cast<int>(a < b ? a : b); }

/// Sums over the compute warps, each of which took some of the columns, and writes y. Collective over the CTA.
template <int Warps>
DMA_HOST_DEVICE void write_y(const dma::Cta& cta, const Problem& p, int first_row,
                             const float (&partial)[Warps][block_rows]) {
  cta.sync();
  const int row = first_row + cta.thread();
  if (cta.thread() < block_rows && row < p.m) {
    float sum = 0;
    for (int warp = 0; warp < Warps; ++warp) {
      sum += partial[warp][cta.thread()];
    }
    p.y[row] = p.alpha * sum;
  }
}

/// vec-*: x is staged through shared memory, A goes from global memory to registers.
template <class Buffering, int Alignment>
struct Vec {
  using Layout = typename Buffering::Layout;
  using Tile = TileOfX<Alignment>;
  using Pipe = dma::DmaPipeline<Tile, Buffering, dma::NamedBarrier>;

  struct Shared {
    typename Pipe::Storage x;
    float partial[Layout::compute_warps][block_rows];
  };

  static void expects(const Problem& p) { dma::expect_source<Tile>("x", p.x); }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Vec>& cta, const Problem& p) const {
    auto& shared = cta.template shared<Shared>();
    const int first_row = cta.block().x * block_rows;
    Pipe pipe(cta, shared.x);

    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int col : dma.share(0, p.n, tile_cols)) {
        dma.load(p.x + col, Tile{smaller(tile_cols, p.n - col)});
      }
    } else {
      constexpr int batch = 16;  // loads of A in flight a thread
      constexpr int stride = Layout::compute_warps * batch;
      const auto compute = pipe.as_compute();
      const int row = first_row + cta.lane();
      const bool has_row = row < p.m;
      float sum = 0;
      for (int col = 0; col < p.n; col += tile_cols) {
        const Tile shape{smaller(tile_cols, p.n - col)};
        const float* const a = p.a + row + col * p.lda;
        const auto x = compute.wait(shape);
        for (int first = cta.warp() * batch; has_row && first < x.size(); first += stride) {
          float held[batch];
          for (int k = 0; k < batch; ++k) {
            held[k] = first + k < x.size() ? a[(first + k) * p.lda] : 0.0F;
          }
          for (int k = 0; k < batch; ++k) {
            sum += first + k < x.size() ? held[k] * x[first + k] : 0.0F;
          }
        }
      }
      shared.partial[cta.warp()][cta.lane()] = sum;
    }
    write_y(cta, p, first_row, shared.partial);
  }
};

/// both-*: x and A are staged, each by DMA warps of its own.
template <class BufferingOfX, class BufferingOfA, int Alignment>
struct Both {
  using Layout = typename BufferingOfX::Layout;
  using X = TileOfX<Alignment>;
  using A = TileOfA<Alignment>;
  using PipeOfX = dma::DmaPipeline<X, BufferingOfX, dma::NamedBarrier>;
  using PipeOfA = dma::DmaPipeline<A, BufferingOfA, dma::NamedBarrier>;

  struct Shared {
    typename PipeOfX::Storage x;
    typename PipeOfA::Storage a;
    float partial[Layout::compute_warps][block_rows];
  };

  static void expects(const Problem& p) {
    dma::expect_source<X>("x", p.x);
    dma::expect_source<A>("A", p.a, A{p.lda * 4, smaller(tile_cols, p.n), smaller(block_rows, p.m % block_rows)});
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Both>& cta, const Problem& p) const {
    auto& shared = cta.template shared<Shared>();
    const int first_row = cta.block().x * block_rows;
    const int rows = smaller(block_rows, p.m - first_row);
    PipeOfX pipe_of_x(cta, shared.x);
    PipeOfA pipe_of_a(cta, shared.a);

    const auto shape_of_x = [&](int col) { return X{smaller(tile_cols, p.n - col)}; };
    const auto shape_of_a = [&](int col) { return A{p.lda * 4, smaller(tile_cols, p.n - col), rows}; };

    if (pipe_of_x.is_dma()) {
      const auto dma = pipe_of_x.as_dma();
      for (int col : dma.share(0, p.n, tile_cols)) {
        dma.load(p.x + col, shape_of_x(col));
      }
    } else if (pipe_of_a.is_dma()) {
      const auto dma = pipe_of_a.as_dma();
      for (int col : dma.share(0, p.n, tile_cols)) {
        dma.load(p.a + first_row + col * p.lda, shape_of_a(col));
      }
    } else {
      const auto compute_x = pipe_of_x.as_compute();
      const auto compute_a = pipe_of_a.as_compute();
      float sum = 0;
      for (int col = 0; col < p.n; col += tile_cols) {
        const auto x = compute_x.wait(shape_of_x(col));
        const auto a = compute_a.wait(shape_of_a(col));
        if (cta.lane() < rows) {
          for (int k = cta.warp(); k < x.size(); k += Layout::compute_warps) {
            sum += a(k, cta.lane()) * x[k];
          }
        }
      }
      shared.partial[cta.warp()][cta.lane()] = sum;
    }
    write_y(cta, p, first_row, shared.partial);
  }
};

}  // namespace sgemv
