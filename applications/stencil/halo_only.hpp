#pragma once

/// The paper's kernels (SC'11, section 6.2): CTAs march along z with one plane of their tile at a time in shared
/// memory, as in the scheme of 2009. DMA warps load its halo and, in block-halo, the tile. A compute thread has four
/// points.

#include "field.hpp"

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace stencil {

inline constexpr int paper_cols = 32;
inline constexpr int paper_rows = 32;
inline constexpr int points_a_thread = 4;  ///< so that each has that many loads in flight
inline constexpr int rows_apart = paper_rows / points_a_thread;
inline constexpr int paper_warps = paper_cols * rows_apart / dma::warp_size;
inline constexpr int halo_warps = 2;
inline constexpr int block_warps = 1;

/// As many CTAs an SM as still give each thread the registers that these kernels use.
template <class Layout>
inline constexpr int paper_ctas = 65536 / Layout::threads / (Layout::groups == 1 ? 64 : 96);

/// A plane of the tile with its halo; the compute threads fill in the tile.
template <class T, int Radius>
using Halo =
    dma::Halo2D<T, dma::HaloShape{
                       .cols = paper_cols, .rows = paper_rows, .radius = Radius, .corners = dma::Corners::excluded}>;
template <class T, int Radius>
[[nodiscard]] DMA_HOST_DEVICE Halo<T, Radius> halo_at(const Field<const T>& u, int x, int y) {
  return {u.pitch * static_cast<long long>(sizeof(T)), u.ny, u.nx, y, x, T{}};
}

/// A thread's values of its column: the `Radius` planes before and after the current plane.
template <class T, int Radius>
struct Column {
  T value[2 * Radius + 1] = {};

  [[nodiscard]] DMA_HOST_DEVICE T centre() const { return value[Radius]; }
  DMA_HOST_DEVICE void advance(T next) {
    dma::unrolled<2 * Radius>([&](auto k) { value[k] = value[k + 1]; });
    value[2 * Radius] = next;
  }

  /// The star around point (r, c) of a plane.
  template <class Plane>
  [[nodiscard]] DMA_HOST_DEVICE T sum(const Star<T, Radius>& star, const Plane& plane, int r, int c) const {
    T sum = star.c[0] * centre();
    dma::unrolled<Radius>([&](auto i) {
      constexpr int k = i + 1;
      sum += star.c[k] * (value[Radius - k] + value[Radius + k] + plane(r - k, c) + plane(r + k, c) + plane(r, c - k) +
                          plane(r, c + k));
    });
    return sum;
  }
};

/// The points of a compute thread, in its CTA's tile and in the domain.
template <class T>
struct OwnPoints {
  int col;
  int first_row;
  int rows_left;  ///< of the domain, from the first point on; none where its column is outside
  long long pitch;
  long long first_at;  ///< of the first point, in plane 0

  DMA_HOST_DEVICE OwnPoints(const Field<const T>& u, int rank, int first_x, int first_y)
      : col(rank % paper_cols),
        first_row(rank / paper_cols),
        rows_left(first_x + col < u.nx ? u.ny - first_y - first_row : 0),
        pitch(u.pitch),
        first_at(u.at(first_x + col, first_y + first_row, 0)) {}

  [[nodiscard]] DMA_HOST_DEVICE int row(int p) const { return first_row + p * rows_apart; }
  [[nodiscard]] DMA_HOST_DEVICE bool is_inside(int p) const { return p * rows_apart < rows_left; }
  [[nodiscard]] DMA_HOST_DEVICE long long at(int p) const { return first_at + p * rows_apart * pitch; }
  template <class Body>
  DMA_HOST_DEVICE void each(const Body& body) const {
    dma::unrolled<points_a_thread>(body);
  }
};

/// halo-only-*: DMA warps load the halo; compute threads load their own points into registers, `Radius` planes ahead.
template <class T, int Radius, class Buffering, class Epilogue>
struct HaloOnly {
  using Layout = typename Buffering::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = paper_ctas<Layout>};
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
      for (int z : dma.my_tiles({.last = u.nz})) {
        dma.load(u.data + z * u.plane_pitch(), halo_at<T, Radius>(u, first_x, first_y));
      }
    } else {
      const auto compute = pipe.as_compute();
      const OwnPoints<T> own(u, compute.rank(), first_x, first_y);
      Column<T, Radius> column[points_a_thread];
      T next[points_a_thread];
      own.each([&](int p) { next[p] = own.is_inside(p) ? u.data[own.at(p)] : T{}; });
      for (int z = -Radius; z < u.nz; ++z) {
        own.each([&](int p) {
          column[p].advance(next[p]);
          const int ahead = z + Radius + 1;
          next[p] = own.is_inside(p) && ahead < u.nz ? u.data[own.at(p) + ahead * u.plane_pitch()] : T{};
        });
        if (z >= 0) {
          const auto plane = compute.wait();
          own.each([&](int p) { plane(own.row(p), own.col) = column[p].centre(); });
          compute.sync();
          own.each([&](int p) {
            if (own.is_inside(p)) {
              epilogue.one(own.at(p) + z * u.plane_pitch(), z, column[p].sum(star, plane, own.row(p), own.col));
            }
          });
        }
      }
    }
  }
};

/// block-halo-*: other DMA warps load the plane of the tile that is `Radius` ahead, in wider accesses.
template <class T, int Radius, class BufferingOfHalo, class BufferingOfBlock, class Epilogue>
struct BlockHalo {
  using Layout = typename BufferingOfHalo::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = paper_ctas<Layout>};
  using Block = dma::Tile3D<T, dma::TileShape{.cols = paper_cols, .rows = paper_rows}, dma::RowLayout{.alignment = 16}>;
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
      for (int z : dma.my_tiles({.last = u.nz})) {
        dma.load(u.data + z * u.plane_pitch(), halo_at<T, Radius>(u, first_x, first_y));
      }
    } else if (blocks.is_dma()) {
      const auto dma = blocks.as_dma();
      for (int z : dma.my_tiles({.last = u.nz + Radius})) {
        // Rows include their padding, so that all of their accesses are whole.
        const auto size = static_cast<long long>(sizeof(T));
        dma.load(u.data, Block{u.pitch * size, u.plane_pitch() * size, u.nz, u.ny, static_cast<int>(u.pitch), z,
                               first_y, first_x, T{}});
      }
    } else {
      const auto halo = halos.as_compute();
      const auto block = blocks.as_compute();
      const OwnPoints<T> own(u, halo.rank(), first_x, first_y);
      Column<T, Radius> column[points_a_thread];
      for (int z = -Radius; z < u.nz; ++z) {
        {
          const auto ahead = block.wait();
          own.each([&](int p) { column[p].advance(ahead(0, own.row(p), own.col)); });
        }
        if (z >= 0) {
          const auto plane = halo.wait();
          own.each([&](int p) { plane(own.row(p), own.col) = column[p].centre(); });
          halo.sync();
          own.each([&](int p) {
            if (own.is_inside(p)) {
              epilogue.one(own.at(p) + z * u.plane_pitch(), z, column[p].sum(star, plane, own.row(p), own.col));
            }
          });
        }
      }
    }
  }
};

using PaperWarps = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<halo_warps>>;
using PaperWarpsDouble = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<halo_warps / 2>, dma::Dma<halo_warps / 2>>;
using PaperWarpsOfBoth = dma::WarpLayout<dma::Compute<paper_warps>, dma::Dma<1>, dma::Dma<block_warps>>;

template <class T, int Radius, class Epilogue>
using HaloOnlySingle = HaloOnly<T, Radius, dma::SingleBuffer<PaperWarps>, Epilogue>;
template <class T, int Radius, class Epilogue>
using HaloOnlyDouble = HaloOnly<T, Radius, dma::DoubleBuffer<PaperWarpsDouble>, Epilogue>;
template <class T, int Radius, class Epilogue>
using HaloOnlyManual = HaloOnly<T, Radius, dma::ManualDoubleBuffer<PaperWarps>, Epilogue>;
template <class T, int Radius, class Epilogue>
using BlockHaloSingle =
    BlockHalo<T, Radius, dma::SingleBuffer<PaperWarpsOfBoth>, dma::SingleBuffer<PaperWarpsOfBoth, 1>, Epilogue>;

template <class T>
[[nodiscard]] constexpr dma::Index3 paper_grid(const Field<const T>& u) {
  return {(u.nx + paper_cols - 1) / paper_cols, (u.ny + paper_rows - 1) / paper_rows};
}

/// Calls `run(kernel)` with the kernel body of that name.
template <class T, int Radius, class Epilogue, class Run>
void with_paper_kernel(std::string_view name, const Run& run) {
  if (name == "halo-only-single") {
    run(HaloOnlySingle<T, Radius, Epilogue>{});
  } else if (name == "halo-only-double") {
    run(HaloOnlyDouble<T, Radius, Epilogue>{});
  } else if (name == "halo-only-manual") {
    run(HaloOnlyManual<T, Radius, Epilogue>{});
  } else if (name == "block-halo-single") {
    run(BlockHaloSingle<T, Radius, Epilogue>{});
  } else {
    throw std::invalid_argument("stencil: there is no kernel " + std::string(name));
  }
}

}  // namespace stencil
