#include "host.hpp"

#include "runner.hpp"

namespace gemm {
namespace {

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] int sms() const override { return 4; }
  void run(const Problem<BFloat16>& p, const Plan& plan) override { multiply_on_host(p, plan); }
  void run(const Problem<Half>& p, const Plan& plan) override { multiply_on_host(p, plan); }
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(GEMM_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace gemm
