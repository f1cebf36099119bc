#pragma once

/// Attends, and computes gradients, on the GPU (device.cu) or on the emulator (host.cpp). Arrays are in host memory.

#include "backward_case.hpp"
#include "backward_plan.hpp"
#include "paged_case.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "reference.hpp"

#include <string>

namespace attention {

struct Runner {
  virtual ~Runner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Multiprocessors, which plans are made for.
  [[nodiscard]] virtual int sms() const = 0;
  /// Attends once. All of O's array is written back, what is between its rows too.
  virtual void run(Case<BFloat16>& c, const Plan& plan) = 0;
  virtual void run(Case<Half>& c, const Plan& plan) = 0;
  virtual void run(PagedCase<BFloat16>& c, const PagedPlan& plan) = 0;
  virtual void run(PagedCase<Half>& c, const PagedPlan& plan) = 0;
  /// Computes the gradients once, from O and the logarithms of the case.
  virtual void run(BackwardCase<BFloat16>& c, const BackwardPlan& plan) = 0;
  virtual void run(BackwardCase<Half>& c, const BackwardPlan& plan) = 0;
  /// Median seconds of the last `run` on the same arrays, 0 where nothing is measured.
  [[nodiscard]] virtual double time() { return 0; }
};

Runner& host_runner();
/// Null where there is no GPU; `reason` then holds the reason.
Runner* device_runner(std::string& reason);

}  // namespace attention
