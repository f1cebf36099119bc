#pragma once

#include "kernels/right.hpp"

#include <utility>

/// Slots: windows of them, moved ones, released out of order, read by pointers, exchanged between threads.
namespace right {

/// Loads `tiles` tiles of `in` in the DMA warps; true in the compute warps.
template <class Pipe>
[[nodiscard]] DMA_HOST_DEVICE bool computes_after_loading(Pipe& pipe, const int* in, int tiles) {
  if (pipe.is_dma()) {
    const auto dma = pipe.as_dma();
    for (int t : dma.my_tiles({.last = tiles})) {
      dma.load(in + t * count);
    }
  }
  return pipe.is_compute();
}

struct SlidingWindow {
  static constexpr const char* name = "a sliding window of moved slots";
  static constexpr int tiles = 9;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = (tiles - 2) * count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SlidingWindow>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      auto before = compute.wait();
      auto now = compute.wait();
      for (int t = 2; t < tiles; ++t) {
        auto after = compute.wait();
        out[(t - 2) * count + i] = before[i] + 2 * now[i] + 3 * after[i];
        before = std::move(now);
        now = std::move(after);
      }
    }
  }
  static int expected(const int* in, int i) { return in[i] + 2 * in[i + 64] + 3 * in[i + 128]; }
};

struct RingOfSlots {
  static constexpr const char* name = "an array of slots, the oldest replaced by the newest";
  static constexpr int tiles = 10;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = (tiles - 2) * count;
  using Layout = Warps<1, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 5>, Phase, Bulk>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RingOfSlots>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      dma::Slot<Pipe> held[3] = {compute.wait(), compute.wait(), compute.wait()};
      for (int t = 0;; ++t) {
        for (int i = compute.rank(); i < count; i += compute.size()) {
          out[t * count + i] = held[0][i] - held[1][count - 1 - i] + held[2][i];
        }
        if (t + 3 == tiles) {
          break;
        }
        held[t % 3] = compute.wait();
      }
    }
  }
  /// The newest tile is in place of the oldest, so that the signs go round.
  static int expected(const int* in, int i) {
    const int t = i / 64;
    const int k = i % 64;
    int sum = 0;
    for (int tile = t; tile < t + 3; ++tile) {
      sum += tile % 3 == 1 ? -in[tile * 64 + 63 - k] : in[tile * 64 + k];
    }
    return sum;
  }
};

template <class Barrier, class Engine>
struct ReleasesOutOfOrder {
  static constexpr const char* name = "three slots held, released last, first, middle";
  static constexpr int tiles = 12;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReleasesOutOfOrder>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; t += 3) {
        auto a = compute.wait();
        auto b = compute.wait();
        auto c = compute.wait();
        out[(t + 2) * count + i] = c[i];
        c.release();
        out[t * count + i] = a[i];
        a.release();
        out[(t + 1) * count + i] = b[63 - i];
      }
    }
  }
  static int expected(const int* in, int i) { return i / 64 % 3 == 1 ? in[i - i % 64 + 63 - i % 64] : in[i]; }
};

/// A slot as an argument and as a result, and a temporary that is waited for and dropped.
struct PassesSlots {
  static constexpr const char* name = "slots out of functions and into them, every third tile dropped";
  static constexpr int tiles = 9;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Named, Registers>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static dma::Slot<Pipe> next(const dma::ComputeHandle<Pipe>& compute) { return compute.wait(); }
  DMA_HOST_DEVICE static void consume(dma::Slot<Pipe> slot, int* out, int i) { out[i] = slot[i ^ 1]; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<PassesSlots>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; t += 3) {
        consume(next(compute), out + t * count, compute.rank());
        static_cast<void>(compute.wait());
        consume(compute.wait(), out + (t + 2) * count, compute.rank());
      }
    }
  }
  static int expected(const int* in, int i) { return i / 64 % 3 == 1 ? untouched : in[i ^ 1]; }
};

struct InPlaceByPointer {
  static constexpr const char* name = "a loaded tile changed in place by pointers, then read by neighbours";
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<InPlaceByPointer>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        auto slot = compute.wait();
        int* const elements = slot.data();
        elements[i] = elements[i] * 3;
        compute.sync();
        out[t * count + i] = elements[(i + 33) % count];
      }
    }
  }
  static int expected(const int* in, int i) { return 3 * in[i - i % 64 + (i + 33) % 64]; }
};

/// Two slots in turn by the explicit calls: the next tile is waited for before the last one is released.
struct DoubleBufferByHand {
  static constexpr const char* name = "two slots in turn by the explicit calls";
  static constexpr int tiles = 8;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = (tiles - 1) * count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DoubleBufferByHand>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.wait_until_empty();
        dma.copy(in + t * count);
        dma.signal_full();
      }
    } else if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      const int* last = compute.wait_until_full();
      int mine = last[i];
      compute.signal_empty();
      for (int t = 1; t < tiles; ++t) {
        const int* const now = compute.wait_until_full();
        const int next = now[i];
        compute.signal_empty();
        out[(t - 1) * count + i] = next - mine;
        mine = next;
      }
    }
  }
  static int expected(const int* in, int i) { return in[i + 64] - in[i]; }
};

/// What tensor cores may still read is released when the next tile's reads are issued.
template <class Barrier, class Engine>
struct ReleasesOneStageLate {
  static constexpr const char* name = "slots that are released one stage late, behind asynchronous reads";
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = (tiles - 1) * count;
  using Layout = Warps<4, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReleasesOneStageLate>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      const dma::AsyncReads reads;
      auto held = compute.wait();
      reads.begin(held);
      reads.commit(held);
      for (int t = 1; t < tiles; ++t) {
        auto slot = compute.wait();
        reads.begin(slot);
        reads.commit(slot);
        if (i < count) {
          out[(t - 1) * count + i] = slot[i] - held[i];
        }
        reads.template wait<1>();
        held = std::move(slot);
      }
      reads.template wait<0>();
    }
  }
  static int expected(const int* in, int i) { return in[i + 64] - in[i]; }
};

using Slots = List<SlidingWindow, RingOfSlots, ReleasesOutOfOrder<Phase, Bulk>, ReleasesOutOfOrder<Named, Async>,
                   PassesSlots, DoubleBufferByHand>;
/// For a host alone: on a GPU a kernel that closes groups of products has products.
using SlotsReadAsynchronously = List<ReleasesOneStageLate<Phase, Bulk>, ReleasesOneStageLate<Named, Async>>;
/// A proof without every access takes the whole tile for written, since `data()` has given its address away.
using SlotsByPointer = List<InPlaceByPointer>;

}  // namespace right
