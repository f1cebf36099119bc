#pragma once

/// The stencil for a GPU with tensor maps: one CTA an SM marches along z through a ring of planes that tensor maps
/// fill. A plane is read once: a thread adds what its points contribute to the sums of the 2 * radius + 1 planes
/// around, which it keeps in registers.

#include "field.hpp"
#include "partition.hpp"
#include "slab_epilogue.hpp"
#include "sums.hpp"
#include "way.hpp"

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

namespace stencil {

/// The numbers to tune, see tuning.hpp.
struct MarchShape {
  int cols = 128;  ///< of a tile
  int rows_a_thread = 4;
  int stages = 6;  ///< planes in flight
  int slack = 12;  ///< planes that a CTA may be ahead of another
};

/// One step of the star over a field whose rows begin on 16 bytes. The epilogue decides what to do with the sums.
///
/// A CTA processes items of a partition, and for each also the `Radius` planes before and after it. DMA warps load a
/// plane of the tile as three boxes, zero outside the domain; compute warps have the registers that the DMA warps
/// release.
template <class T, int Radius, MarchShape shape, class Epilogue>
struct March {
  static constexpr int width = Vec<T>::width;
  static constexpr int points = shape.rows_a_thread;  ///< rows of a thread, each `width` points wide
  static constexpr int compute_warps = 8;
  using Layout = dma::WarpLayout<dma::Compute<compute_warps, dma::Registers{232}>, dma::Dma<4, dma::Registers{40}>>;

  static constexpr int cols = shape.cols;
  static constexpr int threads_a_row = cols / width;
  static constexpr int bands = Layout::compute_threads / threads_a_row;  ///< of `points` rows, a row of threads each
  static constexpr int rows = bands * points;
  using OwnSums = Sums<T, Radius, points>;
  static constexpr int reach = OwnSums::reach;
  static constexpr int side_cols =
      (Radius * static_cast<int>(sizeof(T)) + 31) / 32 * (32 / static_cast<int>(sizeof(T)));

  /// A plane of the tile with the rows above and below, and the columns left and right: no corners, one box each.
  using Middle = dma::Tile3D<T, dma::TileShape{.cols = cols, .rows = rows + 2 * Radius}>;
  using Side = dma::Tile3D<T, dma::TileShape{.cols = side_cols, .rows = rows}>;
  using Plane = dma::Concat<Middle, Side, Side>;
  using Pipe = dma::DmaPipeline<Plane, dma::MultiBuffer<Layout, shape.stages>, dma::CudaBarrier,
                                dma::TensorCopy<dma::TensorCopyTuning{.cache = {.l2 = dma::L2Priority::evict_last}}>>;

  static constexpr Sends sends = sends_of<Epilogue>;
  struct PipeShared {
    typename Pipe::Storage storage;
  };
  struct SlabShared {
    typename Pipe::Storage storage;
    dma::ArrivalCounter finished;
  };
  using Shared = dma::stdlib::conditional_t<sends == Sends::to_none, PipeShared, SlabShared>;
  static constexpr dma::KernelTraits traits{.cooperative = true};

  [[nodiscard]] DMA_HOST_DEVICE static Plane plane_at(const Field<const T>& u, int x, int y, int z) {
    const auto size = static_cast<long long>(sizeof(T));
    const auto box = [&]<class Box>(Box, int row, int col) {
      return Box{u.pitch * size, u.plane_pitch() * size, u.nz, u.ny, u.nx, z, row, col, T{}};
    };
    return Plane{box(Middle{}, y - Radius, x), box(Side{}, y, x - side_cols), box(Side{}, y, x + cols)};
  }

  /// Whether a launch's arguments are made for this shape.
  static void expects(const dma::TensorMap<Plane>&, const Field<const T>&, const Star<T, Radius>&,
                      const Partition& work, const dma::PaceCounter* pace_counter, const Epilogue& epilogue) {
    expect_tiles("stencil::March", work, cols, rows);
    expect_counter("stencil::March", pace_counter);
    if constexpr (sends != Sends::to_none) {
      if (work.nz / work.chunks < Radius) {
        throw std::invalid_argument("stencil::March: chunks of " + std::to_string(work.nz / work.chunks) +
                                    " planes never finish the " + std::to_string(Radius) +
                                    " that a neighbour waits for; make the partition by plan()");
      }
      expect_counters("stencil::March", epilogue.finished);
    }
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<March>& cta, const dma::TensorMap<Plane>& map, const Field<const T>& u,
                                  const Star<T, Radius>& star, const Partition& work, dma::PaceCounter* pace_counter,
                                  const Epilogue& epilogue) const {
    Shared& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    const int first_item = cta.block().x;
    const int step = cta.blocks().x;
    cta.take_roles(
        [&] {
          const Thread thread(cta.thread());
          const auto compute = pipe.as_compute();
          OwnSums sums{};
          for (int i = first_item; i < work.items(); i += step) {
            const Leg leg = leg_of(work, i, epilogue);
            for_each_plane<sends, Radius>(leg, [&](int z, auto way) {
              const auto slot = compute.wait();
              thread.add(sums, slot.data(), star, [&](int r, const Vec<T>& sum) {
                const int x = leg.item.x + thread.col;
                const int y = leg.item.y + thread.row + r;
                if (way.writes(leg.item, z) && !thread.is_idle && x < u.nx && y < u.ny) {
                  epilogue(u.at(x, y, way.complete(z)), way.complete(z), sum, u.nx - x);
                }
              });
              sums.shift();
              if constexpr (sends != Sends::to_none) {
                if (leg.is_at_end && way.finishes_end(leg.item, z)) {
                  epilogue.finish(way.end, compute, work.columns(), shared.finished);
                }
              }
            });
            if constexpr (sends == Sends::to_both) {
              if (work.chunks == 1) {  // the leg ends where the neighbour above waits
                epilogue.finish(End::above, compute, work.columns(), shared.finished);
              }
            }
          }
        },
        [&] {
          const auto dma = pipe.as_dma();
          dma::Pace<shape.slack> pace(cta, pipe, pace_counter);
          for (int i = first_item; i < work.items(); i += step) {
            const Leg leg = leg_of(work, i, epilogue);
            for_each_loaded_plane<sends, Radius>(leg, [&](int z) {
              pace.step();
              dma.load(map, plane_at(u, leg.item.x, leg.item.y, z));
            });
          }
        });
  }

  // --- the way through a slab ----------------------------------------------------------------------------------------

  [[nodiscard]] DMA_HOST_DEVICE static Leg leg_of(const Partition& work, int i, const Epilogue& epilogue) {
    Leg result = leg<sends>(work, i);
    if constexpr (sends != Sends::to_none) {
      result.item.first += epilogue.first_plane;
      result.item.last += epilogue.first_plane;
    }
    return result;
  }

  // --- a thread's arithmetic -----------------------------------------------------------------------------------------

  /// A thread's `points` x `width` points of the tile.
  struct Thread {
    int row;
    int col;
    bool is_idle;          ///< beyond the last whole row of threads: computes what another does, and stores nothing
    int side[2 * reach];   ///< where its vectors left and right begin in the slot, in row 0 of its points
    int pitch[2 * reach];  ///< and how far one row is from the next there

    DMA_HOST_DEVICE explicit Thread(int rank)
        : row(rank / threads_a_row * points), col(rank % threads_a_row * width), is_idle(row >= rows) {
      row = is_idle ? 0 : row;
      for (int i = 0; i < 2 * reach; ++i) {
        const int c = col + (i < reach ? i - reach : i - reach + 1) * width;
        pitch[i] = c >= 0 && c < cols ? cols : side_cols;
        side[i] = c < 0       ? Plane::template index_of<1>(0, row, side_cols + c)
                  : c >= cols ? Plane::template index_of<2>(0, row, c - cols)
                              : Plane::template index_of<0>(0, row + Radius, c);
      }
    }

    /// Adds a plane's contribution to the sums; see `Sums::add`.
    template <class Take>
    DMA_HOST_DEVICE void add(OwnSums& sums, const T* tile, const Star<T, Radius>& star, const Take& take) const {
      const T* const middle = tile + Plane::template index_of<0>(0, row, col);
      sums.add(
          star, [&](int i) { return vec_at(middle + i * cols); },
          [&](int i, int r) { return vec_at(tile + side[i] + r * pitch[i]); }, take);
    }
  };
};

}  // namespace stencil
