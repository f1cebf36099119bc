#pragma once

#include <dma/config.hpp>
#include <dma/index3.hpp>

#include <cstddef>
#include <stdexcept>

/// What an emulated thread can ask of its CTA. This is all that the library's headers need to know of the host's CTA;
/// `dma/host/launch.hpp` holds the CTA itself.
namespace dma::host {

/// Where a thread of a kernel is, for a message a person can act on.
struct Site {
  const char* who = "";       ///< "compute warps", "DMA warps" or what else waits
  const char* state = "";     ///< what it waits for: "full", "empty"
  int stage = -1;             ///< of which slot, -1 for a wait that has none
  const char* pipeline = "";  ///< of which pipeline: the name of its type
};

/// The name of a type, as the compiler spells it, in a sentence of its own.
template <class Type>
[[nodiscard]] DMA_HOST_DEVICE constexpr const char* type_name() {
#if defined(__CUDA_ARCH__)
  return "";
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// One emulated thread, with the synchronization of a CTA as the PTX ISA defines it.
class Thread {
 public:
  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  virtual ~Thread() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;       ///< in the CTA
  [[nodiscard]] virtual int threads() const noexcept = 0;    ///< of the CTA
  [[nodiscard]] virtual Index3 block() const noexcept = 0;   ///< of this CTA in the grid
  [[nodiscard]] virtual Index3 blocks() const noexcept = 0;  ///< of the grid
  [[nodiscard]] virtual void* shared() const noexcept = 0;   ///< the CTA's shared memory
  [[nodiscard]] virtual std::size_t shared_bytes() const noexcept = 0;

  virtual void sync_cta() = 0;
  virtual void sync_warp() = 0;
  /// Every lane gives `bytes` bytes at `value` and takes those of lane `source`.
  virtual void shuffle(void* value, std::size_t bytes, int source) = 0;

  virtual void barrier_sync(int id, int threads, const Site& site) = 0;
  virtual void barrier_arrive(int id, int threads, const Site& site) = 0;

  virtual void phase_init(void* barrier, int arrivals) = 0;
  virtual void phase_invalidate(void* barrier) = 0;
  virtual void phase_arrive(void* barrier, const Site& site) = 0;
  virtual void phase_wait(void* barrier, unsigned parity, const Site& site) = 0;
};

/// The emulated thread that is running; fibers share one variable, so the scheduler sets it at each switch.
inline thread_local Thread* running_thread = nullptr;

[[nodiscard]] inline Thread& this_thread() {
  if (running_thread == nullptr) {
    throw std::logic_error("dma::host: there is no CTA here; run the kernel body through dma::host::launch");
  }
  return *running_thread;
}

}  // namespace dma::host
