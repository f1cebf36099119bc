#pragma once

/// One pass of a transform over global memory, in two kernels.

#include "tile_transform.hpp"

#include <dma/dma.hpp>

namespace fft {

/// A pass whose threads load their points to registers. A CTA has one tile; loads of one CTA overlap with the
/// butterflies of the others of its SM.
template <PassShape shape>
struct Pass {
  using Transform = TileTransform<shape>;
  using Layout = dma::WarpLayout<dma::Compute<shape.threads() / dma::warp_size>>;
  static constexpr dma::KernelTraits traits{.min_ctas = shape.ctas_an_sm, .programmatic_launch = true};

  using Shared = typename Arrangement<shape>::Shared;

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Pass>& cta, const PassProblem& problem) const {
    auto& shared = cta.template shared<Shared>();
    Transform::prepare(cta, shared);
    cta.grid_dependency_wait();
    const TilePlace place(problem, shape.columns, cta.block().x);
    typename Transform::Registers x;
    load(cta, problem, place, x);
    Transform::finish(cta, shared, x, problem, place);
  }

 private:
  DMA_HOST_DEVICE static void load(const dma::Cta& cta, const PassProblem& problem, const TilePlace& place,
                                   typename Transform::Registers& x) {
    using Points = typename Transform::Points;
    const auto share = Transform::loaded_share(cta.thread());
    const int column = place.first_column + share.column;
    const bool is_run = shape.from == Columns::runs;
    const Complex* const from =
        problem.from + place.offset(problem.in) +
        (is_run ? column * problem.in.pitch + share.point : column + share.point * problem.in.pitch);
    const long long step = Transform::stride * (is_run ? 1 : problem.in.pitch);
    const bool is_inside = Transform::has_column(problem, column);
    dma::unrolled<points_a_thread>([&](auto m) {
      Points points{};
      if (is_inside) {
        points = dma::load_global<dma::CacheHints{.l2 = shape.l2_of_loads}>(
            reinterpret_cast<const Points*>(from + m * step));
      }
      dma::unrolled<shape.width>([&](auto i) { x[i][m] = conjugated(points[i], problem.sign_in); });
    });
  }
};

/// A pass whose tiles arrive through a ring in shared memory, a tile ahead, as chunks that tensor maps describe. A CTA
/// has tiles `block`, `block + blocks` and so on. Its threads ask for the next tile themselves: a DMA warp would take
/// registers from them and save no time.
template <PassShape shape>
struct RingPass {
  using Transform = TileTransform<shape>;
  using Layout = dma::WarpLayout<dma::Compute<shape.threads() / dma::warp_size>>;
  static constexpr dma::KernelTraits traits{.min_ctas = shape.ctas_an_sm, .programmatic_launch = true};

  static constexpr int chunks = shape.points / chunk_points;
  static constexpr int points_of_chunk = points_a_thread / chunks;  ///< of one thread and column
  static_assert(shape.to == Columns::side_by_side,
                "fft: a ring has tiles whose results are side by side; load whole transforms to registers");
  static_assert(chunks >= 1 && chunks <= points_a_thread,
                "fft: a ring has 1 to 16 chunks of 256 points; load to registers");
  using Chunk = std::conditional_t<shape.from == Columns::runs, dma::Tile3D<Complex, chunk_points, shape.columns, 1>,
                                   dma::Tile3D<Complex, shape.columns, chunk_points, 1>>;
  using Pipe = dma::DmaPipeline<Chunk, dma::MultiBuffer<Layout, chunks>, dma::CudaBarrier,
                                dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = shape.l2_of_loads}}>>;

  struct Shared {
    typename Pipe::Storage ring;
    typename Arrangement<shape>::Shared tile;
  };

  /// A chunk of a place, and the array that it is in.
  [[nodiscard]] DMA_HOST_DEVICE static Chunk chunk_at(const PassProblem& problem, const TilePlace& place, int chunk) {
    constexpr bool is_run = shape.from == Columns::runs;
    const long long size = sizeof(Complex);
    const int point = chunk * chunk_points;
    return {problem.in.pitch * size,
            problem.in.batch * size,
            problem.batches,
            is_run ? problem.columns_in_all : shape.points,
            is_run ? shape.points : problem.columns_in_all,
            place.batch,
            is_run ? place.first_column : point,
            is_run ? point : place.first_column,
            Complex{}};
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<RingPass>& cta, const dma::TensorMap<Chunk>& map,
                                  const PassProblem& problem, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.ring);
    Transform::prepare(cta, shared.tile);
    cta.grid_dependency_wait();
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    const auto load_tile = [&](int tile) {
      const TilePlace place(problem, shape.columns, tile);
      dma::unrolled<chunks>([&](auto chunk) { dma.load(map, chunk_at(problem, place, chunk)); });
    };
    const int step = cta.blocks().x;
    int tile = cta.block().x;
    if (tile < tiles) {
      load_tile(tile);
    }
    for (; tile < tiles; tile += step) {
      typename Transform::Registers x;
      dma::unrolled<chunks>([&](auto chunk) { read<chunk>(cta, problem, compute.wait(), x); });
      if (tile + step < tiles) {
        load_tile(tile + step);
      }
      Transform::finish(cta, shared.tile, x, problem, TilePlace(problem, shape.columns, tile));
    }
  }

 private:
  /// A thread's points of a chunk, from its slot.
  template <int Number, class Slot>
  DMA_HOST_DEVICE static void read(const dma::Cta& cta, const PassProblem& problem, const Slot& slot,
                                   typename Transform::Registers& x) {
    const auto share = Transform::loaded_share(cta.thread());
    const auto points = slot.template vectors<shape.width>();
    dma::unrolled<points_of_chunk>([&](auto m) {
      const int point = share.point + m * Transform::stride;
      const auto values = shape.from == Columns::runs ? points(0, share.column, point) : points(0, point, share.column);
      dma::unrolled<shape.width>(
          [&](auto i) { x[i][Number * points_of_chunk + m] = conjugated(values[i], problem.sign_in); });
    });
  }
};

}  // namespace fft
