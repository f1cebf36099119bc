#pragma once

#include "kernels/right.hpp"
#include "kernels/right_slots.hpp"

/// CTAs that have to do with each other, and patterns at the edge of what they move.
namespace right {

/// CTAs take tiles from a counter, so that it is open which of them has which.
struct SharedWorkCounter {
  static constexpr const char* name = "CTAs that take their tiles from a counter";
  static constexpr int tiles = 11;
  static constexpr int ctas = 3;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    int next;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SharedWorkCounter>& cta, const int* in, int* out, Word* words) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.storage);
    for (;;) {
      if (cta.thread() == 0) {
        shared.next = static_cast<int>(dma::machine::count(words, 1));
      }
      cta.sync();
      const int t = shared.next;
      cta.sync();
      if (t >= tiles) {
        break;
      }
      if (pipe.is_dma()) {
        pipe.as_dma().load(in + t * count);
      } else {
        const auto compute = pipe.as_compute();
        const auto slot = compute.wait();
        out[t * count + compute.rank()] = slot[compute.rank()] - 5;
      }
    }
  }
  static int expected(const int* in, int i) { return in[i] - 5; }
};

struct LastCtaAdds {
  static constexpr const char* name = "the last CTA adds up what all of them left";
  static constexpr int tiles = 3;
  static constexpr int ctas = 4;
  static constexpr int in_count = ctas * tiles * count;
  static constexpr int out_count = (ctas + 1) * count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<LastCtaAdds>& cta, const int* in, int* out, Word* words) const {
    auto& shared = cta.shared<Shared>();
    const int block = cta.block().x;
    {
      Pipe pipe(cta, shared.storage);
      if (computes_after_loading(pipe, in + block * tiles * count, tiles)) {
        const auto compute = pipe.as_compute();
        int sum = 0;
        for (int t = 0; t < tiles; ++t) {
          sum += compute.wait()[compute.rank()];
        }
        out[block * count + compute.rank()] = sum;
      }
    }
    auto& counter = *reinterpret_cast<dma::ArrivalCounter*>(words);
    if (dma::is_last_cta(cta, counter, cta.blocks().x, shared.arrivals) && cta.thread() < count) {
      int sum = 0;
      for (int other = 0; other < ctas; ++other) {
        sum += out[other * count + (cta.thread() + 40) % count];
      }
      out[ctas * count + cta.thread()] = sum;
    }
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    const int first = i < 256 ? i / 64 * 3 : 0;
    const int last = i < 256 ? first + 3 : 12;
    for (int t = first; t < last; ++t) {
      sum += in[t * 64 + (i < 256 ? i : i + 40) % 64];
    }
    return sum;
  }
};

struct PacedCtas {
  static constexpr const char* name = "CTAs that pace themselves, of unlike many tiles";
  static constexpr int most = 9;
  static constexpr int ctas = 4;
  static constexpr int in_count = most * count;
  static constexpr int out_count = ctas * in_count;
  static constexpr dma::KernelTraits traits{.cooperative = true};
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PacedCtas>& cta, const int* in, int* out, Word* words) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int tiles = most - 2 * cta.block().x;
    dma::Pace<2> pace(cta, pipe, reinterpret_cast<dma::PaceCounter*>(words));
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        pace.step();
        dma.load(in + t * count);
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        out[(cta.block().x * most + t) * count + compute.rank()] = compute.wait()[compute.rank()];
      }
    }
  }
  static int expected(const int* in, int i) { return i % 576 / 64 < 9 - 2 * (i / 576) ? in[i % 576] : untouched; }
};

struct StartsEarly {
  static constexpr const char* name = "a grid that may start before the last one has ended, along two axes";
  static constexpr int ctas = 3;
  static constexpr int in_count = ctas * 2 * count;
  static constexpr int out_count = in_count;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StartsEarly>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    cta.trigger_dependent_launch();
    const int first = cta.block().x * 2 * count;
    cta.grid_dependency_wait();
    if (computes_after_loading(pipe, in + first, 2)) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < 2; ++t) {
        out[first + t * count + compute.rank()] = compute.wait()[compute.rank() ^ 32];
      }
    }
  }
  static int expected(const int* in, int i) { return in[i ^ 32]; }
};

/// One thread waits for the grid before, and the others for that thread.
struct OneThreadAwaitsGrids {
  static constexpr const char* name = "one thread waits for the grid before, and the CTA synchronizes";
  static constexpr int ctas = 2;
  static constexpr int in_count = ctas * 2 * count;
  static constexpr int out_count = in_count;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, Bulk>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OneThreadAwaitsGrids>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (cta.thread() == 40) {
      cta.grid_dependency_wait();
    }
    cta.sync();
    const int first = cta.block().x * 2 * count;
    if (computes_after_loading(pipe, in + first, 2)) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < 2; ++t) {
        out[first + t * count + compute.rank()] = 5 * compute.wait()[compute.rank() ^ 16];
      }
    }
  }
  static int expected(const int* in, int i) { return 5 * in[i ^ 16]; }
};

/// All CTAs add their tiles to the same elements.
template <class Engine>
struct AddsFromAllCtas {
  static constexpr const char* name = "all CTAs add to the same elements of global memory";
  static constexpr int ctas = 5;
  static constexpr int in_count = ctas * count;
  static constexpr int out_count = 2 * count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, 2>, Phase, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddsFromAllCtas>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      dma.store(out);
      dma.store(out + count);
      dma.store(out);
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < 3; ++t) {
        compute.wait()[compute.rank()] = in[cta.block().x * count + compute.rank()] + t;
      }
    }
  }
  static int expected(const int* in, int i) {
    int sum = 0;
    for (int block = 0; block < 5; ++block) {
      sum += i < 64 ? 2 * in[block * 64 + i] + 2 : in[block * 64 + i - 64] + 1;
    }
    return untouched + sum;
  }
};

using Ctas = List<SharedWorkCounter, LastCtaAdds, PacedCtas, StartsEarly, OneThreadAwaitsGrids, AddsFromAllCtas<Bulk>,
                  AddsFromAllCtas<Registers>>;

}  // namespace right
