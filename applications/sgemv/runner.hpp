#pragma once

/// Runs SGEMV on the GPU (device.cu) or on the emulator (host.cpp). Both take the problem in host memory.

#include "problem.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sgemv {

/// Elements of an array that holds a vector of `count` at a stride.
[[nodiscard]] inline std::size_t elements_of(int count, int stride) {
  return count == 0 ? 0
                    : (static_cast<std::size_t>(count) - 1) *
                              static_cast<std::size_t>(std::abs(static_cast<long long>(stride))) +
                          1;
}

/// Runs the kernels of `variants.hpp` and, on a GPU, measures them.
struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;

  /// Loads A and x of `p`, which stay the caller's; `p.y` is the initial value of each `run`, and receives its result.
  virtual void load(const Problem& p) = 0;
  /// Computes y once.
  virtual void run(std::string_view variant) = 0;
  /// Seconds of one launch: the median, over inputs that are not in a cache.
  [[nodiscard]] virtual double time(std::string_view) { return 0; }
  /// Bytes a second of the machine's own copy, read and written; 0 where nothing is measured, since an emulator's time
  /// does not represent a kernel's.
  [[nodiscard]] virtual double copy_rate() { return 0; }
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

}  // namespace sgemv
