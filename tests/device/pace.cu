#include <dma/dma.hpp>

#include "device/device.hpp"
#include "device/matrix.cuh"

#include <algorithm>
#include <exception>

namespace {

/// Some CTAs are slow, and not all have equally many tiles. Each says how far it is before it steps, and after it looks
/// at how far the others are.
template <int Slack>
struct Paced {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  static constexpr dma::KernelTraits traits{.cooperative = true};

  __device__ void operator()(dma::KernelCta<Paced>& cta, const float* in, dma::PaceCounter* counter,
                             volatile int* reached, int* farthest) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int block = cta.block().x;
    const int tiles = 60 + block % 3;
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      dma::Pace<Slack> pace(cta, pipe, counter);
      for (int tile : dma.my_tiles({.last = tiles})) {
        if (block % 5 == 0) {
          __nanosleep(5000);
        }
        say(reached, block, tile);
        pace.step();
        __threadfence();
        for (int other = cta.lane(); other < cta.blocks().x; other += 32) {
          atomicMax(farthest, tile - reached[other]);
        }
        dma.load(in);
      }
      say(reached, block, tiles + Slack);
    } else {
      const auto compute = pipe.as_compute();
      for (int tile = 0; tile < tiles; ++tile) {
        static_cast<void>(compute.wait());
      }
    }
  }

  __device__ static void say(volatile int* reached, int block, int tile) {
    if (threadIdx.x % 32 == 0) {
      reached[block] = tile;
    }
    __syncwarp();
    __threadfence();
  }
};

/// A counter and what a grid of `ctas` notes beside it, zero.
struct PaceMemory {
  explicit PaceMemory(int ctas) {
    check(cudaMalloc(&in, 256 * sizeof(float)));
    check(cudaMalloc(&counter, sizeof *counter));
    check(cudaMalloc(&reached, static_cast<std::size_t>(ctas) * sizeof(int)));
    check(cudaMalloc(&farthest, sizeof(int)));
    check(cudaMemset(counter, 0, sizeof *counter));
    check(cudaMemset(farthest, 0, sizeof(int)));
  }
  PaceMemory(const PaceMemory&) = delete;
  PaceMemory& operator=(const PaceMemory&) = delete;
  ~PaceMemory() {
    cudaFree(in);
    cudaFree(counter);
    cudaFree(reached);
    cudaFree(farthest);
  }

  float* in = nullptr;
  dma::PaceCounter* counter = nullptr;
  int* reached = nullptr;
  int* farthest = nullptr;
};

template <int Slack>
void run(int ctas, PaceResult& result) {
  const PaceMemory memory(ctas);
  for (int launches = 0; launches < 3; ++launches) {
    check(cudaMemset(memory.reached, 0, static_cast<std::size_t>(ctas) * sizeof(int)));
    dma::launch(Paced<Slack>{}, {ctas}, nullptr, static_cast<const float*>(memory.in), memory.counter,
                static_cast<volatile int*>(memory.reached), memory.farthest);
    int farthest = 0;
    dma::PaceCounter counter{};
    check(cudaMemcpy(&farthest, memory.farthest, sizeof farthest, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&counter, memory.counter, sizeof counter, cudaMemcpyDeviceToHost));
    result.farthest_beyond_slack = std::max(result.farthest_beyond_slack, farthest - Slack);
    result.left_in_counter |= counter.word;
  }
}

}  // namespace

PaceResult run_paced() {
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  PaceResult result;
  run<1>(2 * sms, result);
  run<4>(sms, result);
  run<9>(sms, result);
  return result;
}

std::string launch_of_a_grid_that_is_not_resident() {
  constexpr int ctas = 1 << 20;
  const PaceMemory memory(ctas);
  try {
    dma::launch(Paced<1>{}, {ctas}, nullptr, static_cast<const float*>(memory.in), memory.counter,
                static_cast<volatile int*>(memory.reached), memory.farthest);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}
