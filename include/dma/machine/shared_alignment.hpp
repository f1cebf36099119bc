#pragma once

namespace dma::machine {

/// What the address of a kernel body's shared memory is a multiple of: the most that a tile may ask for.
inline constexpr int shared_alignment = 1024;

}  // namespace dma::machine
