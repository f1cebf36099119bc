#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

/// The operands of the tensor cores' matrix products: how a descriptor says where they are.
namespace dma::inline v0_1::machine {

/// Which index of an operand is contiguous in shared memory: that of the sum (k), or that of the result's row or
/// column.
enum class Major { k, mn };

/// Where an operand of a product is in shared memory, as its descriptor has it.
///
/// Rows of 16 bytes, or of the swizzle's, make blocks of eight, a row after the other. The two strides lead from block
/// to block:
///
/// | contiguous | swizzle | `leading_bytes` | `stride_bytes` |
/// | --- | --- | --- | --- |
/// | k | none | to the next 16 bytes of k | to the next 8 of m or n |
/// | k | 32, 64 or 128 bytes | | to the next 8 of m or n |
/// | m or n | none | to the next 8 of k | to the next 16 bytes of m or n |
/// | m or n | 32, 64 or 128 bytes | to the next 32, 64 or 128 bytes of m or n | to the next 8 of k |
///
/// Source  PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout": strides, canonical layouts, descriptor
struct MatrixOperand {
  unsigned address;  ///< in the .shared window
  int leading_bytes;
  int stride_bytes;
  int swizzle_bytes;  ///< 0, 32, 64 or 128

  [[nodiscard]] DMA_HOST_DEVICE constexpr stdlib::uint64_t encoded() const noexcept {
    const unsigned mode = swizzle_bytes == 128 ? 1 : swizzle_bytes == 64 ? 2 : swizzle_bytes == 32 ? 3 : 0;
    return field(address) | field(static_cast<unsigned>(leading_bytes)) << 16 |
           field(static_cast<unsigned>(stride_bytes)) << 32 | stdlib::uint64_t{mode} << 62;
  }
  [[nodiscard]] static constexpr MatrixOperand decoded(stdlib::uint64_t bits) noexcept {
    constexpr int sizes[] = {0, 128, 64, 32};
    return {static_cast<unsigned>(bits & mask) << 4, static_cast<int>((bits >> 16) & mask) << 4,
            static_cast<int>((bits >> 32) & mask) << 4, sizes[bits >> 62]};
  }

  /// The address of element (`mn`, `k`) of two bytes; an access of 16 bytes stays within a row.
  [[nodiscard]] constexpr unsigned place_of(Major major, int mn, int k) const noexcept {
    constexpr int size = 2;
    const int row_bits = swizzle_bytes == 128 ? 7 : swizzle_bytes == 64 ? 6 : swizzle_bytes == 32 ? 5 : 4;
    const int along = (major == Major::k ? k : mn) * size;  // the contiguous index, in bytes
    const int across = major == Major::k ? mn : k;
    // Without a swizzle, k is the leading index of both; with one, it is the contiguous one.
    const bool leads_along = swizzle_bytes != 0 || major == Major::k;
    const int along_stride = leads_along ? leading_bytes : stride_bytes;
    const int across_stride = leads_along ? stride_bytes : leading_bytes;
    const int row_bytes = 1 << row_bits;
    const int offset = (along >> row_bits) * along_stride + (along & (row_bytes - 1)) + (across >> 3) * across_stride +
                       ((across & 7) << row_bits);
    const unsigned place = address + static_cast<unsigned>(offset);
    return swizzle_bytes == 0 ? place : place ^ ((place >> 3) & static_cast<unsigned>(swizzle_bytes - 16));
  }

 private:
  static constexpr stdlib::uint64_t mask = 0x3fff;
  /// 18 bits without the last four.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr stdlib::uint64_t field(unsigned value) noexcept {
    return (value >> 4) & mask;
  }
};

}  // namespace dma::inline v0_1::machine
