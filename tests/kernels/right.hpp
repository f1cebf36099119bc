#pragma once

#include <dma/dma.hpp>

/// Unusual kernels that are right, for the host and for a GPU. A kernel has
///
/// - `name`, `ctas`, and how many integers it reads and writes: `in_count`, `out_count`;
/// - `operator()(cta, in, out, words)`; the words are zero before each launch;
/// - `expected(in, i)`: what `out[i]` is afterwards, by a formula that has nothing of the kernel.
namespace right {

using Word = unsigned long long;
inline constexpr int word_count = 16;

/// What `out` holds before a launch; elements that no thread writes keep it.
inline constexpr int untouched = -77777;

/// Element i of `in`.
[[nodiscard]] constexpr int number(int i) {
  const unsigned hash = static_cast<unsigned>(i) * 2654435761U;
  return static_cast<int>(hash >> 12) % 2001 - 1000;
}

inline constexpr int count = 64;  ///< elements of a tile
using Tile = dma::Sequential<int, count>;

template <int ComputeWarps, int... DmaWarps>
using Warps = dma::WarpLayout<dma::Compute<ComputeWarps>, dma::Dma<DmaWarps>...>;

using Phase = dma::CudaBarrier;
using Named = dma::NamedBarrier;
using Registers = dma::RegisterCopy<>;
using Async = dma::AsyncCopy<>;
using Bulk = dma::BulkCopy<>;

template <class Pipe>
struct OneStorage {
  typename Pipe::Storage storage;
};

/// A list of kernels.
template <class... Kernels>
struct List {};

}  // namespace right
