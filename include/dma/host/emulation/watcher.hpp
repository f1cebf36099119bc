#pragma once

#include <dma/machine/host/emulated_thread.hpp>

namespace dma::inline v0_1::host::detail {

/// An interface between the threads of a CTA and the emulator, to record the threads or to schedule them.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  /// The thread that the kernel calls instead of `thread`; it exists as long as the CTA.
  [[nodiscard]] virtual machine::EmulatedThread& watch(machine::EmulatedThread& thread) = 0;
  /// The kernel has returned in a thread. Called on that thread.
  ///
  /// @param watched  what `watch` returned for it
  virtual void end_thread(machine::EmulatedThread& watched) = 0;
};

}  // namespace dma::inline v0_1::host::detail
