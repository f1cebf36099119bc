// Tiles that CTAs take from a counter beside a loop with a fixed stride: tiles of equal cost and of random cost.

#include "copied.hpp"
#include "measure.hpp"
#include "sweeps.hpp"

#include <dma/dma.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bench {
namespace {

/// Steps of arithmetic with each element of a tile: one tile in 16 has 30 times the others' where `are_random`.
std::vector<int> steps_of_tiles(int tiles, bool are_random) {
  std::vector<int> steps(static_cast<std::size_t>(tiles));
  unsigned number = 12345;
  for (int& step : steps) {
    number = number * 1664525U + 1013904223U;
    step = !are_random ? 0 : (number >> 8) % 16 == 0 ? 3000 : 100;
  }
  return steps;
}

struct Work {
  const float* from;
  float* to;
  const int* steps;  ///< of each tile
  int tiles;
  float one, zero;  ///< which the compiler does not know
};

template <int Bytes, int Stages, int Warps, bool takes>
struct Steps {
  using Layout = dma::WarpLayout<dma::Compute<Warps>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, Bytes / 4>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, dma::CudaBarrier, dma::BulkCopy<>>;
  using Queue = dma::TileQueue<Layout>;
  struct Shared {
    typename Pipe::Storage storage;
    typename Queue::Storage queue;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Steps>& cta, const Work& work, dma::TileCounter* counter) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const auto load = [&](int tile) { pipe.as_dma().load(work.from + static_cast<long long>(tile) * Tile::count); };
    const auto use = [&](int tile) {
      const auto compute = pipe.as_compute();
      const int steps = work.steps[tile];
      const auto slot = compute.wait();
      const auto in = slot.vectors();
      const auto out = dma::vectors(work.to + static_cast<long long>(tile) * Tile::count);
      for (int i = compute.rank(); i < in.size(); i += compute.size()) {
        auto v = in[i];
        for (int step = 0; step < steps; ++step) {
          v = v * work.one + work.zero;
        }
        out[i] = v;
      }
    };
    if constexpr (takes) {
      Queue queue(cta, shared.queue, *counter, work.tiles);
      if (pipe.is_dma()) {
        for (const int tile : queue) {
          load(tile);
        }
      } else {
        for (const int tile : queue) {
          use(tile);
        }
      }
    } else {
      for (int tile : cta.tiles(work.tiles)) {
        if (pipe.is_dma()) {
          load(tile);
        } else {
          use(tile);
        }
      }
    }
  }
};

template <int Bytes, int Stages, int Warps, bool takes>
void add_kernel(bool are_random, int ctas) {
  add("tile_queue/bytes:" + std::to_string(Bytes) + "/cost:" + (are_random ? "random" : "equal") +
          "/ctas:" + std::to_string(ctas) + "/by:" + (takes ? "dma" : "loop"),
      [=] {
        const int tiles = are_random ? 4000 : static_cast<int>(window_bytes() / Bytes);
        const std::vector<int> steps = steps_of_tiles(tiles, are_random);
        int* there = nullptr;
        dma::TileCounter* counter = nullptr;
        check(cudaMalloc(&there, steps.size() * sizeof(int)));
        check(cudaMalloc(&counter, sizeof *counter));
        check(cudaMemcpy(there, steps.data(), steps.size() * sizeof(int), cudaMemcpyHostToDevice));
        check(cudaMemset(counter, 0, sizeof *counter));
        const long long elements = static_cast<long long>(tiles) * (Bytes / 4);
        Subject subject = copy_subject(
            elements,
            [=](cudaStream_t stream, const float* from, float* to) {
              dma::launch(Steps<Bytes, Stages, Warps, takes>{}, {ctas * sms()}, stream,
                          Work{from, to, there, tiles, 1.0F, 0.0F}, counter);
            },
            [=](auto from, auto to, auto stream) { return wrong_in_copy(from, to, elements, stream); });
        subject.bytes = are_random ? 0 : subject.bytes;
        return subject;
      });
}

template <int Bytes, int Stages, int Warps>
void add_tiles() {
  for (const bool are_random : {false, true}) {
    for (const int ctas : {1, 2}) {
      add_kernel<Bytes, Stages, Warps, true>(are_random, ctas);
      add_kernel<Bytes, Stages, Warps, false>(are_random, ctas);
    }
  }
}

}  // namespace

void add_tile_queue() {
  add_tiles<4096, 4, 4>();
  add_tiles<16384, 3, 8>();
}

}  // namespace bench
