#pragma once

namespace dma::inline v0_1 {

/// How an engine's copies complete, in the words of the PTX ISA and of libcu++. A barrier supports some of these
/// (`supports`), and tracks some by itself (`completes_asynchronously`).
enum class Completion {
  sync,                  ///< ordinary loads and stores: complete when the thread arrives
  async_group,           ///< cp.async: complete when the thread's group is (cp.async.wait_all, or an mbarrier arrival)
  mbarrier_complete_tx,  ///< bulk loads: complete when the mbarrier has counted their bytes
  bulk_group,            ///< bulk stores: the issuing thread waits until shared memory has been read (wait_group.read)
};

}  // namespace dma::v0_1
