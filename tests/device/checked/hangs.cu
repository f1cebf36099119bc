// Kernels whose two sides do not agree, built with DMA_CHECKED=1: a wait exceeds its limit and prints a message.

#include "planted.hpp"
#include "run_planted.cuh"

#include <dma/dma.hpp>

/// A user-defined engine that returns more bytes than it copies.
struct Boastful : dma::BulkCopy<> {
  template <class Pattern, int Threads, class Slot>
  DMA_HOST_DEVICE static int load(const Pattern& pattern, const unsigned char* source, int thread, const Slot& slot) {
    return dma::BulkCopy<>::load<Pattern, Threads>(pattern, source, thread, slot) + 16;
  }
};

namespace {

constexpr int tiles = 6;

enum class Fault {
  compute_warp_leaves_early,
  compute_takes_one_tile_too_many,
  compute_warp_leaves_tiles_out,
  slot_is_never_given_back,
  dma_loads_too_many_tiles,
  dma_never_loads,
  dma_loads_half_of_the_tiles,
  dma_warp_leaves_out_a_load,
  dma_never_signals,
  last_tile_is_never_used,
  compute_warp_leaves_the_last_tile_out,
};

/// Two slots, filled by two DMA warps: a load of one warp alone fills nothing.
template <class Barrier>
struct Streams {
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<2>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Streams>& cta, const float* in, Fault fault) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      move(cta, pipe.as_dma(), in, fault);
    } else {
      compute(cta, pipe.as_compute(), fault);
    }
  }

  template <class Handle>
  DMA_HOST_DEVICE static void move(const dma::Cta& cta, const Handle& dma, const float* in, Fault fault) {
    const int loads = fault == Fault::dma_loads_too_many_tiles      ? tiles + Pipe::stages + 1
                      : fault == Fault::last_tile_is_never_used     ? tiles + 1
                      : fault == Fault::dma_never_loads             ? 0
                      : fault == Fault::dma_loads_half_of_the_tiles ? tiles / 2
                                                                    : tiles;
    for (int tile = 0; tile < loads; ++tile) {
      if (fault == Fault::dma_never_signals) {
        dma.wait_until_empty();
        dma.copy(in + tile * Tile::count);
      } else if (fault != Fault::dma_warp_leaves_out_a_load || cta.warp() != 5 || tile != 1) {
        dma.load(in + tile * Tile::count);
      }
    }
  }

  template <class Handle>
  DMA_HOST_DEVICE static void compute(const dma::Cta& cta, const Handle& compute, Fault fault) {
    const int waits = fault == Fault::compute_takes_one_tile_too_many ? tiles + 1 : tiles;
    for (int tile = 0; tile < waits; ++tile) {
      if (fault == Fault::compute_warp_leaves_early && cta.warp() == 1 && tile == 2) {
        return;
      }
      if (fault == Fault::compute_warp_leaves_tiles_out && cta.warp() == 2 && tile >= 1 && tile <= 3) {
        continue;
      }
      if (fault == Fault::compute_warp_leaves_the_last_tile_out && cta.warp() == 2 && tile == tiles - 1) {
        break;
      }
      if (fault == Fault::slot_is_never_given_back && cta.warp() == 3) {
        static_cast<void>(compute.wait_until_full());
        return;
      }
      compute.wait().release();
    }
  }
};

/// Two pipelines of one slot each. Half of the compute warps want a second tile of the first before they take one of
/// the second, the others a second tile of the second before one of the first.
template <class Barrier>
struct OppositeOrder {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using First = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout, 0>, Barrier>;
  using Second = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout, 1>, Barrier>;
  struct Shared {
    typename First::Storage first;
    typename Second::Storage second;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<OppositeOrder>& cta, const float* in) const {
    auto& shared = cta.template shared<Shared>();
    First first(cta, shared.first);
    Second second(cta, shared.second);
    if (first.is_dma()) {
      load_two(first.as_dma(), in);
    } else if (second.is_dma()) {
      load_two(second.as_dma(), in);
    } else if (cta.warp() == 0) {
      take_two(first.as_compute());
      take_two(second.as_compute());
    } else {
      take_two(second.as_compute());
      take_two(first.as_compute());
    }
  }

  template <class Handle>
  DMA_HOST_DEVICE static void load_two(const Handle& dma, const float* in) {
    dma.load(in);
    dma.load(in + Tile::count);
  }
  template <class Handle>
  DMA_HOST_DEVICE static void take_two(const Handle& compute) {
    compute.wait().release();
    compute.wait().release();
  }
};

/// Two pipelines of one type, side by side in shared memory; the second's last tile is never loaded.
struct TwoAlike {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::CudaBarrier>;
  struct Shared {
    alignas(1024) Pipe::Storage first;
    alignas(1024) Pipe::Storage second;
  };
  static_assert(sizeof(Shared) == 2 * second_storage);

  DMA_HOST_DEVICE void operator()(dma::KernelCta<TwoAlike>& cta, const float* in) const {
    auto& shared = cta.shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    if (first.is_dma()) {
      first.as_dma().load(in);
      second.as_dma().load(in);
    } else {
      first.as_compute().wait().release();
      second.as_compute().wait().release();
      second.as_compute().wait().release();
    }
  }
};

/// The compute warps fill a tile that is never stored.
template <class Barrier>
struct FillsTooMany {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Store<dma::Sequential<float, 256>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FillsTooMany>& cta, float* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      for (int tile = 0; tile < tiles; ++tile) {
        pipe.as_dma().store(out);
      }
    } else {
      for (int tile = 0; tile < tiles + 1; ++tile) {
        pipe.as_compute().wait().release();
      }
    }
  }
};

/// The DMA warp stores a tile that no warp has filled.
template <class Barrier>
struct StoresTooMany {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Store<dma::Sequential<float, 256>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<StoresTooMany>& cta, float* out) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      for (int tile = 0; tile < tiles + 1; ++tile) {
        pipe.as_dma().store(out);
      }
    } else {
      for (int tile = 0; tile < tiles; ++tile) {
        pipe.as_compute().wait().release();
      }
    }
  }
};

/// No mistake: two pipelines one after the other in a storage, where a DMA warp ends the first long after all other
/// warps have ended the second. The only tile of the second is another group's.
struct EndsLate {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>, dma::NamedBarrier, dma::RegisterCopy<>>;
  struct Shared {
    Pipe::Storage storage;
  };

  __device__ void operator()(dma::KernelCta<EndsLate>& cta, const float* in, bool closes) const {
    auto& shared = cta.shared<Shared>();
    {
      Pipe pipe(cta, shared.storage);
      stream(pipe, in, 2);
      if (closes) {
        pipe.close();
      }
      if (cta.warp() == 3) {
        constexpr unsigned most_ns = 1000000;
        __nanosleep(most_ns);
      }
    }
    Pipe again(cta, shared.storage);
    stream(again, in, 1);
  }

 private:
  __device__ static void stream(Pipe& pipe, const float* in, int count) {
    pipe.for_each_tile(
        {.last = count}, [&](const auto& dma, int) { dma.load(in); },
        [](const auto& compute, int) { compute.wait().release(); });
  }
};

struct ExpectsTooManyBytes {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>, dma::CudaBarrier, Boastful>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ExpectsTooManyBytes>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 1}, [&](const auto& dma, int) { dma.load(in); },
        [](const auto& compute, int) { compute.wait().release(); });
  }
};

enum class GroupFault { none, group_skips_a_turn, tile_is_not_taken_over };

/// Two compute groups that take turns, the first of which hands tiles over to the second.
template <class Barrier>
struct Groups {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Compute<1>>;
  using Passed =
      dma::HandOff<dma::Sequential<float, 64>, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>, Barrier>;
  struct Shared {
    typename Passed::Storage passed;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Groups>& cta, float* out, GroupFault fault) const {
    Passed passed(cta, cta.template shared<Shared>().passed);
    dma::Turns<Layout> turns;
    if (passed.is_producer()) {
      const auto to = passed.as_producer();
      for (int tile = 0; tile < tiles; ++tile) {
        const auto turn = turns.take();
        const auto slot = to.wait();
        slot[to.rank()] = static_cast<float>(tile);
      }
    } else {
      const auto from = passed.as_consumer();
      for (int tile = 0; tile < tiles; ++tile) {
        if (fault != GroupFault::tile_is_not_taken_over || tile + 1 < tiles) {
          const auto slot = from.wait();
          out[from.rank()] = slot[from.rank() + 32];
        }
        if (fault != GroupFault::group_skips_a_turn || tile + 1 < tiles) {
          const auto turn = turns.take();
        }
      }
    }
  }
};

struct NamedFault {
  std::string_view name;
  Fault fault;
};
constexpr NamedFault faults[] = {
    {"a compute warp leaves early", Fault::compute_warp_leaves_early},
    {"the compute warps wait for one tile too many", Fault::compute_takes_one_tile_too_many},
    {"a compute warp skips tiles", Fault::compute_warp_leaves_tiles_out},
    {"a slot is never released", Fault::slot_is_never_given_back},
    {"the DMA warps load too many tiles", Fault::dma_loads_too_many_tiles},
    {"the DMA warps never load", Fault::dma_never_loads},
    {"the DMA warps load half of the tiles", Fault::dma_loads_half_of_the_tiles},
    {"a DMA warp skips a load", Fault::dma_warp_leaves_out_a_load},
    {"the DMA warps never signal", Fault::dma_never_signals},
    {"the last tile is never used", Fault::last_tile_is_never_used},
    {"a compute warp skips the last tile", Fault::compute_warp_leaves_the_last_tile_out},
};

template <class Barrier>
int run(std::string_view mistake) {
  for (const NamedFault& each : faults) {
    if (each.name == mistake) {
      return run_planted([&](const float* in) { dma::launch(Streams<Barrier>{}, {1}, nullptr, in, each.fault); });
    }
  }
  if (mistake == "a compute group skips a turn") {
    return run_planted(
        [](float* out) { dma::launch(Groups<Barrier>{}, {1}, nullptr, out, GroupFault::group_skips_a_turn); });
  }
  if (mistake == "a tile that is handed over is never used") {
    return run_planted(
        [](float* out) { dma::launch(Groups<Barrier>{}, {1}, nullptr, out, GroupFault::tile_is_not_taken_over); });
  }
  if (mistake == "none: compute groups take turns and hand tiles over") {
    return run_planted([](float* out) { dma::launch(Groups<Barrier>{}, {1}, nullptr, out, GroupFault::none); });
  }
  if (mistake == "two pipelines are waited for in opposite order") {
    return run_planted([](const float* in) { dma::launch(OppositeOrder<Barrier>{}, {1}, nullptr, in); });
  }
  if (mistake == "the DMA warp stores a tile that no warp fills") {
    return run_planted([](float* out) { dma::launch(StoresTooMany<Barrier>{}, {1}, nullptr, out); });
  }
  if (mistake == "the compute warps fill a tile that is never stored") {
    return run_planted([](float* out) { dma::launch(FillsTooMany<Barrier>{}, {1}, nullptr, out); });
  }
  if (mistake == "the second of two pipelines of one type") {
    return run_planted([](const float* in) { dma::launch(TwoAlike{}, {1}, nullptr, in); });
  }
  if (mistake == "none: a warp ends a closed pipeline late" || mistake == "none: a warp ends a pipeline late") {
    const bool closes = mistake == "none: a warp ends a closed pipeline late";
    return run_planted([&](const float* in) { dma::launch(EndsLate{}, {1}, nullptr, in, closes); });
  }
  if (mistake == "an engine expects too many bytes") {
    return run_planted([](const float* in) { dma::launch(ExpectsTooManyBytes{}, {1}, nullptr, in); });
  }
  return has_no_such_mistake;
}

}  // namespace

int run_hang(std::string_view mistake, BarrierKind barrier) {
  return barrier == BarrierKind::phase ? run<dma::CudaBarrier>(mistake) : run<dma::NamedBarrier>(mistake);
}
