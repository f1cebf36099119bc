#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1 {

/// A contiguous range of bytes that moves as one, in either direction: the unit that patterns describe and engines
/// move.
struct Run {
  long long global;  ///< bytes from the tile's global address, may be negative
  int shared;        ///< bytes from the start of the tile in shared memory
  int bytes;         ///< length, 0 for a run that is clipped away

  friend constexpr bool operator==(const Run&, const Run&) = default;
};

}  // namespace dma::v0_1
