#pragma once

#include <dma/machine/emulated_thread.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

namespace dma::host {

/// Runs the threads of a DMA group one after another, without any wait: enough for an engine's `load` and `store`. An
/// operation that needs a second thread throws.
class SingleGroupEmulator final : public machine::EmulatedThread {
 public:
  SingleGroupEmulator() : outer_(std::exchange(machine::running_thread, this)) {}
  ~SingleGroupEmulator() override { machine::running_thread = outer_; }

  /// Selects the thread that runs next. Which lane is elected depends on it.
  void become(int rank) { rank_ = rank; }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int threads() const noexcept override { return 32; }
  [[nodiscard]] Index3 block() const noexcept override { return {}; }
  [[nodiscard]] Index3 blocks() const noexcept override { return {}; }
  [[nodiscard]] void* shared() const noexcept override { return nullptr; }
  [[nodiscard]] std::size_t shared_bytes() const noexcept override { return 0; }

  void sync_cta() override {}
  void sync_warp() override {}
  void shuffle(void*, std::size_t, int) override { refuse(); }
  void barrier_sync(int, int, const machine::Site&) override { refuse(); }
  void barrier_arrive(int, int, const machine::Site&) override { refuse(); }
  void slot_filled(const void*, const machine::TileShape&) override { refuse(); }
  void slot_used(const void*, const machine::TileShape&) override { refuse(); }
  void slot_held(const void*, int, bool) override { refuse(); }
  void slot_moving(const void*, const void*) override { refuse(); }
  void slots_gone(const void*, int) override { refuse(); }
  void claim_barriers(int, int) override { refuse(); }
  void release_barriers(int, int) override { refuse(); }
  void phase_init(void*, int) override { refuse(); }
  void phase_invalidate(void*) override { refuse(); }
  void phase_arrive(void*, const machine::Site&) override { refuse(); }
  void phase_wait(void*, unsigned, const machine::Site&) override { refuse(); }
  [[nodiscard]] bool phase_is_complete(const void*, unsigned) override {
    refuse();
    return false;
  }
  void phase_expect(void*, int, const machine::Site&) override { refuse(); }
  void phase_arrive_when_copied(void*, const machine::Site&) override { refuse(); }

  /// Copies complete at once.
  void copy_async(unsigned char* to, const unsigned char* from, int bytes) override { copy(to, from, bytes); }
  void wait_for_async_copies() override {}
  void copy_bulk_to_shared(unsigned char* to, const unsigned char* from, int bytes, void*) override {
    copy(to, from, bytes);
  }
  void copy_bulk_to_global(unsigned char* to, const unsigned char* from, int bytes) override { copy(to, from, bytes); }
  void copy_box_to_shared(unsigned char*, machine::BoxCopy box, int, void*) override { box(); }
  void copy_box_to_global(const unsigned char*, machine::BoxCopy box, int) override { box(); }
  void commit_bulk_group() override {}
  void wait_for_bulk_groups(int) override {}
  void wait_for_bulk_reads(int) override {}
  void begin_async_reads(const void*, int) override {}
  void commit_async_reads() override {}
  void wait_for_async_reads(int) override {}

 private:
  static void refuse() {
    throw std::logic_error(
        "dma::host::SingleGroupEmulator: an engine without a pipeline has no barriers, slots or shuffles; run a "
        "pipeline by dma::host::launch");
  }

  static void copy(unsigned char* to, const unsigned char* from, int bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  machine::EmulatedThread* outer_;
  int rank_ = 0;
};

}  // namespace dma::host
