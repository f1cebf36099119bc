#pragma once

#include <dma/host/thread.hpp>

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace dma::host {

/// The threads of a DMA group one after another, with nobody to wait for: enough to run an engine's `load` many times.
/// Whatever would need a second thread throws.
class LoneWarps final : public Thread {
 public:
  LoneWarps() : outer_(std::exchange(running_thread, this)) {}
  ~LoneWarps() override { running_thread = outer_; }

  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int threads() const noexcept override { return 32; }
  [[nodiscard]] Index3 block() const noexcept override { return {}; }
  [[nodiscard]] Index3 blocks() const noexcept override { return {}; }
  [[nodiscard]] void* shared() const noexcept override { return nullptr; }

  void sync_cta() override {}
  void sync_warp() override {}
  void shuffle(void*, std::size_t, int) override { refuse(); }
  void barrier_sync(int, int, const Site&) override { refuse(); }
  void barrier_arrive(int, int, const Site&) override { refuse(); }
  void slot_filled(const void*, int) override { refuse(); }
  void slot_used(const void*, int) override { refuse(); }
  void slot_held(const void*, bool) override { refuse(); }
  void slot_moving(const void*) override { refuse(); }
  void claim_barriers(int, int) override { refuse(); }
  void release_barriers(int, int) override { refuse(); }
  void phase_init(void*, int) override { refuse(); }
  void phase_invalidate(void*) override { refuse(); }
  void phase_arrive(void*, const Site&) override { refuse(); }
  void phase_wait(void*, unsigned, const Site&) override { refuse(); }

 private:
  static void refuse() {
    throw std::logic_error("dma::host::LoneWarps: an engine alone waits for nobody; run a pipeline through launch");
  }

  Thread* outer_;
};

}  // namespace dma::host
