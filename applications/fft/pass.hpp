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
    Transform::prepare(cta.thread(), shared);
    cta.grid_dependency_wait();
    const TilePlace place(problem, shape.columns, cta.block().x);
    typename Transform::Registers x;
    load(cta, problem, place, x);
    Transform::template finish<true>(cta, cta.thread(), shared, x, problem, place);
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

/// A pass whose tiles arrive in shared memory, a tile ahead, as boxes that tensor maps describe. A CTA has tiles
/// `block`, `block + blocks` and so on. Its threads ask for the next tile themselves, as soon as the current one is in
/// registers: a DMA warp would take registers from them and save no time. One slot, and so one barrier of each kind a
/// tile: the first butterfly needs points of every box.
template <PassShape shape>
struct AheadPass {
  using Transform = TileTransform<shape>;
  using Layout = dma::WarpLayout<dma::Compute<shape.threads() / dma::warp_size>>;
  static constexpr dma::KernelTraits traits{.min_ctas = shape.ctas_an_sm, .programmatic_launch = true};

  static constexpr bool loads_runs = shape.from == Columns::runs;
  static constexpr int boxes = shape.points / points_a_box;
  static constexpr int boxes_a_slot = boxes < 4 ? boxes : 4;  ///< few slots are few barriers; nvcc checks no more runs
  static constexpr int slots = boxes / boxes_a_slot;
  static_assert(shape.to == Columns::side_by_side,
                "fft: tiles arrive ahead whose results are side by side; load whole transforms to registers");
  static_assert(boxes >= 1 && Transform::stride <= points_a_box,
                "fft: tiles that arrive ahead have columns of 256 to 4096 points; load to registers");
  using Box =
      std::conditional_t<loads_runs, dma::Tile3D<Complex, dma::TileShape{.cols = points_a_box, .rows = shape.columns}>,
                         dma::Tile3D<Complex, dma::TileShape{.cols = shape.columns, .rows = points_a_box}>>;
  template <class>
  struct Boxes;
  template <int... I>
  struct Boxes<std::integer_sequence<int, I...>> {
    using Part = dma::Concat<std::conditional_t<(I >= 0), Box, void>...>;

    [[nodiscard]] DMA_HOST_DEVICE static Part at(const PassProblem& problem, const TilePlace& place, int first_point) {
      return Part{box_at(problem, place, first_point + I * points_a_box)...};
    }
  };
  using BoxesOfSlot = Boxes<std::make_integer_sequence<int, boxes_a_slot>>;
  using Part = typename BoxesOfSlot::Part;  ///< of a tile, in a slot
  using Pipe = dma::DmaPipeline<Part, dma::MultiBuffer<Layout, slots>, dma::CudaBarrier,
                                dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = shape.l2_of_loads}}>>;

  struct Shared {
    typename Pipe::Storage ahead;
    typename Arrangement<shape>::Shared tile;
  };

  /// A part of a place's tile, and the array that it is in.
  [[nodiscard]] DMA_HOST_DEVICE static Part part_at(const PassProblem& problem, const TilePlace& place, int part) {
    return BoxesOfSlot::at(problem, place, part * boxes_a_slot * points_a_box);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AheadPass>& cta, const dma::TensorMap<Part>& map,
                                  const PassProblem& problem, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.ahead);
    Transform::prepare(cta.thread(), shared.tile);
    cta.grid_dependency_wait();
    const auto dma = pipe.as_dma();
    const auto compute = pipe.as_compute();
    const auto load_tile = [&](int tile) {
      const TilePlace place(problem, shape.columns, tile);
      dma::unrolled<slots>([&](auto part) { dma.load(map, part_at(problem, place, part)); });
    };
    const int step = cta.blocks().x;
    int tile = cta.block().x;
    if (tile < tiles) {
      load_tile(tile);
    }
    for (; tile < tiles; tile += step) {
      typename Transform::Registers x;
      dma::unrolled<slots>([&](auto part) { read<part>(cta, problem, compute.wait(), x); });
      if (tile + step < tiles) {
        load_tile(tile + step);
      }
      Transform::template finish<false>(cta, cta.thread(), shared.tile, x, problem,
                                        TilePlace(problem, shape.columns, tile));
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static Box box_at(const PassProblem& problem, const TilePlace& place, int point) {
    const long long size = sizeof(Complex);
    return {problem.in.pitch * size,
            problem.in.batch * size,
            problem.batches,
            loads_runs ? problem.columns_in_all : shape.points,
            loads_runs ? shape.points : problem.columns_in_all,
            place.batch,
            loads_runs ? place.first_column : point,
            loads_runs ? point : place.first_column,
            Complex{}};
  }

  /// A thread's points of a part, from its slot.
  template <int Number, class Slot>
  DMA_HOST_DEVICE static void read(const dma::Cta& cta, const PassProblem& problem, const Slot& slot,
                                   typename Transform::Registers& x) {
    constexpr int points_of_part = points_a_thread / slots;
    const auto share = Transform::loaded_share(cta.thread());
    const auto points = slot.template vectors<shape.width>();
    const int first =
        loads_runs ? share.column * points_a_box + share.point : share.point * shape.columns + share.column;
    dma::unrolled<points_of_part>([&](auto m) {
      constexpr int point = m * Transform::stride;
      constexpr int at = loads_runs ? point / points_a_box * (points_a_box * shape.columns) + point % points_a_box
                                    : point * shape.columns;
      const auto values = points[(first + at) / shape.width];
      dma::unrolled<shape.width>(
          [&](auto i) { x[i][Number * points_of_part + m] = conjugated(values[i], problem.sign_in); });
    });
  }
};

}  // namespace fft
