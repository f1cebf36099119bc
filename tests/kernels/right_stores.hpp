#pragma once

#include "kernels/right.hpp"

/// Kernels that store: slots filled by members, by 16 bytes, read before they leave; and layouts without DMA warps.
namespace right {

/// Stores `tiles` tiles to `out` in the DMA warps; true in the compute warps.
template <class Pipe>
[[nodiscard]] DMA_HOST_DEVICE bool computes_after_storing(Pipe& pipe, typename Pipe::Element* out, int tiles) {
  if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    for (int t : dma.my_tiles({.last = tiles})) {
      dma.store(out + t * Pipe::Pattern::count);
    }
  }
  return pipe.is_compute();
}

struct Pair {
  int first;
  int second;
};

/// Thread i writes one member of an element, and its neighbour in the other warp the other.
template <class Engine>
struct MembersByTwoThreads {
  static constexpr const char* name = "two threads write different members of one element";
  static constexpr int tiles = 5;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe =
      dma::DmaPipeline<dma::Store<dma::Sequential<Pair, count / 2>>, dma::MultiBuffer<Layout, 2>, Phase, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<MembersByTwoThreads>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (computes_after_storing(pipe, reinterpret_cast<Pair*>(out), tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        if (i < 32) {
          slot[i].first = in[t * count + 2 * i];
        } else {
          slot[i - 32].second = 7 * in[t * count + 2 * (i - 32) + 1];
        }
      }
    }
  }
  static int expected(const int* in, int i) { return in[i] * (i % 2 == 0 ? 1 : 7); }
};

struct alignas(16) Quad {
  int x, y, z, w;
};

struct QuadsByPointer {
  static constexpr const char* name = "16 bytes at a time through data(), in both directions";
  static constexpr int tiles = 5;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * 256;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1, 1>;
  using Wide = dma::Sequential<int, 256>;
  using In = dma::DmaPipeline<Wide, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>>;
  using Out = dma::DmaPipeline<dma::Store<Wide>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>>;
  struct Shared {
    In::Storage in;
    Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<QuadsByPointer>& cta, const int* in, int* out, Word*) const {
    In load(cta, cta.shared<Shared>().in);
    Out store(cta, cta.shared<Shared>().out);
    if (load.is_dma()) {
      const auto dma = load.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * Wide::count);
      }
    } else if (computes_after_storing(store, out, tiles)) {
      const int i = store.as_compute().rank();
      for (int t = 0; t < tiles; ++t) {
        const auto from = load.as_compute().wait();
        const auto to = store.as_compute().wait();
        const Quad quad = reinterpret_cast<const Quad*>(from.data())[i];
        reinterpret_cast<Quad*>(to.data())[63 - i] = {quad.w, quad.z, quad.y, quad.x};
      }
    }
  }
  static int expected(const int* in, int i) { return in[i / 256 * 256 + 255 - i % 256]; }
};

template <class Barrier, class Engine>
struct ReadsItsStoreSlot {
  static constexpr const char* name = "a store slot filled, synchronized, read by others, then released";
  static constexpr int tiles = 6;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = 2 * in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadsItsStoreSlot>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (computes_after_storing(pipe, out, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        slot[i] = in[t * count + i] * 2;
        compute.sync();
        out[in_count + t * count + i] = slot[(i + 32) % count] + slot[63 - i];
      }
    }
  }
  static int expected(const int* in, int i) {
    const int tile = i % 384 - i % 64;
    return i < 384 ? 2 * in[i] : 2 * (in[tile + (i + 32) % 64] + in[tile + 63 - i % 64]);
  }
};

/// The prefix sums of a tile are made in its slot, in rounds.
struct ScansInItsSlot {
  static constexpr const char* name = "prefix sums in a store slot, with a sync after each read and each write";
  static constexpr int tiles = 3;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScansInItsSlot>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_storing(pipe, out, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        slot[i] = in[t * count + i];
        for (int distance = 1; distance < count; distance *= 2) {
          compute.sync();
          const int left = i >= distance ? slot[i - distance] : 0;
          compute.sync();
          slot[i] += left;
        }
      }
    }
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    for (int k = i / 64 * 64; k <= i; ++k) {
      sum += in[k];
    }
    return sum;
  }
};

template <int Stages, class Engine>
struct OneBodyStores {
  static constexpr const char* name = "a layout without DMA warps that stores, in one body";
  static constexpr int tiles = 7;
  static constexpr int ctas = 2;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, Stages>, Phase, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OneBodyStores>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.store(out + t * count); },
        [&](const auto& compute, int t) {
          const auto slot = compute.wait();
          slot[63 - compute.rank()] = in[t * count + compute.rank()];
        });
  }
  static int expected(const int* in, int i) { return in[i - i % 64 + 63 - i % 64]; }
};

/// Each warp loads two tiles ahead of the one that it uses.
struct LoadsAheadByHand {
  static constexpr const char* name = "a layout without DMA warps that loads two tiles ahead by hand";
  static constexpr int tiles = 9;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LoadsAheadByHand>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    dma.load(in);
    dma.load(in + count);
    for (int t = 0; t < tiles; ++t) {
      if (t + 2 < tiles) {
        dma.load(in + (t + 2) * count);
      }
      const auto slot = compute.wait();
      out[t * count + compute.rank()] = -slot[63 - compute.rank()];
    }
  }
  static int expected(const int* in, int i) { return -in[i - i % 64 + 63 - i % 64]; }
};

using Stores =
    List<QuadsByPointer, ScansInItsSlot, OneBodyStores<1, Registers>, OneBodyStores<3, Bulk>, LoadsAheadByHand>;
/// A proof without every access takes an element of a store slot for written, whole, by each thread that names it.
using SharedElements = List<MembersByTwoThreads<Bulk>, MembersByTwoThreads<Registers>, ReadsItsStoreSlot<Phase, Bulk>,
                            ReadsItsStoreSlot<Named, Registers>>;

}  // namespace right
