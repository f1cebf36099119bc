// Rows whose length is no multiple of 16 bytes, beside rows of the next multiple: both begin on 16 bytes, and their
// bytes are counted alike, so that equal rates are equal times.

#include "measure.hpp"
#include "stream.cuh"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

[[nodiscard]] constexpr int next_multiple(int row_bytes) { return (row_bytes + 15) / 16 * 16; }

/// Adds up rows of `RowBytes` bytes, `Rows` a tile, a warp a row.
template <int RowBytes, int Rows, class Warps, class Buffering, class Engine>
struct SumRows {
  using Layout = Warps;
  static constexpr int cols = RowBytes / 4;
  static constexpr int pitch_bytes = next_multiple(RowBytes);
  using Tile = dma::Strided<float, cols, Rows, dma::RowLayout{.alignment = 16}>;
  using Pipe = dma::DmaPipeline<Tile, Buffering, dma::CudaBarrier, Engine>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumRows>& cta, const Stream& job) const {
#if defined(__CUDA_ARCH__)
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    float sums[4] = {};
    pipe.for_each_tile(
        cta.tiles(job.tiles),
        [&](const auto& dma, int t) {
          dma.load(job.x + static_cast<long long>(t) * (Rows * pitch_bytes / 4), Tile{pitch_bytes});
        },
        [&](const auto& compute, int) {
          const auto tile = compute.wait(Tile{pitch_bytes});
          const int lane = compute.rank() % 32;
#pragma unroll
          for (int r = 0; r < Rows; r += Warps::compute_warps) {
            const float* const row = &tile(r + compute.rank() / 32, 0);
            for (int i = lane; i < cols / 4; i += 32) {
              const float4 word = reinterpret_cast<const float4*>(row)[i];
              sums[0] += word.x;
              sums[1] += word.y;
              sums[2] += word.z;
              sums[3] += word.w;
            }
            if (lane < cols % 4) {
              sums[0] += row[cols / 4 * 4 + lane];
            }
          }
        });
    if (cta.warp() < Warps::compute_warps) {
      write_sum(job, cta.thread(), Warps::compute_threads, sums);
    }
#endif
  }
};

__global__ void add_up_rows(long long first, long long rows, int cols, int pitch, unsigned long long* sum) {
  unsigned long long own = 0;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int col = static_cast<int>(threadIdx.x); col < cols; col += static_cast<int>(blockDim.x)) {
      own += static_cast<unsigned long long>(value_at(first + row * pitch + col));
    }
  }
  atomicAdd(sum, own);
}

template <class Body, int Rows>
[[nodiscard]] Subject sum_rows_subject(int ctas_an_sm_) {
  const int tiles = static_cast<int>(window_bytes() / (Rows * Body::pitch_bytes));
  const int ctas = ctas_an_sm_ * sms();
  const auto run = [=](cudaStream_t stream, int window) {
    dma::launch(Body{}, {ctas}, stream, Stream{input(window), output(), tiles, 1.0F, 1.0F, 1.0F});
  };
  Subject subject;
  subject.bytes = static_cast<double>(tiles) * Rows * Body::pitch_bytes;
  subject.label = std::string(Body::Pipe::Engine::traits.name) + ", " + std::to_string(Body::Pipe::stages) +
                  (Body::Pipe::stages == 1 ? " stage" : " stages");
  subject.launch = run;
  subject.wrong = [=](cudaStream_t stream) {
    constexpr int window = windows - 1;
    const auto expected = static_cast<double>(count_on_device(stream, [&](unsigned long long* sum) {
      add_up_rows<<<1024, 128, 0, stream>>>(window * window_elements(), 1LL * tiles * Rows, Body::cols,
                                            Body::pitch_bytes / 4, sum);
    }));
    return wrong_sums(1LL * ctas * Body::Layout::compute_threads, expected, stream, [&] { run(stream, window); });
  };
  return subject;
}

/// One length of rows in CTAs of one size, of which an SM is given `CtasAnSm`.
template <int RowBytes, int Rows, class Warps, int CtasAnSm>
struct RaggedRows {
  template <int OfBytes, auto Stages, class Engine>
  [[nodiscard]] static Subject subject() {
    return sum_rows_subject<SumRows<OfBytes, Rows, Warps, dma::MultiBuffer<Warps, Stages>, Engine>, Rows>(CtasAnSm);
  }
  template <int OfBytes>
  using Default = dma::DefaultEngine<dma::Strided<float, OfBytes / 4, Rows, dma::RowLayout{.alignment = 16}>,
                                     dma::CudaBarrier, dma::MultiBuffer<Warps>>;

  static std::string name(const std::string& rest) {
    return "ragged/row_bytes:" + std::to_string(RowBytes) + "/ctas:" + std::to_string(CtasAnSm) + "/" + rest;
  }

  static void add_default() {
    constexpr int next = next_multiple(RowBytes);
    add(name("by:dma"), [] { return subject<RowBytes, dma::AutomaticStages{}, Default<RowBytes>>(); });
    add(name("by:next_multiple"), [] { return subject<next, dma::AutomaticStages{}, Default<next>>(); });
    add(name("by:best"), [] {
      std::vector<Subject> variants;
      variants.push_back(subject<RowBytes, 1, Default<RowBytes>>());
      variants.push_back(subject<RowBytes, 2, Default<RowBytes>>());
      variants.push_back(subject<RowBytes, 4, Default<RowBytes>>());
      variants.push_back(subject<RowBytes, 8, Default<RowBytes>>());
      return fastest_of(std::move(variants));
    });
  }
  static void add_registers() {
    add(name("engine:registers/by:dma"), [] { return subject<RowBytes, 2, dma::RegisterCopy<>>(); });
    add(name("engine:registers/by:next_multiple"),
        [] { return subject<next_multiple(RowBytes), 2, dma::RegisterCopy<>>(); });
  }
};

template <int RowBytes, int Rows>
void add_ragged_row() {
  using Large = RaggedRows<RowBytes, 2 * Rows, dma::WarpLayout<dma::Compute<8>, dma::Dma<4>>, 1>;
  Large::add_default();
  Large::add_registers();
  RaggedRows<RowBytes, Rows, dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, 16>::add_default();
}

}  // namespace

void add_ragged() {
  add_ragged_row<252, 16>();
  add_ragged_row<732, 8>();
  add_ragged_row<744, 8>();
}

}  // namespace bench
