#pragma once

namespace dma {

/// How the copies of an engine come to an end, which decides the barriers that can say "full" for it.
enum class Completion {
  stores,       ///< ordinary stores: done when the thread arrives
  async_group,  ///< asynchronous copies of a thread: done when its group is
  transaction,  ///< a byte count: done when the barrier has seen them all
};

}  // namespace dma
