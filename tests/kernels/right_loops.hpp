#pragma once

#include <dma/cudadma/started_load.hpp>

#include "kernels/right.hpp"

/// Loops over tiles: nested, several, of no tiles, of tiles that change their size, with trips out of global memory.
namespace right {

/// Every compute thread copies its elements of one tile, and adds `plus`.
template <class Compute, class Pattern = Tile>
DMA_HOST_DEVICE void copy_tile(const Compute& compute, int* out, const Pattern& tile = {}, int plus = 0) {
  auto slot = compute.wait(tile);
  for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
    out[i] = slot[i] + plus;
  }
}

struct NestedLoops {
  static constexpr const char* name = "nested loops, a row of tiles each";
  static constexpr int rows = 4;
  static constexpr int cols = 3;
  static constexpr int ctas = 1;
  static constexpr int in_count = rows * cols * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<NestedLoops>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int row = 0; row < rows; ++row) {
        for (int col = cols - 1; col >= 0; --col) {
          dma.load(in + (row * cols + col) * count);
        }
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
          copy_tile(compute, out + (row * cols + col) * count);
        }
      }
    }
  }
  static int expected(const int* in, int i) {
    const int tile = i / 64;
    return in[(tile - tile % 3 + 2 - tile % 3) * 64 + i % 64];
  }
};

template <class Barrier, class Engine>
struct SeveralLoops {
  static constexpr const char* name = "several loops, unequal on the two sides";
  static constexpr int ctas = 1;
  static constexpr int in_count = 11 * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<3, 2, 2>;
  using Pipe = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SeveralLoops>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      dma.load(in);
      for (int t : dma.my_tiles({.first = 1, .last = 6})) {
        dma.load(in + t * count);
      }
      for (int t : dma.my_tiles({.first = 6, .last = 6})) {
        dma.load(in + t * count);
      }
      dma.load(in + 6 * count);
      dma.load(in + 7 * count);
      for (int t : dma.my_tiles({.first = 8, .last = 11})) {
        dma.load(in + t * count);
      }
    } else {
      const auto compute = pipe.as_compute();
      int t = 0;
      while (t < 2) {
        copy_tile(compute, out + t++ * count);
      }
      do {
        copy_tile(compute, out + t * count, {}, 1);
      } while (++t < 11);
    }
  }
  static int expected(const int* in, int i) { return in[i] + (i >= 128 ? 1 : 0); }
};

template <class Barrier, class Engine>
struct ChangingSizes {
  static constexpr const char* name = "tiles of changing size, the empty one among them";
  static constexpr int tiles = 17;
  static constexpr int ctas = 1;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<1, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static constexpr Tile tile(int t) { return {t * 27 % 65}; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<ChangingSizes>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * count, tile(t));
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < tiles; ++t) {
        copy_tile(compute, out + t * count, tile(t));
      }
    }
  }
  static int expected(const int* in, int i) { return i % 64 < (i / 64 * 27) % 65 ? in[i] : untouched; }
};

struct TripsFromMemory {
  static constexpr const char* name = "trips that global memory says, none in some CTAs";
  static constexpr int ctas = 5;
  static constexpr int most = 7;
  static constexpr int in_count = ctas * most * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TripsFromMemory>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const int first = cta.block().x * most * count;
    const int trips = cta.block().x == 2 ? 0 : (in[first] & 3) + cta.block().x % 3;
    if (pipe.is_compute()) {
      const auto compute = pipe.as_compute();
      for (int t = 0; t < trips; ++t) {
        copy_tile(compute, out + first + t * count);
      }
    } else {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < trips; ++t) {
        dma.load(in + first + t * count);
      }
    }
  }
  static int expected(const int* in, int i) {
    const int block = i / 448;
    const int trips = block == 2 ? 0 : (in[block * 448] & 3) + block % 3;
    return i % 448 / 64 < trips ? in[i] : untouched;
  }
};

struct PersistentCtas {
  static constexpr const char* name = "CTAs that take every 13th tile, some of them none";
  static constexpr int ctas = 13;
  static constexpr int tiles = 31;
  static constexpr int in_count = tiles * count - 9;
  static constexpr int out_count = in_count;
  using Layout = Warps<1, 1, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4, dma::DmaGroups{.count = 2}>>;
  using Shared = OneStorage<Pipe>;

  DMA_HOST_DEVICE static Tile tile(int t) { return {t == tiles - 1 ? count - 9 : count}; }
  DMA_HOST_DEVICE void operator()(dma::KernelCta<PersistentCtas>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(cta.block().x == 5 ? 0 : tiles), [&](const auto& dma, int t) { dma.load(in + t * count, tile(t)); },
        [&](const auto& compute, int t) { copy_tile(compute, out + t * count, tile(t), 3); });
  }
  static int expected(const int* in, int i) { return i / 64 % 13 == 5 ? untouched : in[i] + 3; }
};

/// @tparam WithOthers  some tiles are moved by the explicit protocol, some are two
template <class Barrier, bool WithOthers>
struct ReadAhead {
  static constexpr const char* name = "tiles read two ahead, partial ones among them, or none";
  static constexpr int ctas = 6;
  static constexpr int tiles = 20;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<2, 1>;
  using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 2}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;
  static_assert(dma::detail::PipelineFacts<Pipe>::tiles_read_ahead == 2);

  DMA_HOST_DEVICE static Tile tile(int t) { return {t % 7 == 3 ? 27 : count}; }
  DMA_HOST_DEVICE static bool is_by_hand(int t) { return WithOthers && t % 6 == 4; }
  DMA_HOST_DEVICE static bool is_twice(int t) { return WithOthers && t % 7 == 6; }
  /// Of 20 tiles, CTA 5 has none and CTA 4 two.
  DMA_HOST_DEVICE static int end_of(int cta) { return cta == 5 ? 0 : cta == 4 ? 10 : tiles; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadAhead>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.first = cta.block().x, .last = end_of(cta.block().x), .step = 5},
        [&](const auto& dma, int t) {
          if (is_by_hand(t)) {
            dma.wait_until_empty();
            dma.copy(in + t * count, tile(t));
            dma.signal_full();
          } else {
            dma.load(in + t * count, tile(t));
          }
          if (is_twice(t)) {
            dma.load(in + (t - 1) * count, tile(t));
          }
        },
        [&](const auto& compute, int t) {
          copy_tile(compute, out + t * count, tile(t), t);
          if (is_twice(t)) {
            copy_tile(compute, out + t * count, tile(t));
          }
        });
  }
  static int expected(const int* in, int i) {
    const int t = i / count;
    const bool is_moved = (t % 5 != 4 || t < 10) && i % count < tile(t).size();
    return !is_moved ? untouched : is_twice(t) ? in[i - count] : in[i] + t;
  }
};

/// Two DMA groups in turn read tiles ahead, an odd number of them twice. A tile has pieces for one warp of each group.
template <class Barrier, bool WithOthers>
struct ReadAheadInTurn {
  static constexpr const char* name = "tiles read three ahead by two groups in turn, of one warp with pieces each";
  static constexpr int ctas = 3;
  static constexpr int tiles = 13;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = 2 * in_count;
  using Layout = Warps<2, 2, 2>;
  using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 3}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4, dma::DmaGroups{.count = 2}>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;
  static_assert(dma::detail::PipelineFacts<Pipe>::tiles_read_ahead == 3 && Pipe::warp_sets == 2 &&
                dma::detail::PipelineFacts<Pipe>::moving_threads == 32);

  DMA_HOST_DEVICE static Tile tile(int t) { return {t % 5 == 3 ? 27 : count}; }
  DMA_HOST_DEVICE static bool is_by_hand(int t) { return WithOthers && t % 6 == 4; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ReadAheadInTurn>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    for (int again = 0; again < 2; ++again) {
      pipe.for_each_tile(
          cta.tiles(tiles),
          [&](const auto& dma, int t) {
            if (is_by_hand(t)) {
              dma.wait_until_empty();
              dma.copy(in + t * count, tile(t));
              dma.signal_full();
            } else {
              dma.load(in + t * count, tile(t));
            }
          },
          [&](const auto& compute, int t) {
            copy_tile(compute, out + again * in_count + t * count, tile(t), t + again);
          });
    }
  }
  static int expected(const int* in, int i) {
    const int again = i / in_count;
    const int t = i % in_count / count;
    return i % count < tile(t).size() ? in[i % in_count] + t + again : untouched;
  }
};

/// Of three DMA warps one has a piece of a tile, or two: the others take no part, in any protocol.
template <class Barrier, class Engine, int MovingWarps = 1>
struct WarpsWithoutPieces {
  static constexpr const char* name = "a tile of one DMA warp of three, or of two";
  static constexpr int count = 128 * MovingWarps - 64;
  using Tile = dma::Sequential<int, count>;
  static constexpr int ctas = 2;
  static constexpr int tiles = 11;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Layout = Warps<1, 3>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Barrier, Engine>;
  using Shared = OneStorage<Pipe>;
  static_assert(Pipe::warp_sets == 1 && dma::detail::PipelineFacts<Pipe>::moving_threads == MovingWarps * 32 &&
                Pipe::group_threads == 96);

  DMA_HOST_DEVICE static Tile tile(int t) { return {t % 4 == 3 ? count - 36 : count}; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<WarpsWithoutPieces>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles),
        [&](const auto& dma, int t) {
          if (t % 3 == 2) {
            dma.wait_until_empty();
            dma.copy(in + t * count, tile(t));
            dma.signal_full();
          } else {
            dma.load(in + t * count, tile(t));
          }
        },
        [&](const auto& compute, int t) { copy_tile(compute, out + t * count, tile(t), 2); });
  }
  static int expected(const int* in, int i) { return i % count < tile(i / count).size() ? in[i] + 2 : untouched; }
};

/// Tiles of 256 bytes in one slot and of 512 in two, read ahead.
template <int Stages>
struct FewSlotsReadAhead {
  static constexpr const char* name = "tiles in few slots, by load, start_load, a function and the explicit protocol";
  static constexpr int count = 64 * Stages;
  static constexpr int ctas = 1;
  static constexpr int tiles = 18;
  static constexpr int in_count = tiles * count;
  static constexpr int out_count = in_count;
  using Tile = dma::Sequential<int, count>;
  using Layout = Warps<2, 1>;
  using Engine = dma::RegisterCopy<dma::RegisterCopyTuning{.tiles_ahead = 4}>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, Phase, Engine>;
  using Shared = OneStorage<Pipe>;
  static_assert(dma::detail::PipelineFacts<Pipe>::tiles_read_ahead == 4);

  DMA_HOST_DEVICE static Tile tile(int t) { return {t % 7 == 3 ? 27 : count}; }
  DMA_HOST_DEVICE static void load(const dma::DmaHandle<Pipe>& dma, const int* in, Tile tile) { dma.load(in, tile); }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FewSlotsReadAhead>& cta, const int* in, int* out, Word*) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles},
        [&](const auto& dma, int t) {
          if (t == 5) {
            auto started = dma::cudadma::start_load(dma, in + t * count, tile(t));
            started.finish();
          } else if (t == 9) {
            load(dma, in + t * count, tile(t));
          } else if (t == 13) {
            dma.wait_until_empty();
            dma.copy(in + t * count, tile(t));
            dma.signal_full();
          } else {
            dma.load(in + t * count, tile(t));
          }
        },
        [&](const auto& compute, int t) { copy_tile(compute, out + t * count, tile(t), t); });
  }
  static int expected(const int* in, int i) {
    return i % count < tile(i / count).size() ? in[i] + i / count : untouched;
  }
};

/// The engine of `TwoPipelinesInOneLoop` where none is named.
template <int Stages>
using EngineByDefault = dma::DefaultEngine<Tile, Phase, dma::MultiBuffer<Warps<1, 1>, Stages>>;

/// The body of one pipeline's loop moves the tiles of another one too.
template <class Engine, int Stages = 2>
struct TwoPipelinesInOneLoop {
  static constexpr const char* name = "the load body of one pipeline's loop loads for another one";
  static constexpr int ctas = 1;
  static constexpr int tiles = 7;
  static constexpr int in_count = 2 * tiles * count;
  static constexpr int out_count = tiles * count;
  using Layout = Warps<1, 1>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, Stages>, Phase, Engine>;
  struct Shared {
    typename Pipe::Storage first;
    typename Pipe::Storage second;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoPipelinesInOneLoop>& cta, const int* in, int* out, Word*) const {
    auto& shared = cta.template shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    first.for_each_tile(
        {.last = tiles},
        [&](const auto& dma, int t) {
          dma.load(in + 2 * t * count);
          second.as_dma().load(in + (2 * t + 1) * count);
        },
        [&](const auto& compute, int t) {
          const auto a = compute.wait();
          const auto b = second.as_compute().wait();
          for (int i = compute.rank(); i < count; i += compute.size()) {
            out[t * count + i] = a[i] - 2 * b[i];
          }
        });
  }
  static int expected(const int* in, int i) {
    const int* const pair = in + i / count * 2 * count + i % count;
    return pair[0] - 2 * pair[count];
  }
};

using Loops =
    List<NestedLoops, SeveralLoops<Phase, Async>, SeveralLoops<Named, Registers>, ChangingSizes<Phase, Bulk>,
         ChangingSizes<Phase, Async>, TripsFromMemory, PersistentCtas, ReadAhead<Named, false>,
         ReadAheadInTurn<Named, false>, WarpsWithoutPieces<Named, Registers>, WarpsWithoutPieces<Phase, Async>,
         WarpsWithoutPieces<Phase, Async, 2>, WarpsWithoutPieces<Phase, Bulk>, FewSlotsReadAhead<1>,
         FewSlotsReadAhead<2>, TwoPipelinesInOneLoop<Registers>, TwoPipelinesInOneLoop<EngineByDefault<1>, 1>,
         TwoPipelinesInOneLoop<EngineByDefault<2>>>;

}  // namespace right
