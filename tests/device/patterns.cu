#include <dma/dma.hpp>

#include "device/device.hpp"
#include "device/matrix.cuh"
#include "kernels/round_trip.hpp"
#include "kernels/shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr unsigned char poison = 0xee;

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : bytes_(values.size() * sizeof(T)) {
    check(cudaMalloc(&data_, bytes_));
    check(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice));
  }
  OnDevice(std::size_t count, int byte) : bytes_(count * sizeof(T)) {
    check(cudaMalloc(&data_, bytes_));
    check(cudaMemset(data_, byte, bytes_));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> copy(bytes_ / sizeof(T));
    check(cudaMemcpy(copy.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t bytes_;
};

/// Runs every shape of a pattern there and back and counts the bytes that are wrong on either side.
template <class Pattern, class Warps, class Barrier, class Index = int>
void run(PatternResult& result) {
  std::vector<Index> indices(Pattern::max_run_count + 8);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<Index>(i * 5 % indices.size());  // a permutation: 5 divides no size used here
  }
  const std::vector<Pattern> shapes = shapes::all<Pattern>(indices);
  const OnDevice<Index> device_indices(indices);
  std::vector<Pattern> moved = shapes;
  if constexpr (requires(Pattern p) { p.indices; }) {
    for (Pattern& shape : moved) {
      shape.indices = device_indices.data() + (shape.indices - indices.data());
    }
  }

  // Every load begins in the middle of `in`, every store in the middle of its own stretch of `out`.
  constexpr std::size_t reach = 16 * 1024;
  constexpr std::size_t stretch = 2 * reach;
  std::vector<unsigned char> in(stretch);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>((i * 7 + i / 251) % 211);
  }
  const OnDevice<Pattern> device_shapes(moved);
  const OnDevice<unsigned char> device_in(in);
  const OnDevice<unsigned char> device_out(stretch * shapes.size(), poison);
  const OnDevice<unsigned char> device_arrived(Pattern::tile_bytes * shapes.size(), poison);

  dma::launch(
      round_trip::Body<Pattern, Warps, Barrier>{}, {100}, nullptr,
      round_trip::Job<Pattern>{device_shapes.data(), static_cast<int>(shapes.size()), device_in.data() + reach,
                               device_out.data() + reach, static_cast<long long>(stretch), device_arrived.data()});
  check(cudaDeviceSynchronize());

  const std::vector<unsigned char> arrived = device_arrived.values();
  const std::vector<unsigned char> out = device_out.values();
  long long wrong = 0;
  std::vector<unsigned char> expected(stretch);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const unsigned char* const tile = arrived.data() + i * Pattern::tile_bytes;
    std::fill(expected.begin(), expected.end(), poison);
    shapes::visit(
        shapes[i],
        [&](long long global, int shared, int bytes) {
          const auto place = static_cast<std::size_t>(static_cast<long long>(reach) + global);
          for (int byte = 0; byte < bytes; ++byte) {
            wrong += tile[shared + byte] == in[place + static_cast<std::size_t>(byte)] ? 0 : 1;
            expected[place + static_cast<std::size_t>(byte)] = in[place + static_cast<std::size_t>(byte)];
          }
        },
        [&](int shared) {
          if constexpr (requires(Pattern p) { p.fill; }) {
            wrong += std::memcmp(tile + shared, &shapes[i].fill, sizeof shapes[i].fill) == 0 ? 0 : 1;
          }
        });
    wrong +=
        std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(i * stretch)) ? 0 : 1;
  }
  result.cases += 2 * static_cast<long long>(shapes.size());
  result.wrong += wrong;
  if (wrong != 0 && result.first_failure.empty()) {
    result.first_failure = dma::host::readable(dma::host::type_name<round_trip::Body<Pattern, Warps, Barrier>>());
  }
}

template <class Pattern, class Index = int>
void run_everywhere(PatternResult& result) {
  run<Pattern, round_trip::WithDmaWarps, dma::NamedBarrier, Index>(result);
  run<Pattern, round_trip::WithDmaWarps, dma::CudaBarrier, Index>(result);
  run<Pattern, round_trip::WithoutDmaWarps, dma::NamedBarrier, Index>(result);
  run<Pattern, round_trip::WithoutDmaWarps, dma::CudaBarrier, Index>(result);
}

/// Sums what a gather of far-apart rows brings.
struct GatherFar {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<2>>;
  using Tile = dma::Indirect<float, 128, 16, long long>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<GatherFar>& cta, const float* table, long long table_rows,
                                  const long long* indices, int tiles, float* out) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.block().x, tiles, cta.blocks().x,
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

PatternResult run_patterns() {
  PatternResult result;
  run_everywhere<shapes::Words>(result);
  run_everywhere<shapes::Bytes>(result);
  run_everywhere<shapes::Colours>(result);
  run_everywhere<shapes::Rows>(result);
  run_everywhere<shapes::OddRows>(result);
  run_everywhere<shapes::Gather>(result);
  run_everywhere<shapes::WideGather, long long>(result);
  run_everywhere<shapes::Box>(result);
  run_everywhere<shapes::WideBox>(result);
  run_everywhere<shapes::Ring>(result);
  run_everywhere<shapes::Turned>(result);
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
