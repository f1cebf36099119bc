#pragma once

namespace dma::inline v0_1::machine {

/// The value of one access of a register copy: 1, 2, 4, 8 or 16 bytes in registers.
template <int Bytes>
struct alignas(Bytes) Word {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "dma::machine::Word: an access is 1, 2, 4, 8 or 16 bytes; take the next of these");
  unsigned part[Bytes / 4];
};
template <>
struct alignas(2) Word<2> {
  unsigned short part[1];
};
template <>
struct alignas(1) Word<1> {
  unsigned char part[1];
};

}  // namespace dma::inline v0_1::machine
