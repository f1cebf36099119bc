#pragma once

namespace dma::inline v0_1::machine {

/// The multiple that the address of a kernel body's shared memory is: the largest alignment of a tile.
inline constexpr int shared_alignment = 1024;

}  // namespace dma::v0_1::machine
