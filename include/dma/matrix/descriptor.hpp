#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/machine/matrix.hpp>
#include <dma/machine/product_element.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

using machine::Major;

/// Part `Index` of a `Concat`, as an argument: `dma::part<1>`.
template <int Index>
inline constexpr Constant<Index> part{};

namespace detail {

/// What a tile is as an operand of matrix products. Its rows are dense, one swizzle wide, and contiguous in the major
/// index: with `Major::k` a row is one of the result's rows or columns (the k index of 64 elements, if the swizzle has
/// 128 bytes, or of 128 that have one byte), with `Major::mn` a row has one k. Planes of a `Tile3D` follow one another
/// in the major index.
template <class Pattern, Major Direction>
struct MatrixTile {
  using Element = typename Pattern::Element;

  static_assert(machine::HalfFloat<Element>::is_known || machine::ByteFloat<Element>::is_known,
                "dma::matrix_descriptor: matrix products are of __nv_bfloat16, __half, __nv_fp8_e4m3 and "
                "__nv_fp8_e5m2; use one of them as Element");
  static_assert(!machine::ByteFloat<Element>::is_known || Direction == Major::k,
                "dma::matrix_descriptor: products take elements of one byte contiguous in k only; use Major::k, and "
                "tiles whose rows are along k");
  static_assert(
      requires { typename Pattern::Tile; },
      "dma::matrix_descriptor: the tile has no rows of constant pitch, as operands of matrix products need; "
      "use dma::Tile2D, dma::Tile3D, dma::Strided or dma::Indirect");
  using Tile = typename Pattern::Tile;

  static constexpr int swizzle = swizzle_bytes(Tile::swizzle);
  static constexpr int row_bytes = swizzle == 0 ? 16 : swizzle;
  static_assert(
      Tile::row_bytes == row_bytes && Tile::pitch_bytes == row_bytes,
      "dma::matrix_descriptor: rows of an operand of matrix products are dense and exactly as wide as the "
      "swizzle: 128, 64 or 32 bytes, or 16 without one; use RowLayout{.swizzle = Swizzle::bytes_128} and rows "
      "of 64 elements, and planes of a Tile3D for more");
  static constexpr int planes = Tile::planes;
  static_assert(
      Tile::rows % 8 == 0 && (planes == 1 || Tile::plane_pitch_bytes % (8 * row_bytes) == 0),
      "dma::matrix_descriptor: an operand of matrix products is made of blocks of 8 rows; use a multiple of 8 "
      "rows, and planes without other bytes between them");

  static constexpr int along = row_bytes / int{sizeof(Element)};  ///< elements of a row
  static constexpr bool is_along_k = Direction == Major::k;
  static constexpr int k_extent = is_along_k ? along * planes : Tile::rows;
  static constexpr int mn_extent = is_along_k ? Tile::rows : along * planes;
  static constexpr int k_step = machine::k_of_product<Element>;
  static_assert(Tile::row_bytes != row_bytes || k_extent % k_step == 0,
                "dma::matrix_descriptor: a product sums over 16 values of k, 32 of one byte, and this tile has no "
                "multiple of them; make its rows or planes longer along k");

  /// Where an instruction's operand may begin along m or n.
  static constexpr int mn_step = is_along_k ? 8 : along;
  /// Bytes from the tile's start to (mn, k), multiples of these steps; not swizzled.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int mn, int k) noexcept {
    const int major = is_along_k ? k : mn;
    const int row = is_along_k ? mn : k;
    return major / along * Tile::plane_pitch_bytes + major % along * int{sizeof(Element)} + row * row_bytes;
  }
  /// Bytes from the tile's start to the row that has (mn, k), as a swizzle leaves it.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int row_at(int mn, int k) noexcept {
    const int major = is_along_k ? k : mn;
    return major / along * Tile::plane_pitch_bytes + (is_along_k ? mn : k) * row_bytes;
  }
  /// The strides, for a tile that begins at `address`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr stdlib::uint64_t descriptor(unsigned address) noexcept {
    constexpr int block = 8 * row_bytes;
    constexpr int plane = planes == 1 ? block : Tile::plane_pitch_bytes;
    // Without a swizzle the leading index is k whatever is contiguous.
    constexpr bool plane_leads = swizzle != 0 || is_along_k;
    return machine::MatrixOperand{address, plane_leads ? plane : block, plane_leads ? block : plane, swizzle}.encoded();
  }
};

/// An operand of `multiply_add` in shared memory, from (`mn`, `k`) of a tile on.
template <class Pattern, Major Direction>
struct MatrixDescriptor {
  using Tile = MatrixTile<Pattern, Direction>;
  using Element = typename Tile::Element;
  static constexpr Major major = Direction;

  stdlib::uint64_t first;  ///< at (mn, 0)
  int mn;
  int k;

  /// The instruction's operand `steps` values of k further on, a multiple of `k_step`.
  [[nodiscard]] DMA_HOST_DEVICE constexpr stdlib::uint64_t at(int steps) const noexcept {
    return first + static_cast<stdlib::uint64_t>(Tile::place_of(0, k + steps) >> 4);
  }
  /// Reports that products read `extent` rows or columns and `count` values of k: the rows of the tile that have them.
  DMA_HOST_DEVICE void begin_reads(int extent, int count) const {
    machine::begin_operand_reads(first, begin_of_reads(), bytes_of_reads(extent, count));
  }
  /// Of these rows: where the first begins, in bytes from the descriptor's address, and how many bytes they have.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int begin_of_reads() const noexcept {
    return Tile::row_at(mn, k) - Tile::place_of(mn, 0);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int bytes_of_reads(int extent, int count) const noexcept {
    return Tile::row_at(mn + extent - 1, k + count - 1) + Tile::row_bytes - Tile::row_at(mn, k);
  }
};

/// Whether a type is a `MatrixDescriptor`.
template <class T>
inline constexpr bool is_matrix_descriptor = false;
template <class Pattern, Major Direction>
inline constexpr bool is_matrix_descriptor<MatrixDescriptor<Pattern, Direction>> = true;

/// An operand of a product in shared memory: what `matrix_descriptor` makes.
template <class T>
concept SharedOperand = is_matrix_descriptor<T>;

}  // namespace detail

/// The descriptor of a tile in shared memory that is laid out as `Pattern` says: an operand A whose rows begin at `mn`,
/// or an operand B whose columns do, from `k` on. All but the address is constant.
///
/// @pre The tile is on its pattern's alignment. `mn` is a multiple of 8, or with `Major::mn` of a row's elements; `k`
///      is a multiple of 16, of 32 for elements of one byte, which have `Major::k`.
/// Source  PTX ISA, "Matrix Descriptor Format" of wgmma
template <Major Direction, class Pattern>
[[nodiscard]] DMA_HOST_DEVICE detail::MatrixDescriptor<Pattern, Direction> matrix_descriptor(const void* tile,
                                                                                             int mn = 0, int k = 0) {
  using Tile = detail::MatrixTile<Pattern, Direction>;
  DMA_EXPECTS(mn >= 0 && mn % Tile::mn_step == 0 && mn < Tile::mn_extent && k >= 0 && k % Tile::k_step == 0 &&
                  k < Tile::k_extent,
              "dma::matrix_descriptor: an operand begins outside its tile, or between two blocks of it; make k a "
              "multiple of 16, or 32 of one byte, and the row or column one of 8, or of a swizzled row's elements with "
              "Major::mn",
              "row or column", mn, "its step", int{Tile::mn_step}, "k", k);
  const unsigned address = machine::matrix_address(tile);
  DMA_EXPECTS(address % unsigned{Pattern::Tile::tile_alignment} == 0,
              "dma::matrix_descriptor: the tile does not begin on its pattern's tile_alignment, so that its swizzle "
              "would be another one; place it on a multiple of it",
              "address", address, "tile_alignment", int{Pattern::Tile::tile_alignment});
  return {Tile::descriptor(address + static_cast<unsigned>(Tile::place_of(mn, 0))), mn, k};
}

/// The same of the tile in a slot.
template <Major Direction, class Slot>
[[nodiscard]] DMA_HOST_DEVICE auto matrix_descriptor(const Slot& slot, int mn = 0, int k = 0) requires requires {
  typename Slot::Pattern;
}
{ return matrix_descriptor<Direction, typename Slot::Pattern>(slot.address(), mn, k); }

/// The same of part `Index` of a slot's `Concat`: `matrix_descriptor<Major::k>(slot, dma::part<1>, row)`.
template <Major Direction, class Slot, int Index>
[[nodiscard]] DMA_HOST_DEVICE auto matrix_descriptor(const Slot& slot, Constant<Index>, int mn = 0,
                                                     int k = 0) requires(CompositePattern<typename Slot::Pattern>) {
  using Whole = typename Slot::Pattern;
  using Part = stdlib::remove_cvref_t<decltype(stdlib::declval<const Whole&>().template part<Index>())>;
  return matrix_descriptor<Direction, Part>(
      static_cast<const unsigned char*>(slot.address()) + Whole::template part_shared_bytes<Index>(), mn, k);
}

}  // namespace dma::inline v0_1
