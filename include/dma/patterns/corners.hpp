#pragma once

namespace dma {

/// Whether a halo includes the elements beside its tile along more than one axis: the squares at the corners of a ring,
/// the edges and corners of a shell. A star-shaped stencil does not read them.
enum class Corners { included, excluded };

}  // namespace dma
