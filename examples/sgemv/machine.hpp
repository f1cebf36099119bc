#pragma once

/// Where SGEMV runs: the GPU (device.cu) or the host's CTA (host.cpp). Both take the problem in host memory.

#include "kernel.hpp"

#include <string>
#include <string_view>

namespace sgemv {

/// Something that runs the kernels of `variants.hpp` and says how long they took.
struct Machine {
  virtual ~Machine() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string toolkit() const = 0;

  /// Takes A and x of `p`, which stay the caller's; `p.y` is where `run` leaves its result.
  virtual void load(const Problem& p) = 0;
  /// Computes y once, over a y that was poisoned.
  virtual void run(std::string_view variant) = 0;
  /// Median seconds of one launch, over inputs that are not in a cache where memory suffices.
  [[nodiscard]] virtual double time(std::string_view variant) = 0;
  /// Bytes a second of the machine's own copy, read and written.
  [[nodiscard]] virtual double copy_rate() = 0;
};

Machine& host_machine();
/// Null where there is no GPU; `reason` then says why.
Machine* device_machine(std::string& reason);

}  // namespace sgemv
