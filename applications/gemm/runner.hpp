#pragma once

/// Multiplies on the GPU (device.cu) or on the emulator (host.cpp). Arrays are in host memory.

#include "plan.hpp"
#include "problem.hpp"

#include <string>

namespace gemm {

struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Multiprocessors, which plans are made for.
  [[nodiscard]] virtual int sms() const = 0;
  /// Multiplies once. All of C's rows are written back, what is between them too.
  virtual void run(const Problem<BFloat16>& p, const Plan& plan) = 0;
  virtual void run(const Problem<Half>& p, const Plan& plan) = 0;
  /// Seconds of one product of the last `run`: the median, over arrays that are not in a cache. 0 where nothing is
  /// measured.
  [[nodiscard]] virtual double time() { return 0; }
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

}  // namespace gemm
