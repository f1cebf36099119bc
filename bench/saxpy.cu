// The paper's figure 9 with its own job: z = a x + y, 12 bytes for 2 operations, over the number of DMA warps. One CTA
// an SM. Every CTA takes tiles of x and y in turn; compute warps write z from their registers.

#include "engines.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/launch/launch.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace bench {
namespace {

struct Saxpy {
  const float* x;
  long long y_after_x;  ///< bytes from x[i] to y[i]
  float* z;
  float a;
  int tiles;
};

/// A tile is a row of x and a row of y, so that one pipeline brings both.
template <class Warps, int TileBytes, int Stages, class Barrier, class Engine>
struct DmaSaxpy {
  static constexpr int cols = TileBytes / 8;
  using Layout = Warps;
  using Tile = dma::Strided<float, cols, 2>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, Stages>, Barrier, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaSaxpy>& cta, const Saxpy& job) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const Tile shape{job.y_after_x};
    pipe.for_each_tile(
        cta.tiles(job.tiles), [&](const auto& dma, int t) { dma.load(job.x + 1LL * t * cols, shape); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          const auto xy = tile.vectors();
          const auto z = dma::vectors(job.z + 1LL * t * cols);
          for (int i = compute.rank(); i < cols / 4; i += compute.size()) {
            z[i] = job.a * xy(0, 4 * i) + xy(1, 4 * i);
          }
        });
  }
};

template <int Loads>
__global__ void saxpy_plainly(const Saxpy job, int vectors) {
  const auto* const x = reinterpret_cast<const float4*>(job.x);
  const auto* const y = reinterpret_cast<const float4*>(job.x + job.y_after_x / 4);
  auto* const z = reinterpret_cast<float4*>(job.z);
  const int step = static_cast<int>(gridDim.x * blockDim.x) * Loads;
  for (int first = static_cast<int>(blockIdx.x * blockDim.x) * Loads + static_cast<int>(threadIdx.x); first < vectors;
       first += step) {
    float4 xs[Loads];
    float4 ys[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      const int i = first + k * static_cast<int>(blockDim.x);
      xs[k] = i < vectors ? x[i] : float4{};
      ys[k] = i < vectors ? y[i] : float4{};
    }
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      const int i = first + k * static_cast<int>(blockDim.x);
      if (i < vectors) {
        z[i] = {job.a * xs[k].x + ys[k].x, job.a * xs[k].y + ys[k].y, job.a * xs[k].z + ys[k].z,
                job.a * xs[k].w + ys[k].w};
      }
    }
  }
}

/// The paper's baseline: each thread brings 4 bytes of x and of y to shared memory, all meet, all compute, all meet.
/// The dynamic shared memory is 8 bytes a thread.
__global__ void saxpy_naively(const Saxpy job, int elements) {
  extern __shared__ float staged[];  // (x or y, thread)
  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const float* const y = job.x + job.y_after_x / 4;
  for (int first = static_cast<int>(blockIdx.x) * threads; first < elements;
       first += static_cast<int>(gridDim.x) * threads) {
    const int i = first + thread;
    if (i < elements) {
      staged[thread] = job.x[i];
      staged[threads + thread] = y[i];
    }
    __syncthreads();
    if (i < elements) {
      job.z[i] = job.a * staged[thread] + staged[threads + thread];
    }
    __syncthreads();
  }
}

__global__ void count_wrong(const Saxpy job, long long elements, unsigned long long* wrong) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    if (job.z[i] != job.a * job.x[i] + job.x[i + job.y_after_x / 4]) {  // integers: exact
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// `run(stream, job)`. x and y are neighbouring windows of the input.
template <class Run>
Subject saxpy_subject(int tile_bytes, const Run& run) {
  const auto job_of = [=](int i) {
    return Saxpy{input(i % (windows - 1)), static_cast<long long>(window_bytes()), output(i), 3.0F,
                 static_cast<int>(2 * window_bytes() / tile_bytes)};
  };
  Subject subject;
  subject.bytes = 3.0 * static_cast<double>(window_bytes());
  subject.launch = [=](cudaStream_t stream, int i) { run(stream, job_of(i)); };
  subject.wrong = [=](cudaStream_t stream) {
    const Saxpy job = job_of(0);
    poison(job.z, window_elements(), stream);
    run(stream, job);
    const unsigned long long wrong = count_on_device(stream, [&](unsigned long long* count) {
      count_wrong<<<1024, 256, 0, stream>>>(job, window_elements(), count);
    });
    return wrong == 0 ? std::string() : std::to_string(wrong) + " elements are wrong";
  };
  return subject;
}

template <int ComputeWarps, int DmaWarps, int TileBytes, int Stages, int Loads>
void add_ours() {
  for_each_type(Engines{}, [&]<class Choice>() {
    using Warps = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>>;
    using Body = DmaSaxpy<Warps, TileBytes, Stages, typename Choice::Barrier, typename Choice::template Engine<Loads>>;
    add("saxpy/warps:" + std::to_string(DmaWarps) + "/compute:" + std::to_string(ComputeWarps) +
            "/kb:" + std::to_string(TileBytes / 1024) + "/stages:" + std::to_string(Stages) +
            "/engine:" + Choice::engine + "/barrier:" + Choice::barrier + "/by:dma",
        [] {
          return saxpy_subject(TileBytes,
                               [](auto stream, const Saxpy& job) { dma::launch(Body{}, {sms()}, stream, job); });
        });
  });
}

/// As in the paper: 2 KB a DMA warp in one buffer, four loads a thread, over named barriers.
template <int ComputeWarps, int DmaWarps>
void add_paper() {
  using Warps = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>>;
  constexpr int kb = 2 * DmaWarps;
  using Body = DmaSaxpy<Warps, kb * 1024, 1, RegistersNamed::Barrier, RegistersNamed::Engine<4>>;
  add("saxpy/warps:" + std::to_string(DmaWarps) + "/compute:" + std::to_string(ComputeWarps) +
          "/kb:" + std::to_string(kb) + "/stages:1/engine:registers/barrier:named/by:paper",
      [] {
        return saxpy_subject(kb * 1024,
                             [](auto stream, const Saxpy& job) { dma::launch(Body{}, {sms()}, stream, job); });
      });
}

template <int ComputeWarps>
void add_paper_row() {
  add_paper<ComputeWarps, 1>();
  add_paper<ComputeWarps, 2>();
  add_paper<ComputeWarps, 4>();
  add_paper<ComputeWarps, 8>();
}

/// Two CTAs an SM.
void add_naive(int warps) {
  add("saxpy/warps:" + std::to_string(warps) + "/engine:none/by:naive", [=] {
    const int threads = warps / 2 * 32;
    return saxpy_subject(1, [=](auto stream, const Saxpy& job) {
      launch(saxpy_naively, 2 * sms(), threads, 8 * threads, stream, job, static_cast<int>(window_elements()));
    });
  });
}

template <int Loads>
void add_plain(int warps) {
  add("saxpy/warps:" + std::to_string(warps) + "/loads:" + std::to_string(Loads) + "/engine:none/by:plain", [=] {
    const int threads = std::min(128, warps * 32);
    return saxpy_subject(1, [=](auto stream, const Saxpy& job) {
      launch(saxpy_plainly<Loads>, sms() * warps * 32 / threads, threads, 0, stream, job,
             static_cast<int>(window_elements() / 4));
    });
  });
}

}  // namespace

void add_saxpy() {
  constexpr int kb = 1024;
  for (const int warps : {2, 4, 8, 16, 24, 32, 40, 48, 64}) {
    add_plain<1>(warps);
  }
  add_plain<4>(64);
  for (const int warps : {2, 4, 8, 16, 24, 32, 40, 48}) {
    add_naive(warps);
  }
  add_paper_row<2>();
  add_paper_row<4>();
  add_paper_row<8>();
  add_paper_row<16>();
  add_ours<8, 1, 8 * kb, 7, 16>();
  add_ours<8, 2, 16 * kb, 7, 16>();
  add_ours<8, 4, 32 * kb, 4, 16>();
  add_ours<8, 8, 32 * kb, 4, 8>();
  add_ours<2, 1, 8 * kb, 7, 16>();
  add_ours<2, 2, 16 * kb, 7, 16>();
  add_ours<2, 4, 32 * kb, 4, 16>();
  add_ours<2, 8, 32 * kb, 4, 8>();
  add_ours<4, 1, 8 * kb, 7, 16>();
  add_ours<4, 2, 16 * kb, 7, 16>();
  add_ours<4, 4, 32 * kb, 4, 16>();
  add_ours<4, 8, 32 * kb, 4, 8>();
  add_ours<16, 1, 8 * kb, 7, 16>();
  add_ours<16, 2, 16 * kb, 7, 16>();
  add_ours<16, 4, 32 * kb, 4, 16>();
  add_ours<16, 8, 32 * kb, 4, 8>();
}

}  // namespace bench
