#include "device/patterns.cuh"

#include <cstdint>

namespace {

/// Sums the rows of a gather that are far apart.
struct GatherFar {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using Tile = dma::Indirect<float, 128, 16, dma::IndexedRows<long long>{}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<GatherFar>& cta, const float* table, long long table_rows,
                                  const long long* indices, int tiles, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles),
        [&](const auto& dma, int t) {
          dma.load(table, Tile{indices + t * 16, table_rows, 512});
        },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[t * Tile::count + i] = tile[i];
          }
        });
  }
};

/// Element (row, col) of a table too large to make on a host.
__host__ __device__ float value_of(long long row, int col) { return static_cast<float>((row * 131 + col) % 1000003); }

__global__ void fill_table(float* table, long long rows) {
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    table[row * 128 + threadIdx.x] = value_of(row, static_cast<int>(threadIdx.x));
  }
}

}  // namespace

PatternResult run_row_patterns() {
  PatternResult result;
  run_everywhere<shapes::Words>(result);
  run_everywhere<shapes::Rows>(result);
  run_everywhere<shapes::RaggedRows>(result);
  run_everywhere<shapes::Gather>(result);
  run_everywhere<shapes::Turned>(result);
  run_both_ways<shapes::Bytes>(result);
  run_both_ways<shapes::Colours>(result);
  run_both_ways<shapes::Pages>(result);
  run_both_ways<shapes::OddRows>(result);
  run_both_ways<shapes::BlockRows>(result);
  run_both_ways<shapes::WideRows>(result);
  run_both_ways<shapes::WideGather, long long>(result);
  run_both_ways<shapes::BlockGather>(result);
  run_both_ways<shapes::RowGather>(result);
  // A warp looks up 32 runs at a time, in several turns of a long list.
  run<shapes::LongGather, round_trip::WithDmaWarps, dma::CudaBarrier, int, dma::BulkCopy<>>(result);
  run<shapes::LongGather, round_trip::WithoutDmaWarps, dma::CudaBarrier, int, dma::BulkCopy<>>(result);
  run<shapes::RowGather, round_trip::WithDmaWarps, dma::CudaBarrier, int, dma::BulkCopy<>>(result);
  return result;
}

long long gather_from_six_gibibytes() {
  constexpr long long rows = 6LL * (1LL << 30) / 512;
  constexpr int tiles = 500;
  std::vector<long long> indices(tiles * 16);
  std::uint64_t random = 88172645463325252ULL;
  for (long long& index : indices) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    index = static_cast<long long>(random % static_cast<std::uint64_t>(rows));
  }
  indices.front() = rows - 1;
  float* table = nullptr;
  check(cudaMalloc(&table, rows * 512));
  fill_table<<<2048, 128>>>(table, rows);
  check(cudaGetLastError());
  const OnDevice<long long> device_indices(indices);
  const OnDevice<float> out(indices.size() * 128, 0xff);
  dma::launch(GatherFar{}, {60}, nullptr, table, rows, device_indices.data(), tiles, out.data());
  check(cudaDeviceSynchronize());
  const std::vector<float> values = out.values();
  cudaFree(table);
  long long wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += values[i] == value_of(indices[i / 128], static_cast<int>(i % 128)) ? 0 : 1;
  }
  return wrong;
}
