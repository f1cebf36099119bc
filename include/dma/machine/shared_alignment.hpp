#pragma once

namespace dma::machine {

/// The multiple that the address of a kernel body's shared memory is: the largest alignment of a tile.
inline constexpr int shared_alignment = 1024;

}  // namespace dma::machine
