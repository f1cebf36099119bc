#pragma once

/// The paper's kernels (SC'11, section 6.2): CTAs march along z with a compute thread for each point of their tile, a
/// plane at a time in shared memory, as the scheme of 2009 does. DMA warps bring the halo and, in block-halo, the tile.

#include "field.hpp"

#include <dma/dma.hpp>

namespace stencil {

inline constexpr int paper_cols = 32;
inline constexpr int paper_rows = 8;
inline constexpr int paper_warps = paper_cols * paper_rows / dma::warp_size;
inline constexpr int halo_warps = 2;
inline constexpr int block_warps = 2;

/// As many CTAs an SM as leave each thread the 64 registers that a column takes.
[[nodiscard]] constexpr int paper_ctas(int threads) { return dma::sm_registers / (64 * threads); }

/// A plane of the tile with its halo; the tile is left open, for the compute threads to fill in.
template <class T, int Radius>
using Halo = dma::Halo2D<T, paper_cols, paper_rows, Radius, dma::Corners::left_out>;
template <class T, int Radius>
[[nodiscard]] DMA_HOST_DEVICE Halo<T, Radius> halo_at(const Field<const T>& u, int x, int y) {
  return {u.pitch * static_cast<long long>(sizeof(T)), u.ny, u.nx, y, x, T{}};
}

/// What a thread knows of its column: the values `Radius` planes before and behind the plane at hand.
template <class T, int Radius>
struct Column {
  T value[2 * Radius + 1] = {};

  [[nodiscard]] DMA_HOST_DEVICE T centre() const { return value[Radius]; }
  DMA_HOST_DEVICE void advance(T next) {
#pragma unroll
    for (int k = 0; k < 2 * Radius; ++k) {
      value[k] = value[k + 1];
    }
    value[2 * Radius] = next;
  }

  /// The star around point (r, c) of a plane.
  template <class Plane>
  [[nodiscard]] DMA_HOST_DEVICE T sum(const Star<T, Radius>& star, const Plane& plane, int r, int c) const {
    T sum = star.c[0] * centre();
#pragma unroll
    for (int k = 1; k <= Radius; ++k) {
      sum += star.c[k] * (value[Radius - k] + value[Radius + k] + plane(r - k, c) + plane(r + k, c) + plane(r, c - k) +
                          plane(r, c + k));
    }
    return sum;
  }
};

/// halo-only-*: DMA warps load the halo, compute threads their own points, a plane `Radius` ahead into registers.
template <class T, int Radius, class Buffering, class Epilogue>
struct HaloOnly {
  using Layout = typename Buffering::Layout;
  static constexpr int min_ctas = paper_ctas(Layout::threads);
  using Pipe = dma::DmaPipeline<Halo<T, Radius>, Buffering>;

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<HaloOnly>& cta, const Field<const T>& u, const Star<T, Radius>& star,
                                  const Epilogue& epilogue) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const int first_x = cta.block().x * paper_cols;
    const int first_y = cta.block().y * paper_rows;
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int z : dma.share(0, u.nz)) {
        dma.load(u.data + z * u.plane_pitch(), halo_at<T, Radius>(u, first_x, first_y));
      }
    } else {
      const auto compute = pipe.as_compute();
      const int c = compute.rank() % paper_cols;
      const int r = compute.rank() / paper_cols;
      const bool is_inside = first_x + c < u.nx && first_y + r < u.ny;
      const long long at = u.at(first_x + c, first_y + r, 0);
      Column<T, Radius> column;
      for (int z = -Radius; z < u.nz; ++z) {
        column.advance(is_inside && z + Radius < u.nz ? u.data[at + (z + Radius) * u.plane_pitch()] : T{});
        if (z >= 0) {
          const auto plane = compute.wait();
          plane(r, c) = column.centre();
          compute.sync();
          if (is_inside) {
            epilogue.one(at + z * u.plane_pitch(), z, column.sum(star, plane, r, c));
          }
        }
      }
    }
  }
};

/// block-halo-*: other DMA warps load the plane of the tile that is `Radius` ahead, in wider accesses.
template <class T, int Radius, class BufferingOfHalo, class BufferingOfBlock, class Epilogue>
struct BlockHalo {
  using Layout = typename BufferingOfHalo::Layout;
  static constexpr int min_ctas = paper_ctas(Layout::threads);
  using Block = dma::Tile3D<T, paper_cols, paper_rows, 1, dma::RowLayout{.alignment = 16}>;
  using PipeOfHalo = dma::DmaPipeline<Halo<T, Radius>, BufferingOfHalo>;
  using PipeOfBlock = dma::DmaPipeline<Block, BufferingOfBlock>;

  struct Shared {
    typename PipeOfHalo::Storage halo;
    typename PipeOfBlock::Storage block;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<BlockHalo>& cta, const Field<const T>& u, const Star<T, Radius>& star,
                                  const Epilogue& epilogue) const {
    auto& shared = cta.template shared<Shared>();
    PipeOfHalo halos(cta, shared.halo);
    PipeOfBlock blocks(cta, shared.block);
    const int first_x = cta.block().x * paper_cols;
    const int first_y = cta.block().y * paper_rows;
    if (halos.is_dma()) {
      const auto dma = halos.as_dma();
      for (int z : dma.share(0, u.nz)) {
        dma.load(u.data + z * u.plane_pitch(), halo_at<T, Radius>(u, first_x, first_y));
      }
    } else if (blocks.is_dma()) {
      const auto dma = blocks.as_dma();
      for (int z : dma.share(0, u.nz + Radius)) {
        // Rows as long as their padding, so that all of their accesses are whole.
        const auto size = static_cast<long long>(sizeof(T));
        dma.load(u.data, Block{u.pitch * size, u.plane_pitch() * size, u.nz, u.ny, static_cast<int>(u.pitch), z,
                               first_y, first_x, T{}});
      }
    } else {
      const auto halo = halos.as_compute();
      const auto block = blocks.as_compute();
      const int c = halo.rank() % paper_cols;
      const int r = halo.rank() / paper_cols;
      const bool is_inside = first_x + c < u.nx && first_y + r < u.ny;
      const long long at = u.at(first_x + c, first_y + r, 0);
      Column<T, Radius> column;
      for (int z = -Radius; z < u.nz; ++z) {
        column.advance(block.wait()(0, r, c));
        if (z >= 0) {
          const auto plane = halo.wait();
          plane(r, c) = column.centre();
          halo.sync();
          if (is_inside) {
            epilogue.one(at + z * u.plane_pitch(), z, column.sum(star, plane, r, c));
          }
        }
      }
    }
  }
};

using PaperWarps = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<halo_warps>>;
using PaperWarpsDouble = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<halo_warps>, dma::Dma<halo_warps>>;
using PaperWarpsOfBoth = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<halo_warps>, dma::Dma<block_warps>>;

template <class T, int Radius, class Epilogue>
using HaloOnlySingle = HaloOnly<T, Radius, dma::SingleBuffer<PaperWarps>, Epilogue>;
template <class T, int Radius, class Epilogue>
using HaloOnlyDouble = HaloOnly<T, Radius, dma::DoubleBuffer<PaperWarpsDouble>, Epilogue>;
template <class T, int Radius, class Epilogue>
using HaloOnlyManual = HaloOnly<T, Radius, dma::ManualDoubleBuffer<PaperWarps>, Epilogue>;
template <class T, int Radius, class Epilogue>
using BlockHaloSingle =
    BlockHalo<T, Radius, dma::SingleBuffer<PaperWarpsOfBoth>, dma::SingleBuffer<PaperWarpsOfBoth, 1>, Epilogue>;

}  // namespace stencil
