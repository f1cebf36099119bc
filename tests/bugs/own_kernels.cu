// Kernels of the applications, in their smallest shapes, as entries that superfluous_test.py names: bodies as they are.

#include "bags/backward.hpp"
#include "bags/kernel.hpp"
#include "financial/kernel.hpp"
#include "rows/backward.hpp"
#include "rows/kernel.hpp"
#include "rows/layer_norm/kernel.hpp"
#include "scan/kernels.hpp"
#include "scan/operations.hpp"
#include "scan/tile.hpp"
#include "sgemv/direct.hpp"
#include "sgemv/kernel.hpp"
#include "sparse/spmv.hpp"
#include "transpose/tiles.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

namespace {

template <class Kernel, class... Args>
__device__ void run(const Args&... args) {
  dma::KernelCta<Kernel> cta;
  Kernel{}(cta, args...);
}

template <int compute, int loading>
using Warps = dma::WarpLayout<dma::Compute<compute>, dma::Dma<loading>>;

using ScannedTile = scan::TileScan<scan::Sum<int>, scan::Kind::inclusive, scan::TilePlan{.warps = 2, .vectors = 1}>;
template <class Kernel>
__device__ void scan_array(const int* x, int* y, int elements, unsigned long long* words) {
  run<Kernel>(scan::Job<int>{x, y, elements, 0, {words, words + 1, 64}});
}

// --- a pipeline that is closed --------------------------------------------------------------------------------------

/// Copies its tiles by cp.async, and then once more, through the same storage, by bulk copies.
struct Closes {
  using Layout = Warps<2, 1>;
  template <class Engine>
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 512>, dma::MultiBuffer<Layout, 2>, dma::CudaBarrier, Engine>;
  union Shared {
    typename Pipe<dma::AsyncCopy<>>::Storage first;
    typename Pipe<dma::BulkCopy<>>::Storage second;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Closes>& cta, const float* x, float* y, int tiles) const {
    auto& shared = cta.shared<Shared>();
    Pipe<dma::AsyncCopy<>> first(cta, shared.first);
    copy(first, x, y, tiles);
    first.close();
    Pipe<dma::BulkCopy<>> second(cta, shared.second);
    copy(second, x + 512 * tiles, y + 512 * tiles, tiles);
  }

 private:
  template <class Pipeline>
  DMA_HOST_DEVICE static void copy(Pipeline& pipe, const float* x, float* y, int tiles) {
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(x + 512 * t); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < 512; i += compute.size()) {
            y[512 * t + i] = tile[i];
          }
        });
  }
};

// --- products of a matrix and a vector ------------------------------------------------------------------------------

using sgemv::Op;
using X = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using XAndA = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<2>>;
struct TwoStages {
  using OfX = dma::MultiBuffer<XAndA, 2>;
  using OfA = dma::MultiBuffer<XAndA, 2, dma::DmaGroups{.first = 1}>;
};
template <Op op>
inline constexpr sgemv::Tile small_tile = op == Op::n ? sgemv::Tile{32, 64} : sgemv::Tile{128, 32};
template <class Kernel>
__device__ void multiply(const float* a, const float* x, float* y, double* partial, dma::ArrivalCounter* arrivals,
                         Op op, int m, int n) {
  run<Kernel>(sgemv::Problem{op, m, n, 2.0F, a, m, x, 1, 0.0F, y, 1}, sgemv::Workspace{partial, arrivals});
}

}  // namespace

extern "C" {

__global__ void sgemv_vec(const float* a, const float* x, float* y, double* partial, dma::ArrivalCounter* arrivals,
                          int m, int n) {
  multiply<sgemv::Vec<Op::n, small_tile<Op::n>, dma::MultiBuffer<X, 2>, sgemv::Access{}>>(a, x, y, partial, arrivals,
                                                                                          Op::n, m, n);
}
__global__ void sgemv_both(const float* a, const float* x, float* y, double* partial, dma::ArrivalCounter* arrivals,
                           int m, int n) {
  multiply<sgemv::Both<Op::n, small_tile<Op::n>, TwoStages, sgemv::Access{}>>(a, x, y, partial, arrivals, Op::n, m, n);
}
__global__ void sgemv_both_of_constant(const float* a, const float* x, float* y, double* partial,
                                       dma::ArrivalCounter* arrivals, int m, int n) {
  multiply<sgemv::Both<Op::t, small_tile<Op::t>, TwoStages, sgemv::Access{.a_is_constant = true}>>(
      a, x, y, partial, arrivals, Op::t, m, n);
}
__global__ void sgemv_direct(const float* a, const float* x, float* y, double* partial, dma::ArrivalCounter* arrivals,
                             int m, int n) {
  multiply<sgemv::Direct<Op::n, small_tile<Op::n>, 2, sgemv::Access{}>>(a, x, y, partial, arrivals, Op::n, m, n);
}

// --- rows -----------------------------------------------------------------------------------------------------------

__global__ void layer_norm(const float* x, const float* scale, const float* shift, float* y, int rows) {
  run<LayerNorm<Warps<2, 1>, 512, 2, 4, 1>>(x, scale, shift, y, rows, 1e-5F);
}
__global__ void layer_norm_of_rows(const float* x, const float* scale, const float* shift, float* y, int rows) {
  run<Rows<float, LayerNormRows<float>, RowsPlan{.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1}>>(
      LayerNormRows<float>{scale, shift, 1e-5F}, x, y, rows);
}
__global__ void softmax_of_clusters(const float* x, float* y, int rows) {
  run<Rows<float, SoftmaxRows,
           RowsPlan{.columns = 1024, .warps = 2, .warps_a_row = 2, .ctas_a_row = 2, .pieces = 2, .stages = 3}>>(
      SoftmaxRows{}, x, y, rows);
}
using BackwardOfRows =
    RowsBackward<float, LayerNormBackward<float>, RowsPlan{.columns = 256, .warps = 4, .warps_a_row = 2, .stages = 4}>;
__global__ void layer_norm_backward(const float* scale, const RowStatistics* statistics, float* scale_parts,
                                    float* shift_parts, const float* x, const float* dy, float* dx, int rows) {
  run<BackwardOfRows>(LayerNormBackward<float>{scale, statistics, scale_parts, shift_parts}, x, dy, dx, rows);
}
__global__ void gradient_sums(const float* scale_parts, float* scale_sums, const float* shift_parts, float* shift_sums,
                              int rows, int columns) {
  run<GradientSums>(GradientParts{scale_parts, scale_sums}, GradientParts{shift_parts, shift_sums}, rows, columns);
}
__global__ void sum_bags(const float* table, const int* ids, const int* offsets, int bags, float* sums) {
  run<SumBags<dma::WarpLayout<dma::Compute<2>>, 128, 8, 1>>(table, 100LL, ids, offsets, bags, sums);
}
__global__ void sum_bags_by_dma_warp(const float* table, const int* ids, const int* offsets, int bags, float* sums) {
  run<SumBags<Warps<2, 1>, 128, 8, 2>>(table, 100LL, ids, offsets, bags, sums);
}
__global__ void add_to_rows_of_bags(const float* gradient, const int* ids, const int* offsets, int bags, float* table) {
  run<AddToRowsOfBags<Warps<2, 1>, 128, 4, 2>>(gradient, ids, offsets, bags, table, 100LL);
}

__global__ void closes(const float* x, float* y, int tiles) { run<Closes>(x, y, tiles); }

__global__ void scan_tiles(const int* x, int* y, int elements, unsigned long long* words) {
  scan_array<scan::TilePerCta<ScannedTile>>(x, y, elements, words);
}
__global__ void scan_stream(const int* x, int* y, int elements, unsigned long long* words) {
  scan_array<scan::TileStream<ScannedTile, 2>>(x, y, elements, words);
}

// --- tiles ----------------------------------------------------------------------------------------------------------

__global__ void transpose_by_hand(const float* from, float* to, int rows, int cols) {
  run<transpose::TransposeByHand<float>>(from, to, rows, cols);
}
__global__ void transpose_by_pattern(const float* from, float* to, int rows, int cols) {
  run<transpose::TransposeByPattern<float>>(from, to, rows, cols);
}
__global__ void transpose_in_registers(const float* from, float* to, int rows, int cols) {
  run<transpose::TransposeInRegisters<float>>(from, to, rows, cols);
}
__global__ void best_of_sums(const float* big, const float* small, float* best, int points, int values) {
  financial::Points<float> job{};
  job.big = big;
  job.small = small;
  job.best = best;
  job.points = points;
  job.values = values;
  run<financial::BestOfSums<float, Warps<1, 1>, 128, 4, 2, 1>>(job);
}

// --- sparse matrices ------------------------------------------------------------------------------------------------

/// Rows of six nonzeros in columns that follow one another, of which a chunk has 36.
__global__ void write_matrix(int* offsets, int* columns, sparse::ChunkStart* starts, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i <= rows; i += static_cast<int>(blockDim.x)) {
    offsets[i] = 6 * i;
    for (int k = 0; k < 6 && i < rows; ++k) {
      columns[6 * i + k] = (i + k) % rows;
    }
    if (i % 36 == 0) {
      starts[i / 36] = {i, 6 * i, 2, 0};
    }
  }
}
__global__ void spmv(const int* offsets, const int* columns, const float* values, const sparse::ChunkStart* starts,
                     float* heads, const float* x, float* y, int rows, int nonzeros, int chunks) {
  run<sparse::Spmv<sparse::PlainChunks<2>, 1>>(sparse::Csr{rows, rows, nonzeros, offsets, columns, values},
                                               sparse::Chunks{starts, chunks, heads},
                                               sparse::Vectors{1.0F, x, 0.0F, y});
}
__global__ void spmv_streamed(const int* offsets, const int* columns, const float* values,
                              const sparse::ChunkStart* starts, float* heads, const float* x, float* y, int rows,
                              int nonzeros, int chunks) {
  run<sparse::Spmv<sparse::StreamedChunks<2, 2>, 1>>(sparse::Csr{rows, rows, nonzeros, offsets, columns, values},
                                                     sparse::Chunks{starts, chunks, heads},
                                                     sparse::Vectors{1.0F, x, 0.0F, y});
}
}
