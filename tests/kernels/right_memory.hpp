#pragma once

#include "kernels/right.hpp"
#include "kernels/right_slots.hpp"
#include "kernels/right_stores.hpp"

/// Global memory that a kernel both writes and reads, atomics, pipelines that store opened again.
namespace right {

template <class Loads, class Writes>
struct InPlaceStream {
  static constexpr const char* name = "an array that is loaded, changed and stored in place";
  static constexpr int tiles = 9;
  static constexpr int ctas = 2;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1, 1>;
  using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>, Phase, Loads>;
  using Out =
      dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Writes>;
  struct Shared {
    typename In::Storage in;
    typename Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<InPlaceStream>& cta, const int* in, int* out, Word*) const {
    In load(cta, cta.template shared<Shared>().in);
    Out store(cta, cta.template shared<Shared>().out);
    const int first = cta.block().x;
    const int step = cta.blocks().x;
    if (load.is_dma()) {
      const auto dma = load.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.load(out + t * count);
      }
    } else if (store.is_dma()) {
      const auto dma = store.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.store(out + t * count);
      }
    } else {
      const auto from = load.as_compute();
      const auto to = store.as_compute();
      for (int t = first; t < tiles; t += step) {
        const auto old_tile = from.wait();
        const auto new_tile = to.wait();
        new_tile[to.rank()] = old_tile[to.rank()] + in[t * count + to.rank()];
      }
    }
  }
  static int expected(const int* in, int i) { return untouched + in[i]; }
};

/// Threads exchange what they write to global memory of their CTA, with a sync between.
struct ScratchInGlobalMemory {
  static constexpr const char* name = "global memory as scratch of a CTA, then loaded by cp.async";
  static constexpr int ctas = 2;
  static constexpr int in_count = ctas * 96;
  static constexpr int out_count = ctas * 3 * 96;
  using Layout = Warps<2, 1>;
  using Part = dma::Sequential<int, 96>;
  using Pipe = dma::DmaPipeline<Part, dma::MultiBuffer<Layout, 2>, Phase, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScratchInGlobalMemory>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    int* const mine = out + cta.block().x * 3 * 96;
    const int i = cta.thread();
    mine[i] = in[cta.block().x * 96 + i];
    cta.sync();
    mine[96 + i] = 2 * mine[95 - i];
    cta.sync();
    if (pipe.is_dma()) {
      pipe.as_dma().load(mine + 96);
    } else {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      for (int k = i; k < 96; k += compute.size()) {
        mine[2 * 96 + k] = slot[k] + 1;
      }
    }
  }
  static int expected(const int* in, int i) {
    const int* const mine = in + i / 288 * 96;
    const int part = i % 288 / 96;
    return part == 0 ? mine[i % 96] : 2 * mine[95 - i % 96] + (part == 2 ? 1 : 0);
  }
};

/// All CTAs count into the same words; the last reads them.
struct CountsOfAllCtas {
  static constexpr const char* name = "a histogram by atomics of all CTAs, read by the last";
  static constexpr int bins = 8;
  static constexpr int ctas = 4;
  static constexpr int in_count = ctas * 64;
  static constexpr int out_count = bins;
  using Layout = Warps<2>;
  struct Shared {
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountsOfAllCtas>& cta, const int* in, int* out, Word* words) const {
    const int value = in[cta.block().x * 64 + cta.thread()];
    static_cast<void>(dma::machine::count(words + (value & (bins - 1)), 1));
    auto& counter = *reinterpret_cast<dma::ArrivalCounter*>(words + bins);
    if (dma::is_last_cta(cta, counter, ctas, cta.shared<Shared>().arrivals) && cta.thread() < bins) {
      out[cta.thread()] = static_cast<int>(dma::machine::read_count(words + cta.thread()));
    }
  }
  static int expected(const int* in, int i) {
    int found = 0;
    for (int k = 0; k < 256; ++k) {
      found += (in[k] & 7) == i ? 1 : 0;
    }
    return found;
  }
};

struct ReleasesInUnlikeOrders {
  static constexpr const char* name = "two slots that one warp releases in order and the other out of order";
  static constexpr int tiles = 8;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Phase, Bulk>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReleasesInUnlikeOrders>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; t += 2) {
        auto a = compute.wait();
        auto b = compute.wait();
        out[t * count + i] = a[i];
        if (cta.warp() == 0) {
          a.release();
        }
        out[(t + 1) * count + i] = b[63 - i];
        b.release();
      }
    }
  }
  static int expected(const int* in, int i) { return i / 64 % 2 == 0 ? in[i] : in[i - i % 64 + 63 - i % 64]; }
};

/// Stored by bulk copies, and after close() loaded again through registers, in the same bytes of shared memory.
struct LoadsWhatItStored {
  static constexpr const char* name = "tiles that are loaded again after the pipeline that stored them was closed";
  static constexpr int tiles = 4;
  static constexpr int rounds = 2;
  static constexpr int ctas = 1;
  static constexpr int in_count = rounds * tiles * count;
  static constexpr int out_count = 2 * in_count;
  using Layout = Warps<2, 1, 1>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>, Phase, Bulk>;
  using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Registers>;
  union Shared {
    Out::Storage out;
    In::Storage in;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LoadsWhatItStored>& cta, const int* in, int* out, Word*) const {
    for (int round = 0; round < rounds; ++round) {
      int* const stored = out + round * tiles * count;
      Out store(cta, cta.shared<Shared>().out);
      if (computes_after_storing(store, stored, tiles)) {
        const auto compute = store.as_compute();
        for (int t = 0; t < tiles; ++t) {
          compute.wait()[compute.rank()] = -in[(round * tiles + t) * count + compute.rank()];
        }
      }
      store.close();
      In load(cta, cta.shared<Shared>().in);
      if (computes_after_loading(load, stored, tiles)) {
        const auto compute = load.as_compute();
        for (int t = 0; t < tiles; ++t) {
          stored[in_count + t * count + compute.rank()] = compute.wait()[63 - compute.rank()];
        }
      }
      load.close();
    }
  }
  static int expected(const int* in, int i) { return i < 512 ? -in[i] : -in[(i - 512) / 64 * 64 + 63 - i % 64]; }
};

using MemoryCases = List<InPlaceStream<Bulk, Bulk>, InPlaceStream<Registers, Registers>, ScratchInGlobalMemory,
                         CountsOfAllCtas, ReleasesInUnlikeOrders, LoadsWhatItStored>;

}  // namespace right
