#pragma once

#include "kernels/right.hpp"
#include "kernels/right_slots.hpp"

/// Several pipelines: in the same bytes one after another, of one type, of three engines, with slots held for long.
namespace right {

template <class First, class Second>
struct ReopenedStorage {
  static constexpr const char* name = "two pipelines in the same bytes, one after the other";
  static constexpr int tiles = 5;
  static constexpr int ctas = 1;
  static constexpr int in_count = 2 * tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Before = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Phase, First>;
  using After = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Phase, Second>;
  union Shared {
    typename Before::Storage before;
    typename After::Storage after;
  };

  template <class Pipe>
  DMA_HOST_DEVICE static void copy(Pipe& pipe, const int* in, int* out, int factor) {
    if (computes_after_loading(pipe, in, tiles)) {
      const auto compute = pipe.as_compute();
      const int i = compute.rank();
      for (int t = 0; t < tiles; ++t) {
        const auto slot = compute.wait();
        out[t * count + i] = factor * slot[i];
      }
    }
  }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReopenedStorage>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.template shared<Shared>();
    {
      Before before(cta, shared.before);
      copy(before, in, out, 2);
      before.close();
    }
    After after(cta, shared.after);
    copy(after, in + tiles * count, out + tiles * count, 5);
  }
  static int expected(const int* in, int i) { return in[i] * (i < 320 ? 2 : 5); }
};

template <class Barrier>
struct OpenedInALoop {
  static constexpr const char* name = "a pipeline opened and closed in a loop, with more tiles each time";
  static constexpr int rounds = 4;
  static constexpr int ctas = 1;
  static constexpr int in_count = 6 * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>, Barrier, Async>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OpenedInALoop>& cta, const int* in, int* out, Word*) const {
    int first = 0;
    for (int round = 0; round < rounds; ++round) {
      Pipe pipe(cta, cta.template shared<Shared>().storage);
      if (computes_after_loading(pipe, in + first * count, round)) {
        const auto compute = pipe.as_compute();
        for (int t = 0; t < round; ++t) {
          const auto slot = compute.wait();
          out[(first + t) * count + compute.rank()] = slot[compute.rank()] + round;
        }
      }
      pipe.close();
      first += round;
    }
  }
  static int expected(const int* in, int i) { return in[i] + (i < 64 ? 1 : i < 192 ? 2 : 3); }
};

struct TwoOfOneType {
  static constexpr const char* name = "two pipelines of one type and one DMA group, one of every second tile";
  static constexpr int tiles = 8;
  static constexpr int ctas = 1;
  static constexpr int in_count = 12 * count;
  static constexpr int out_count = tiles * count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage a;
    Pipe::Storage b;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoOfOneType>& cta, const int* in, int* out, Word*) const {
    Pipe a(cta, cta.shared<Shared>().a);
    Pipe b(cta, cta.shared<Shared>().b);
    if (a.is_dma()) {
      const auto load_a = a.as_dma();
      const auto load_b = b.as_dma();
      for (int t = 0; t < tiles; ++t) {
        load_a.load(in + t * count);
        if (t % 2 == 0) {
          load_b.load(in + (tiles + t / 2) * count);
        }
      }
    } else {
      const auto as = a.as_compute();
      const auto bs = b.as_compute();
      const int i = as.rank();
      for (int t = 0; t < tiles; t += 2) {
        const auto y = bs.wait();
        for (int half = 0; half < 2; ++half) {
          const auto x = as.wait();
          out[(t + half) * count + i] = x[i] + y[(i + half) % count];
        }
      }
    }
  }
  static int expected(const int* in, int i) {
    const int t = i / 64;
    return in[i] + in[(8 + t / 2) * 64 + (i + t % 2) % 64];
  }
};

struct ThreeEngines {
  static constexpr const char* name = "registers, cp.async and bulk copies load, a bulk copy stores";
  static constexpr int tiles = 6;
  static constexpr int ctas = 2;
  static constexpr int in_count = 3 * tiles * count;
  static constexpr int out_count = tiles * count;
  using Layout = Warps<2, 1, 2, 1, 1>;
  using A = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 0}>, Named, Registers>;
  using B = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Async>;
  using C = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4, dma::DmaGroups{.first = 2}>, Phase, Bulk>;
  using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 3}>, Phase, Bulk>;
  struct Shared {
    A::Storage a;
    B::Storage b;
    C::Storage c;
    Out::Storage out;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ThreeEngines>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.shared<Shared>();
    A a(cta, shared.a);
    B b(cta, shared.b);
    C c(cta, shared.c);
    Out store(cta, shared.out);
    const int first = cta.block().x;
    const int step = cta.blocks().x;
    const auto load = [&](auto& pipe, int array) {
      const auto dma = pipe.as_dma();
      for (int t = first; t < tiles; t += step) {
        dma.load(in + (array * tiles + t) * count);
      }
    };
    cta.take_roles(
        [&] {
          const auto zs = store.as_compute();
          const int i = zs.rank();
          for (int t = first; t < tiles; t += step) {
            const auto z = zs.wait();
            const auto y = c.as_compute().wait();
            const auto x = a.as_compute().wait();
            const auto w = b.as_compute().wait();
            z[i] = x[i] + 2 * y[i] - w[63 - i];
          }
        },
        [&] { load(a, 0); }, [&] { load(b, 1); }, [&] { load(c, 2); },
        [&] {
          const auto dma = store.as_dma();
          for (int t = first; t < tiles; t += step) {
            dma.store(out + t * count);
          }
        });
  }
  static int expected(const int* in, int i) { return in[i] + 2 * in[768 + i] - in[384 + i / 64 * 64 + 63 - i % 64]; }
};

/// The first pipeline's tile is a vector that all tiles of the second are multiplied by.
struct HoldsAVector {
  static constexpr const char* name = "one slot held while all tiles of another pipeline pass";
  static constexpr int tiles = 7;
  static constexpr int ctas = 1;
  static constexpr int in_count = (tiles + 1) * count;
  static constexpr int out_count = tiles * count;
  using Layout = Warps<2, 1, 1>;
  using Vector = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  using Rows = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout, 1>>;
  struct Shared {
    Vector::Storage vector;
    Rows::Storage rows;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<HoldsAVector>& cta, const int* in, int* out, Word*) const {
    Vector vector(cta, cta.shared<Shared>().vector);
    Rows rows(cta, cta.shared<Shared>().rows);
    if (vector.is_dma()) {
      vector.as_dma().load(in);
    } else if (computes_after_loading(rows, in + count, tiles)) {
      const auto compute = rows.as_compute();
      const int i = compute.rank();
      const auto x = vector.as_compute().wait();
      for (int t = 0; t < tiles; ++t) {
        const auto row = compute.wait();
        out[t * count + i] = row[i] * x[(i + t) % count];
      }
    }
  }
  static int expected(const int* in, int i) { return in[64 + i] * in[(i % 64 + i / 64) % 64]; }
};

using Pipelines = List<ReopenedStorage<Bulk, Bulk>, ReopenedStorage<Bulk, Registers>, ReopenedStorage<Async, Bulk>,
                       OpenedInALoop<Phase>, OpenedInALoop<Named>, TwoOfOneType, ThreeEngines, HoldsAVector>;

}  // namespace right
