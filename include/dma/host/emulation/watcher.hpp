#pragma once

#include <dma/machine/emulated_thread.hpp>

namespace dma::host {

/// Takes a place between the threads of a CTA and the emulator, to record them or to schedule them.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  /// What the kernel sees in the place of `thread`; alive as long as the CTA.
  [[nodiscard]] virtual machine::EmulatedThread& watch(machine::EmulatedThread& thread) = 0;
  /// The kernel has returned in a thread. Called on that thread.
  ///
  /// @param watched  what `watch` returned for it
  virtual void end_thread(machine::EmulatedThread& watched) = 0;
};

}  // namespace dma::host
