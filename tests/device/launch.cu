#include <dma/dma.hpp>
#include <dma/sync/native_handle.hpp>

#include "../../examples/gpu.hpp"
#include "device/device.hpp"
#include "device/matrix.cuh"
#include "kernels/cluster.hpp"

#include <cstring>
#include <exception>
#include <vector>

#include <cuda/std/mdspan>
#include <cuda/stream_ref>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

/// Copies a vector tile by tile through `Stages` slots of 16 KB.
template <int Stages>
struct Copy {
  using Layout = Warps;
  using Tile = dma::Sequential<float, 4096>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, Stages>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  static void expects(const float* in, float*, int) {
    DMA_EXPECTS(reinterpret_cast<std::uintptr_t>(in) % 16 == 0, "in is not at a multiple of 16 bytes; align it", "in",
                in);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Copy>& cta, const float* in, float* out, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(in + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[t * Tile::count + i] = tile[i];
          }
        });
  }
};

/// Adds up its tiles' elements, a column a thread, in compute warps that have most of the registers.
struct ColumnSums {
  using Layout = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{24}>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ColumnSums>& cta, const float* in, float* out, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int first = cta.block().x * tiles;
    cta.take_roles(
        [&] {
          const auto compute = pipe.as_compute();
          float sum = 0;
          for (int t = 0; t < tiles; ++t) {
            sum += compute.wait()[compute.rank()];
          }
          out[cta.block().x * compute.size() + compute.rank()] = sum;
        },
        [&] {
          const auto dma = pipe.as_dma();
          for (int t = first; t < first + tiles; ++t) {
            dma.load(in + t * Tile::count);
          }
        });
  }
};

/// Needs more shared memory than any device gives a CTA: two pipelines of which each alone would fit.
struct TooLarge {
  using Layout = Warps;
  struct Shared {
    Copy<14>::Pipe::Storage first;
    Copy<14>::Pipe::Storage second;
  };
  DMA_HOST_DEVICE void operator()(dma::KernelCta<TooLarge>&) const {}
};

struct Nothing {
  using Layout = Warps;
  DMA_HOST_DEVICE void operator()(const dma::Cta&) const {}
};

template <class Launch>
std::string message_of(const Launch& launch) {
  try {
    launch();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

__global__ void arrive_natively(int* seen) {
  __shared__ dma::CudaBarrier::State state;
  const dma::BarrierPoint<dma::CudaBarrier::State> point{&state, 0};
  if (threadIdx.x == 0) {
    dma::CudaBarrier::open<dma::Participants{32, 32}, dma::Completion::sync>(point);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    *seen = 41;
    static_cast<void>(dma::native_handle(state).arrive());
  } else if (threadIdx.x < 32) {
    dma::CudaBarrier::wait<dma::Participants{32, 32}, dma::Lanes::converged>(point, 0, {});
    if (threadIdx.x == 0) {
      *seen += 1;
    }
  }
}

}  // namespace

std::string missing_device() { return gpu::missing(); }

std::string launch_with_too_much_shared_memory() {
  return message_of([] { dma::launch(TooLarge{}, {1}, nullptr); });
}

std::string launch_with_shared_after(int bytes) {
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = static_cast<std::size_t>(bytes);
  return message_of([&] { dma::detail::check_alignment<TooLarge>(attributes); });
}

std::string launch_with_empty_grid() {
  return message_of([] { dma::launch(Nothing{}, {0}, nullptr); });
}

Occupancies query_occupancies() {
  const dma::Occupancy apart = dma::occupancy<Copy<6>, const float*, float*, int>();
  const dma::Occupancy close = dma::occupancy<clusters::Exchange, int*>();
  static_assert(clusters::cluster == 4);
  Occupancies found{.shared_bytes = sizeof(Copy<6>::Shared),
                    .sms = 0,
                    .ctas_an_sm = apart.ctas_an_sm,
                    .ctas = apart.ctas,
                    .clusters = apart.clusters,
                    .ctas_in_clusters = close.ctas,
                    .clusters_of_4 = close.clusters};
  gpu::check(cudaDeviceGetAttribute(&found.sms, cudaDevAttrMultiProcessorCount, 0));
  return found;
}

std::string launch_with_misaligned_source() {
  float* in = nullptr;
  check(cudaMalloc(&in, 1 << 20));
  const std::string message = message_of([&] { dma::launch(Copy<2>{}, {1}, nullptr, in + 1, in, 1); });
  cudaFree(in);
  return message;
}

int stream_through_large_shared_memory() {
  constexpr int tiles = 300;
  std::vector<float> values(tiles * 4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  const std::size_t bytes = values.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemset(out, 0xff, bytes));
  dma::launch(Copy<13>{}, {40}, nullptr, in, out, tiles);
  std::vector<float> copied(values.size());
  check(cudaMemcpy(copied.data(), out, bytes, cudaMemcpyDeviceToHost));
  cudaFree(in);
  cudaFree(out);
  int wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += copied[i] == values[i] ? 0 : 1;
  }
  return wrong;
}

int sum_with_register_budgets() {
  constexpr int ctas = 200;
  constexpr int tiles = 9;
  std::vector<float> values(ctas * tiles * 256);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 4099);
  }
  float* in = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&in, values.size() * sizeof(float)));
  check(cudaMalloc(&out, ctas * 256 * sizeof(float)));
  check(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  dma::launch(ColumnSums{}, {ctas}, nullptr, in, out, tiles);
  std::vector<float> sums(ctas * 256);
  check(cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
  cudaFree(in);
  cudaFree(out);
  int wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float sum = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
      sum += values[(i / 256 * tiles + t) * 256 + i % 256];
    }
    wrong += sums[i] == sum ? 0 : 1;
  }
  return wrong;
}

int copies_on_streams_of_libcuxx() {
  constexpr int tiles = 4;
  std::vector<float> values(tiles * 4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  const std::size_t bytes = values.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemset(out, 0xff, bytes));
  cudaStream_t created = nullptr;
  check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
  check(cudaDeviceSynchronize());
  const cuda::stream_ref stream = created;
  dma::launch(Copy<2>{}, {2}, stream, in, out, tiles / 2);
  dma::launch(Copy<2>{}, {2}, cuda::stream_ref(created), in + tiles / 2 * 4096, out + tiles / 2 * 4096, tiles / 2);
  // Of that stream alone: had a launch gone to another, its copies could be missing here.
  std::vector<float> copied(values.size());
  check(cudaMemcpyAsync(copied.data(), out, bytes, cudaMemcpyDeviceToHost, created));
  check(cudaStreamSynchronize(created));
  check(cudaStreamDestroy(created));
  cudaFree(in);
  cudaFree(out);
  int wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += copied[i] == values[i] ? 0 : 1;
  }
  return wrong;
}

bool map_of_a_view_is_that_by_hand() {
  using Box = dma::Tile3D<float, dma::TileShape{.cols = 32, .rows = 8, .planes = 2}>;
  float* array = nullptr;
  check(cudaMalloc(&array, 4 * 40 * 64 * sizeof(float)));
  const cuda::std::mdspan<float, cuda::std::dextents<int, 3>> view(array, 4, 40, 64);
  const auto map = dma::tensor_map<Box>(view);
  const auto by_hand = dma::tensor_map(
      array,
      Box{.pitch_bytes = 256, .plane_pitch_bytes = 40 * 256, .array_planes = 4, .array_rows = 40, .array_cols = 64});
  cudaFree(array);
  return std::memcmp(&map, &by_hand, sizeof map) == 0;
}

bool native_handle_arrives() {
  int* seen = nullptr;
  check(cudaMalloc(&seen, sizeof(int)));
  arrive_natively<<<1, 64>>>(seen);
  int value = 0;
  check(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  cudaFree(seen);
  return value == 42;
}

int exchanges_of_a_cluster() {
  int* got = nullptr;
  cudaMalloc(&got, clusters::count * sizeof *got);
  cudaMemset(got, 0xff, clusters::count * sizeof *got);
  dma::launch(clusters::Exchange{}, {clusters::grid}, nullptr, got);
  std::vector<int> result(clusters::count);
  const bool is_done =
      cudaMemcpy(result.data(), got, result.size() * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  bool is_refused = false;
  try {
    dma::launch(clusters::Exchange{}, {clusters::grid + 1}, nullptr, got);
  } catch (const dma::LaunchError&) {
    is_refused = true;
  }
  cudaFree(got);
  return is_done && is_refused ? clusters::count_wrong(result) : -1;
}
