// Steps of decoding over keys and values in arrays, 32 heads over 8 of 128 elements, beside a kernel that reads as many
// bytes through the same ring of slots. Answers are compared with those of plain kernels in float.

#include "../applications/decode/launch.cuh"
#include "measure.hpp"
#include "normal.cuh"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace bench {
namespace {

using decode::BFloat16;
using Problem = decode::Problem<BFloat16>;

constexpr int heads = 32;
constexpr int kv_heads = 8;
constexpr int head_size = 128;
constexpr long long room = 1LL << 30;  ///< elements of all keys, and of all values

/// Reads tiles into slots, each CTA those behind one another.
struct ReadTiles {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 8192, 16>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 6>, dma::CudaBarrier, dma::BulkCopy<>>;
  using Shared = typename Pipe::Storage;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadTiles>& cta, const float* x, long long tiles) const {
    Pipe pipe(cta, cta.shared<Shared>());
    const long long first = tiles * cta.block().x / cta.blocks().x;
    const long long last = tiles * (cta.block().x + 1) / cta.blocks().x;
    cta.take_roles(
        [&] {
          const auto compute = pipe.as_compute();
          for (long long tile = first; tile < last; ++tile) {
            static_cast<void>(compute.wait());
          }
        },
        [&] {
          const auto dma = pipe.as_dma();
          for (long long tile = first; tile < last; ++tile) {
            dma.load(x + tile * Tile::count);
          }
        });
  }
};

/// Keys, values, and the queries and results of one launch.
struct Arrays {
  gpu::Array<BFloat16> k{room};
  gpu::Array<BFloat16> v{room};
  gpu::Array<BFloat16> q{256 * heads * head_size};
  gpu::Array<BFloat16> o{256 * heads * head_size};

  Arrays() {
    for (const auto* const array : {&k, &v, &q}) {
      fill_normal<<<1024, 256>>>(array->data(), static_cast<long long>(array->bytes() / sizeof(BFloat16)));
    }
    check(cudaDeviceSynchronize());
  }
};
const Arrays& arrays() {
  static const Arrays made;
  return made;
}

/// The step of launch `i`: launches take keys and values behind one another.
[[nodiscard]] Problem problem_of(int batches, int keys, const int* lengths, int i) {
  const long long batch = static_cast<long long>(keys) * kv_heads * head_size;
  const long long first = i % std::max(1LL, room / (batch * batches)) * batch * batches;
  const long long head = static_cast<long long>(keys) * head_size;
  Problem p;
  p.batches = batches;
  p.heads = heads;
  p.kv_heads = kv_heads;
  p.queries = 1;
  p.keys = keys;
  p.head_size = head_size;
  p.q = {arrays().q.data(), heads * head_size, head_size, head_size};
  p.k = {arrays().k.data() + first, batch, head, head_size};
  p.v = {arrays().v.data() + first, batch, head, head_size};
  p.o = {arrays().o.data(), heads * head_size, head_size, head_size};
  p.lengths = lengths;
  return p;
}

/// Squares of the differences from the answer of one head, and of the answer: a CTA a head, a thread an element.
__global__ void compare_heads(Problem p, double* squares) {
  __shared__ float products[head_size];
  const int batch = static_cast<int>(blockIdx.x) / heads;
  const int head = static_cast<int>(blockIdx.x) % heads;
  const int column = static_cast<int>(threadIdx.x);
  const auto row_of = [&](const auto& of, int of_head, int key) {
    return of.first + batch * of.batch + of_head * of.head + key * of.row;
  };
  const float query = __bfloat162float(row_of(p.q, head, 0)[column]) * attention::scale_of(p.scale, head_size);
  float sum = 0;
  float answer = 0;
  for (int key = 0; key < p.keys; ++key) {
    products[column] = query * __bfloat162float(row_of(p.k, head / (heads / kv_heads), key)[column]);
    __syncthreads();
    for (int half = head_size / 2; half > 0; half /= 2) {
      if (column < half) {
        products[column] += products[column + half];
      }
      __syncthreads();
    }
    const float power = expf(products[0]);
    __syncthreads();
    sum += power;
    answer += power * __bfloat162float(row_of(p.v, head / (heads / kv_heads), key)[column]);
  }
  const float difference = __bfloat162float(row_of(p.o, head, 0)[column]) - answer / sum;
  atomicAdd(&squares[0], static_cast<double>(difference) * difference);
  atomicAdd(&squares[1], static_cast<double>(answer / sum) * (answer / sum));
}
[[nodiscard]] std::string wrong_in(const Problem& p, cudaStream_t stream) {
  const gpu::Array<double> squares(2);
  check(cudaMemsetAsync(squares.data(), 0, squares.bytes(), stream));
  compare_heads<<<static_cast<unsigned>(p.batches * heads), head_size, 0, stream>>>(p, squares.data());
  check(cudaStreamSynchronize(stream));
  const std::vector<double> found = squares.values();
  const double error = std::sqrt(found[0] / found[1]);
  return error < 0.005 ? std::string() : "an error of " + std::to_string(100 * error) + "% of the answer";
}

template <bool starts_early>
[[nodiscard]] Subject by_dma(int batches, int keys) {
  using Kernel = decode::Decode<BFloat16, decode::form_of(head_size, 8, 64, starts_early)>;
  const std::vector<int> lengths(static_cast<std::size_t>(batches), keys);
  const auto own = std::make_shared<const gpu::Array<int>>(lengths);
  const auto plan =
      std::make_shared<const decode::DevicePlan<Kernel>>(decode::make_plan(lengths, kv_heads, Kernel::unit, sms()));
  Subject subject;
  subject.bytes = 4.0 * batches * keys * kv_heads * head_size;
  subject.launches = static_cast<int>(std::clamp(3e9 / subject.bytes, 4.0, 64.0));
  subject.launch = [=](cudaStream_t stream, int i) { (*plan)(stream, problem_of(batches, keys, own->data(), i)); };
  subject.wrong = [=](cudaStream_t stream) {
    const Problem p = problem_of(batches, keys, own->data(), 1);
    check(cudaMemsetAsync(p.o.first, 0xff, arrays().o.bytes(), stream));
    (*plan)(stream, p);
    return wrong_in(p, stream);
  };
  return subject;
}
[[nodiscard]] Subject by_reading(int batches, int keys) {
  const long long tiles = 4LL * batches * keys * kv_heads * head_size / ReadTiles::Tile::tile_bytes;
  Subject subject;
  subject.bytes = static_cast<double>(tiles) * ReadTiles::Tile::tile_bytes;
  subject.launches = static_cast<int>(std::clamp(3e9 / subject.bytes, 4.0, 64.0));
  subject.launch = [=](cudaStream_t stream, int i) {
    const long long parts = std::max(1LL, room * 2 / (tiles * ReadTiles::Tile::tile_bytes));
    const float* const from = reinterpret_cast<const float*>((i % 2 == 0 ? arrays().k : arrays().v).data());
    dma::launch(ReadTiles{}, {sms()}, stream, from + i / 2 % parts * tiles * ReadTiles::Tile::count, tiles);
  };
  subject.wrong = [](cudaStream_t) { return std::string(); };
  return subject;
}

}  // namespace

void add_decode() {
  for (const auto& [batches, keys] :
       {std::pair{1, 8192}, {1, 32768}, {1, 131072}, {8, 8192}, {32, 2048}, {128, 2048}}) {
    const std::string name = "decode/b:" + std::to_string(batches) + "/keys:" + std::to_string(keys) + "/by:";
    add(name + "dma", [=] { return by_dma<false>(batches, keys); });
    add(name + "dma_early", [=] { return by_dma<true>(batches, keys); });
    add(name + "read", [=] { return by_reading(batches, keys); });
  }
}

}  // namespace bench
