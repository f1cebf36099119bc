#pragma once

/// A pass with DMA warps, as SC'11 has it: they bring the tiles, and compute warps transform them.

#include "tile_transform.hpp"

#include <dma/dma.hpp>

#include <type_traits>

namespace fft {

/// A pass's tile as it arrives in shared memory: rows of points of neighbouring columns, or columns that are runs.
///
/// @tparam load_bytes  of an access of the DMA warps: 8, one point, or 16, two
template <PassShape shape, int load_bytes = 16>
using PassTile =
    std::conditional_t<shape.from == Columns::runs,
                       dma::Strided<Complex, shape.points, shape.columns, dma::RowLayout{.alignment = load_bytes}>,
                       dma::Strided<Complex, shape.columns, shape.points, dma::RowLayout{.alignment = load_bytes}>>;

/// How the DMA warps of SC'11, section 6.3 load.
struct PaperLoads {
  int bytes = 16;   ///< of a load: 8 (float2) or 16 (float4)
  int points = 16;  ///< of a DMA thread, in flight: 4, 8 or 16
  /// `read_only` is what was the texture cache's path.
  dma::LoadCache cache = dma::LoadCache::standard;
};

/// One buffer, which DMA warps fill through their registers, and named barriers.
template <PassShape shape, PaperLoads loads, int dma_warps>
using PaperPipe = dma::DmaPipeline<
    PassTile<shape, loads.bytes>,
    dma::SingleBuffer<dma::WarpLayout<dma::Compute<shape.threads() / dma::warp_size>, dma::Dma<dma_warps>>>,
    dma::NamedBarrier,
    dma::RegisterCopy<dma::RegisterCopyTuning{.loads_in_flight = loads.points * int{sizeof(Complex)} / loads.bytes,
                                              .cache = {.load = loads.cache}}>>;

/// Whether the compute warps of a pipeline meet at each wait for a tile, as at a barrier that counts all threads: none
/// of them still exchanges the tile before then.
template <class Pipeline>
inline constexpr bool meets_at_tiles = false;
template <class Tile, class Buffering, class Engine>
inline constexpr bool meets_at_tiles<dma::DmaPipeline<Tile, Buffering, dma::NamedBarrier, Engine>> = true;

/// A pass whose tiles the DMA warps of a pipeline load. A CTA has tiles `block`, `block + blocks` and so on. The
/// compute warps take a tile to registers, release its slot and transform it as those of every pass do; their exchanges
/// synchronize the compute warps alone.
///
/// @tparam Pipeline  of `PassTile`s
///
/// Source  SC'11, section 6.3
template <PassShape shape, class Pipeline>
struct DmaWarpPass {
  using Transform = TileTransform<shape>;
  using Layout = typename Pipeline::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = shape.ctas_an_sm, .programmatic_launch = true};

  static_assert(Layout::compute_threads == shape.threads(),
                "fft: a pass has one compute thread for each 16 * width points of a tile");
  static_assert(shape.to == Columns::side_by_side,
                "fft: DMA warps load tiles whose results are side by side; load whole transforms to registers");

  struct Shared {
    typename Pipeline::Storage loaded;
    typename Arrangement<shape>::Shared tile;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<DmaWarpPass>& cta, const PassProblem& problem, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Pipeline pipe(cta, shared.loaded);
    if (cta.warp() < Layout::compute_warps) {
      Transform::prepare(cta.thread(), shared.tile);
    }
    cta.grid_dependency_wait();
    constexpr bool loads_runs = shape.from == Columns::runs;
    pipe.for_each_tile(
        cta.tiles(tiles),
        [&](const auto& dma, int t) {
          const TilePlace place(problem, shape.columns, t);
          const long long column = loads_runs ? problem.in.pitch : 1;
          const long long pitch_bytes = problem.in.pitch * static_cast<long long>(sizeof(Complex));
          dma.load(problem.from + place.offset(problem.in) + place.first_column * column, {pitch_bytes});
        },
        [&](const auto& compute, int t) {
          typename Transform::Registers x;
          read(compute.wait(), problem, compute.rank(), x);
          Transform::template finish<meets_at_tiles<Pipeline>>(compute, compute.rank(), shared.tile, x, problem,
                                                               TilePlace(problem, shape.columns, t));
        });
  }

 private:
  /// A thread's points of a tile; the slot is released when they are in registers.
  template <class Slot>
  DMA_HOST_DEVICE static void read(const Slot& slot, const PassProblem& problem, int thread,
                                   typename Transform::Registers& x) {
    const auto share = Transform::loaded_share(thread);
    const auto points = slot.template vectors<shape.width>();
    dma::unrolled<points_a_thread>([&](auto m) {
      const int point = share.point + m * Transform::stride;
      const auto values = shape.from == Columns::runs ? points(share.column, point) : points(point, share.column);
      dma::unrolled<shape.width>([&](auto i) { x[i][m] = conjugated(values[i], problem.sign_in); });
    });
  }
};

}  // namespace fft
