#pragma once

/// A tile of some rows of one head, as the tensor cores read it.

#include "problem.hpp"

#include <dma/dma.hpp>

namespace attention {

inline constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};
inline constexpr dma::RowLayout half_swizzled{.swizzle = dma::Swizzle::bytes_64};

/// `Rows` rows of a head in planes of `Wide` columns, 64 or 32, as many bytes as the swizzle: plane i has columns
/// `Wide` i and following. Rows beyond the head's last arrive as zeros, and are not stored.
///
/// Global  the address is that of the first head's first row
/// Shared  `T[Columns / Wide][Rows][Wide]`, swizzled
template <class T, int Columns, int Rows, int Wide = 64>
struct HeadTile : dma::Tile3D<T, dma::TileShape{.cols = Wide, .rows = Rows, .planes = Columns / Wide},
                              (Wide == 64 ? swizzled : half_swizzled)> {
  using Planes = dma::Tile3D<T, dma::TileShape{.cols = Wide, .rows = Rows, .planes = Columns / Wide},
                             (Wide == 64 ? swizzled : half_swizzled)>;

  long long head_pitch_bytes = 0;
  long long batch_pitch_bytes = 0;
  int heads = 1;
  int batches = 1;
  int head = 0;
  int batch = 0;

  constexpr HeadTile() = default;
  /// Rows `row` and following of a head, from column `column` on, of so many heads of `rows` rows and `columns`
  /// columns.
  template <class Element>
  DMA_HOST_DEVICE constexpr HeadTile(const Heads<Element>& of, int all_batches, int all_heads, int rows, int columns,
                                     int at_batch = 0, int at_head = 0, int at_row = 0, int at_column = 0)
      : Planes{of.row * 2, 2 * Wide, columns / Wide, rows, Wide, at_column / Wide, at_row, 0},
        head_pitch_bytes(of.head * 2),
        batch_pitch_bytes(of.batch * 2),
        heads(all_heads),
        batches(all_batches),
        head(at_head),
        batch(at_batch) {}

  [[nodiscard]] DMA_HOST_DEVICE constexpr dma::Run run_at(int i) const noexcept {
    dma::Run run = Planes::run_at(i);
    run.global += head * head_pitch_bytes + batch * batch_pitch_bytes;
    return run;
  }
  /// The box for a tensor map: columns, rows, planes, heads, batches.
  [[nodiscard]] DMA_HOST_DEVICE constexpr dma::Box<5> box() const noexcept {
    const dma::Box<3> planes = Planes::box();
    return {{planes.extents[0], planes.extents[1], planes.extents[2], 1, 1},
            {planes.array_extents[0], planes.array_extents[1], planes.array_extents[2], heads, batches},
            {planes.pitch_bytes[0], planes.pitch_bytes[1], planes.pitch_bytes[2], head_pitch_bytes, batch_pitch_bytes},
            {planes.position[0], planes.position[1], planes.position[2], head, batch},
            planes.swizzle,
            planes.is_dense};
  }
};

}  // namespace attention
