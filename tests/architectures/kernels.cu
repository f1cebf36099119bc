// A kernel of each engine, one of register budgets and one of many CTAs an SM: which instructions and which bounds each
// architecture gives them. Those of bulk copies and boxes are there from sm_90 on.

#include <dma/dma.hpp>
#include <dma/kernel/pending_ctas.hpp>
#include <dma/kernel/phase_barrier.hpp>
#include <dma/matrix/tensor_memory.hpp>

#include <cuda_bf16.h>

#if defined(__CUDA_ARCH__)
#define IS_AT_LEAST(architecture) (__CUDA_ARCH__ >= (architecture))
#else
#define IS_AT_LEAST(architecture) false
#endif

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 4096>;
using Stages = dma::MultiBuffer<Warps, 2>;

template <class Pipe>
__device__ __forceinline__ void copy_tiles(const float* x, float* y, int tiles) {
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.load(x + 4096LL * t); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < 4096; i += compute.size()) {
          y[4096LL * t + i] = tile[i];
        }
      });
}

__global__ __launch_bounds__(Warps::threads) void by_default(const float* x, float* y, int tiles) {
  copy_tiles<dma::DmaPipeline<Tile, Stages>>(x, y, tiles);
}
__global__ __launch_bounds__(Warps::threads) void by_registers(const float* x, float* y, int tiles) {
  copy_tiles<dma::DmaPipeline<Tile, Stages, dma::NamedBarrier, dma::RegisterCopy<>>>(x, y, tiles);
}
__global__ __launch_bounds__(Warps::threads) void by_async_copies(const float* x, float* y, int tiles) {
  copy_tiles<dma::DmaPipeline<Tile, Stages, dma::CudaBarrier, dma::AsyncCopy<>>>(x, y, tiles);
}

// Accesses of 32 bytes, where the architecture has them, in both directions.
inline constexpr dma::RegisterCopyTuning wide{.loads_in_flight = 8, .widest_access = 32};
using WideTile = dma::Sequential<float, 4096, 32>;
__global__ __launch_bounds__(Warps::threads) void by_wide_loads(const float* x, float* y, int tiles) {
  copy_tiles<dma::DmaPipeline<WideTile, Stages, dma::NamedBarrier, dma::RegisterCopy<wide>>>(x, y, tiles);
}
__global__ __launch_bounds__(Warps::threads) void by_wide_stores(float* y, int tiles) {
  using Pipe = dma::DmaPipeline<dma::Store<WideTile>, Stages, dma::CudaBarrier, dma::RegisterCopy<wide>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.store(y + 4096LL * t); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < 4096; i += compute.size()) {
          tile[i] = static_cast<float>(t * 4096 + i);
        }
      });
}

// Boxes of a list, of which a partial tile has some without rows: these are filled by zeros.
using Pages = dma::Paged<float, dma::PagedShape{.cols = 32, .rows = 32, .box_rows = 8}>;
__global__ __launch_bounds__(Warps::threads) void by_pages(const __grid_constant__ dma::TensorMap<Pages> map,
                                                           const int* list, float* sums, int rows) {
#if IS_AT_LEAST(900)
  using Pipe = dma::DmaPipeline<Pages, Stages, dma::CudaBarrier, dma::TensorCopy<>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  const auto tile_at = [&](int row) {
    return Pages{.array = {.pages = 16, .rows = 8, .page_pitch_bytes = 1024, .row_pitch_bytes = 128},
                 .pages = list,
                 .rows = rows,
                 .row = row};
  };
  pipe.for_each_tile(
      {.last = rows, .step = 32}, [&](const auto& dma, int row) { dma.load(map, tile_at(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(tile_at(row));
        if (compute.rank() < 32) {
          sums[row + compute.rank()] = tile[Pages::place_of(compute.rank() * 32)];
        }
      });
#endif
}

using Box = dma::Tile2D<float, 32, 32>;
__global__ __launch_bounds__(Warps::threads) void by_boxes(const __grid_constant__ dma::TensorMap<Box> map, float* sums,
                                                           int rows) {
#if IS_AT_LEAST(900)
  using Pipe = dma::DmaPipeline<Box, Stages, dma::CudaBarrier, dma::TensorCopy<>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  const auto box = [&](int row) { return Box{.array_rows = rows, .row = row}; };
  pipe.for_each_tile(
      {.last = rows, .step = 32}, [&](const auto& dma, int row) { dma.load(map, box(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(box(row));
        if (compute.rank() < 32) {
          sums[row + compute.rank()] = tile(compute.rank(), 0);
        }
      });
#endif
}

// Rows that a list names, four by one instruction, where the architecture has it, in both directions. Those that are
// loaded are of a table that counts its elements, and zero where there is no row; else the kernel traps.
#if defined(SHORT_ROWS)
using Rows = dma::Indirect<float, 8, 32>;
#else
using Rows = dma::Indirect<float, 32, 32>;
#endif
__global__ __launch_bounds__(Warps::threads) void by_loaded_rows(const __grid_constant__ dma::TensorMap<Rows> map,
                                                                 const int* list, float* sums, int rows) {
#if IS_AT_LEAST(900)
  using Pipe = dma::DmaPipeline<Rows, Stages, dma::CudaBarrier, dma::TensorCopy<>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  const auto tile_at = [&](int row) {
    return Rows{.indices = list + row, .table_rows = 96, .rows = Rows::rows_up_to(rows - row)};
  };
  pipe.for_each_tile(
      {.last = rows, .step = 32}, [&](const auto& dma, int row) { dma.load(map, tile_at(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(tile_at(row));
        if (compute.rank() < 32 && row + compute.rank() < rows) {
          const int named = list[row + compute.rank()];
          const float value = tile[Rows::index(compute.rank(), 7)];
          if (value != (named < 96 ? static_cast<float>(named * 32 + 7) : 0)) {
            __trap();
          }
          sums[row + compute.rank()] = value;
        }
      });
#endif
}
// Rows of pages of one row, likewise: of the second head of two, of a cache that counts its elements.
using Singles = dma::Paged<float, dma::PagedShape{.cols = 32, .rows = 32, .box_rows = 1}>;
__global__ __launch_bounds__(Warps::threads) void by_single_pages(const __grid_constant__ dma::TensorMap<Singles> map,
                                                                  const int* list, float* sums, int rows) {
#if IS_AT_LEAST(900)
  using Pipe = dma::DmaPipeline<Singles, Stages, dma::CudaBarrier, dma::TensorCopy<>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  const auto tile_at = [&](int row) {
    return Singles{
        .array = {.pages = 48, .rows = 1, .page_pitch_bytes = 256, .head_pitch_bytes = 128, .row_pitch_bytes = 256},
        .pages = list,
        .rows = rows,
        .row = row,
        .head = 1};
  };
  pipe.for_each_tile(
      {.last = rows, .step = 32}, [&](const auto& dma, int row) { dma.load(map, tile_at(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(tile_at(row));
        if (compute.rank() < 32) {
          const int r = row + compute.rank();
          const float value = tile[Singles::index(0, compute.rank(), 7)];
          if (value != (r < rows ? static_cast<float>((2 * list[r] + 1) * 32 + 7) : 0)) {
            __trap();
          }
          sums[r] = value;
        }
      });
#endif
}
__global__ __launch_bounds__(Warps::threads) void by_stored_rows(const __grid_constant__ dma::TensorMap<Rows> map,
                                                                 const int* list, int rows) {
#if IS_AT_LEAST(900)
  using Pipe = dma::DmaPipeline<dma::Store<Rows>, Stages, dma::CudaBarrier, dma::TensorCopy<>>;
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  const auto tile_at = [&](int row) {
    return Rows{.indices = list + row, .table_rows = 96, .rows = Rows::rows_up_to(rows - row)};
  };
  pipe.for_each_tile(
      {.last = rows, .step = 32}, [&](const auto& dma, int row) { dma.store(map, tile_at(row)); },
      [&](const auto& compute, int row) {
        const auto tile = compute.wait(tile_at(row));
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          tile[i] = static_cast<float>(row * 32 + i);
        }
      });
#endif
}

// Tiles of CTAs that have not begun, and of clusters.
template <int Ctas>
__device__ __forceinline__ void copy_pending(const float* x, float* y) {
  using Part = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Part, Stages>;
  using Queue = dma::TileQueue<Warps, 4, 1, dma::PendingCtas<Ctas>>;
  __shared__ typename Pipe::Storage storage;
  __shared__ typename Queue::Storage queue_storage;
  Pipe pipe(dma::this_cta(), storage);
  Queue queue(dma::this_cta(), queue_storage);
  if (pipe.is_dma()) {
    for (const int t : queue) {
      pipe.as_dma().load(x + 256LL * t);
    }
  } else {
    for (const int t : queue) {
      const auto compute = pipe.as_compute();
      const auto tile = compute.wait();
      for (int i = compute.rank(); i < 256; i += compute.size()) {
        y[256LL * t + i] = tile[i];
      }
    }
  }
}
__global__ __launch_bounds__(Warps::threads) void by_pending(const float* x, float* y) { copy_pending<1>(x, y); }
#if !defined(__CUDA_ARCH__) || IS_AT_LEAST(900)
__global__ __launch_bounds__(Warps::threads) __cluster_dims__(2) void by_clusters(const float* x, float* y) {
  copy_pending<2>(x, y);
}
#endif

// Products into tensor memory, of what is in two tiles: the first warp starts them, and all use the sums.
__global__ __launch_bounds__(128) void by_tensor_memory(float* sums) {
#if IS_AT_LEAST(1000) && !IS_AT_LEAST(1200)
  using Operand = dma::Tile2D<__nv_bfloat16, 64, 128, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  struct Tiles {
    alignas(1024) unsigned char bytes[2][Operand::tile_bytes];
  };
  __shared__ Tiles tiles;
  __shared__ dma::TensorMemory<128>::Storage storage;
  __shared__ dma::PhaseBarrier<>::State state;
  const dma::TensorMemory<128> memory(dma::this_cta(), storage);
  dma::PhaseBarrier<> full(dma::this_cta(), state, 1);
  const auto product = memory.sums();
  if (threadIdx.x / 32 == 0) {
    dma::multiply_add(product, dma::matrix_descriptor<dma::Major::k, Operand>(tiles.bytes[0]),
                      dma::matrix_descriptor<dma::Major::k, Operand>(tiles.bytes[1]), false);
    full.arrive_when_multiplied();
  }
  full.wait();
  product.for_each([&](int row, int column, float sum) { sums[128 * row + column] = sum; });
#endif
}

using Budgets = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{24}>>;
__global__ __launch_bounds__(Budgets::threads, 1) void with_budgets(float* y) {
  dma::take_roles<Budgets>([&] { y[threadIdx.x] = 1; }, [] {});
}

// An SM of 100 KB does not hold two CTAs of three slots of 20 KB.
constexpr int architecture = dma::GpuClass{}.architecture;
constexpr bool has_100_kilobytes = architecture == 860 || architecture == 890 || architecture == 1200;
static_assert(dma::DmaPipeline<dma::Sequential<float, 5 * 1024>, dma::MultiBuffer<Warps>>::stages ==
              (has_100_kilobytes ? 2 : 3));

/// 32 CTAs of 64 threads: an SM of some architectures holds 16 or 24.
struct ManyCtas {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.min_ctas = 32};
  struct Shared {};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ManyCtas>&, float* y) const { *y = 1; }
};
void launch_many_ctas(float* y) { dma::launch(ManyCtas{}, {.x = 1}, cudaStream_t{}, y); }
