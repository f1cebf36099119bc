// Kernels whose warps do not make a call with all 32 lanes, built with DMA_CHECKED=1: a message names the call.

#include "planted.hpp"
#include "run_planted.cuh"

#include <dma/dma.hpp>

namespace {

constexpr int tiles = 4;

enum class Parting {
  leave_before_the_pipeline,
  leave_in_the_loop,
  leave_with_a_slot,
  half_a_warp_loads,
  half_a_warp_copies,
  half_a_warp_waits,
  half_a_warp_synchronizes,
  half_a_warp_synchronizes_the_cta,
  half_a_warp_closes,
  half_a_warp_calls_last,
  half_a_warp_takes_its_role,
  half_a_warp_steps,
  half_a_warp_releases_elsewhere,
};

/// In warp 1, which computes, or in the DMA warp, lanes 16 to 31 go another way.
template <class Barrier>
struct Parts {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 256>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, Barrier, dma::RegisterCopy<>>;
  static constexpr dma::KernelTraits traits{.cooperative = true};
  struct Shared {
    typename Pipe::Storage storage;
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Parts>& cta, float* global, Parting parting) const {
    auto& shared = cta.template shared<Shared>();
    const bool is_half = cta.lane() >= 16;
    if (parting == Parting::leave_before_the_pipeline && cta.warp() == 1 && is_half) {
      return;
    }
    Pipe pipe(cta, shared.storage);
    if (parting == Parting::half_a_warp_calls_last && !(cta.warp() == 1 && is_half)) {
      auto* const counter = reinterpret_cast<dma::ArrivalCounter*>(global);
      static_cast<void>(dma::is_last_cta(cta, *counter, 1, shared.arrivals));
    }
    if (parting == Parting::half_a_warp_takes_its_role && !(cta.warp() == 1 && is_half)) {
      cta.take_roles([] {}, [] {});
    }
    if (pipe.is_dma()) {
      dma::Pace<1> pace(cta, pipe, reinterpret_cast<dma::PaceCounter*>(global + tiles * Tile::count));
      for (int tile = 0; tile < tiles; ++tile) {
        if (parting != Parting::half_a_warp_steps || !is_half) {
          pace.step();
        }
        move(pipe.as_dma(), global + tile * Tile::count, parting, is_half);
      }
    } else if (!compute(cta, pipe.as_compute(), global, parting, cta.warp() == 1 && is_half)) {
      return;
    }
    if (parting == Parting::half_a_warp_closes && !(cta.warp() == 1 && is_half)) {
      pipe.close();
    }
  }

  template <class Handle>
  DMA_HOST_DEVICE static void move(const Handle& dma, const float* source, Parting parting, bool is_half) {
    if (parting == Parting::half_a_warp_copies) {
      dma.wait_until_empty();
      if (!is_half) {
        dma.copy(source);
      }
      dma.signal_full();
    } else if (parting != Parting::half_a_warp_loads || !is_half) {
      dma.load(source);
    }
  }

  /// Whether these lanes go on to the end.
  template <class Handle>
  DMA_HOST_DEVICE static bool compute(const dma::Cta& cta, const Handle& compute, float* out, Parting parting,
                                      bool is_half) {
    for (int t = 0; t < tiles; ++t) {
      if (parting == Parting::leave_in_the_loop && t == 2 && is_half) {
        return false;
      }
      if (parting == Parting::half_a_warp_synchronizes && !is_half) {
        compute.sync();
      }
      if (parting == Parting::half_a_warp_synchronizes_the_cta && !is_half) {
        cta.sync();
      }
      if (parting == Parting::half_a_warp_waits && is_half) {
        continue;
      }
      auto tile = compute.wait();
      float* const to = out + t * Tile::count + compute.rank();
      if (parting == Parting::leave_with_a_slot && t == 1 && is_half) {
        return false;
      }
      if (parting == Parting::half_a_warp_releases_elsewhere && is_half) {
        *to = -tile[compute.rank()];
        continue;
      }
      *to = tile[compute.rank()];
    }
    return true;
  }
};

struct NamedParting {
  std::string_view name;
  Parting parting;
};
constexpr NamedParting partings[] = {
    {"lanes leave before the pipeline", Parting::leave_before_the_pipeline},
    {"lanes leave inside the loop", Parting::leave_in_the_loop},
    {"lanes leave with a slot", Parting::leave_with_a_slot},
    {"half a warp loads", Parting::half_a_warp_loads},
    {"half a warp copies", Parting::half_a_warp_copies},
    {"half a warp waits", Parting::half_a_warp_waits},
    {"half a warp synchronizes", Parting::half_a_warp_synchronizes},
    {"half a warp synchronizes the CTA", Parting::half_a_warp_synchronizes_the_cta},
    {"half a warp closes", Parting::half_a_warp_closes},
    {"half a warp asks whether its CTA is the last", Parting::half_a_warp_calls_last},
    {"half a warp takes its role", Parting::half_a_warp_takes_its_role},
    {"half a warp steps", Parting::half_a_warp_steps},
    {"half a warp releases elsewhere", Parting::half_a_warp_releases_elsewhere},
};

template <class Barrier>
int run(std::string_view mistake) {
  for (const NamedParting& each : partings) {
    if (each.name == mistake) {
      return run_planted([&](float* global) { dma::launch(Parts<Barrier>{}, {1}, nullptr, global, each.parting); });
    }
  }
  return has_no_such_mistake;
}

}  // namespace

int run_parted(std::string_view mistake, BarrierKind barrier) {
  return barrier == BarrierKind::phase ? run<dma::CudaBarrier>(mistake) : run<dma::NamedBarrier>(mistake);
}
