#pragma once

/// Runs plans on the GPU (device.cu) or on the emulator (host.cpp). Arrays of the caller are in host memory.

#include "plan.hpp"

#include <string>

namespace fft {

struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Multiprocessors, which plans are made for.
  [[nodiscard]] virtual int sms() const = 0;
  /// Transforms once; `work` is for the emulator alone.
  virtual void run(const Plan& plan, const Complex* in, Complex* out, Complex* work) = 0;
  /// Seconds of one transform of random points: the median, over inputs that are not in a cache. 0 where nothing is
  /// measured.
  [[nodiscard]] virtual double time(const Plan&) { return 0; }
  /// Seconds of the machine's own copy of as many points; 0 where nothing is measured.
  [[nodiscard]] virtual double time_of_copy(const Plan&) { return 0; }
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

}  // namespace fft
