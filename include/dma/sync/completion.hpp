#pragma once

namespace dma {

/// How the copies of an engine come to an end, which decides the barriers that can say so for it.
enum class Completion {
  stores,       ///< ordinary accesses: done when the thread arrives
  async_group,  ///< asynchronous copies of a thread: done when its group is
  transaction,  ///< a byte count: done when the barrier has seen them all
  bulk_group,   ///< bulk copies out of shared memory: the thread that issued them waits until they have read it
};

}  // namespace dma
