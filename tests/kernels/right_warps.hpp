#pragma once

#include "kernels/right.hpp"
#include "kernels/right_slots.hpp"

/// Warps: many and one, some that only some tiles need, shared memory of one's own, parted lanes, early returns.
namespace right {

struct SomeWarpsCompute {
  static constexpr const char* name = "each tile is used by one of three compute warps";
  static constexpr int tiles = 10;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = tiles;
  using Layout = Warps<3, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SomeWarpsCompute>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        auto slot = compute.wait();
        if (t % 3 == cta.warp()) {
          int sum = 0;
          for (int i = 0; cta.lane() == 0 && i < count; ++i) {
            sum += slot[i];
          }
          slot.release();
          if (cta.lane() == 0) {
            out[t] = sum;
          }
        }
      }
    }
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    for (int k = 0; k < 64; ++k) {
      sum += in[64 * i + k];
    }
    return sum;
  }
};

/// A tree in shared memory of the kernel's own, in which the DMA warps take part.
struct SumsInSharedMemory {
  static constexpr const char* name = "a sum through shared memory of its own, by all warps";
  static constexpr int tiles = 5;
  static constexpr int ctas = 3;
  static constexpr int in_count = ctas * tiles * count;
  static constexpr int out_count = ctas;
  using Layout = Warps<3, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    int sums[Layout::threads];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumsInSharedMemory>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.shared<Shared>();
    int sum = 0;
    {
      Pipe pipe(cta, shared.storage);
      if (computes_after_loading(pipe, in + cta.block().x * tiles * count, tiles)) {
        const auto compute = pipe.as_compute();
        for (int t = 0; t < tiles; ++t) {
          const auto slot = compute.wait();
          for (int i = compute.rank(); i < count; i += compute.size()) {
            sum += slot[i];
          }
        }
      }
    }
    shared.sums[cta.thread()] = sum;
    for (int half = Layout::threads / 2; half > 0; half /= 2) {
      cta.sync();
      if (cta.thread() < half) {
        shared.sums[cta.thread()] += shared.sums[cta.thread() + half];
      }
    }
    if (cta.thread() == 0) {
      out[cta.block().x] = shared.sums[0];
    }
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    for (int k = 0; k < 320; ++k) {
      sum += in[320 * i + k];
    }
    return sum;
  }
};

template <int ComputeWarps, int Stages, class Barrier, class Engine>
struct Extremes {
  static constexpr const char* name = "as many warps or stages as there can be, or one";
  static constexpr int tiles = 2 * Stages + 3;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<ComputeWarps, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Extremes>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        for (int i = compute.rank(); i < count; i += compute.size()) {
          out[t * count + i] = slot[i] ^ t;
        }
      }
    }
  }
  static int expected(const int* in, int i) { return in[i] ^ (i / 64); }
};

/// The DMA warp returns before the end, and so does the compute warp that has nothing to add.
///
/// @tparam apart  whether the compute warps synchronize at two places of the program, which synccheck calls divergence
template <bool apart>
struct EarlyReturns {
  static constexpr const char* name =
      apart ? "warps that synchronize at two places" : "roles that return early, while the others go on";
  static constexpr int tiles = 6;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = tiles + count;
  using Layout = Warps<3, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
  struct Shared {
    typename Pipe::Storage storage;
    int sums[2 * dma::warp_size];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<EarlyReturns>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * count);
      }
      return;
    }
    const auto compute = pipe.as_compute();
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      const auto slot = compute.wait();
      if (cta.warp() == 2) {
        if (cta.lane() == t) {
          out[t] = slot[t];
        }
      } else {
        sum += slot[compute.rank()];
      }
    }
    if (apart && cta.warp() == 2) {
      compute.sync();
      return;
    }
    if (cta.warp() != 2) {
      shared.sums[compute.rank()] = sum;
    }
    compute.sync();
    if (cta.warp() == 2) {
      return;
    }
    out[tiles + compute.rank()] = shared.sums[63 - compute.rank()];
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    for (int t = 0; t < 6; ++t) {
      sum += in[t * 64 + 63 - (i - 6)];
    }
    return i < 6 ? in[i * 64 + i] : sum;
  }
};

struct PartedLanes {
  static constexpr const char* name = "lanes that part over a tile and meet before its release";
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PartedLanes>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        auto slot = compute.wait();
        int value = 0;
        if (cta.lane() < 5 + t) {
          for (int k = 0; k <= cta.lane(); ++k) {
            value += slot[k];
          }
        } else if (slot[i] % 2 == 0) {
          value = slot[i] / 2;
        }
        cta.sync_warp();
        slot.release();
        out[t * count + i] = cta.shuffle(value, cta.lane() + 1);
      }
    }
  }
  static int expected(const int* in, int i) {
    const int* const tile = in + i / 64 * 64;
    const int lane = (i + 1) % 32;
    const int from = i % 64 / 32 * 32 + lane;
    int sum = 0;
    for (int k = 0; k <= lane; ++k) {
      sum += tile[k];
    }
    return lane < 5 + i / 64 ? sum : tile[from] % 2 == 0 ? tile[from] / 2 : 0;
  }
};

using WarpCases = List<SomeWarpsCompute, SumsInSharedMemory, Extremes<1, 1, Phase, Bulk>, Extremes<1, 16, Phase, Async>,
                       Extremes<31, 2, Named, Registers>, EarlyReturns<false>, PartedLanes>;
using SyncsApart = List<EarlyReturns<true>>;

}  // namespace right
