#include "host.hpp"

#include "host_backward.hpp"
#include "runner.hpp"

namespace attention {
namespace {

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] int sms() const override { return 4; }
  void run(Case<BFloat16>& c, const Plan& plan) override { attend_on_host(c.p, plan); }
  void run(Case<Half>& c, const Plan& plan) override { attend_on_host(c.p, plan); }
  void run(PagedCase<BFloat16>& c, const PagedPlan& plan) override { attend_on_host(c.p, plan); }
  void run(PagedCase<Half>& c, const PagedPlan& plan) override { attend_on_host(c.p, plan); }
  void run(BackwardCase<BFloat16>& c, const BackwardPlan& plan) override { attend_backward_on_host(c.backward, plan); }
  void run(BackwardCase<Half>& c, const BackwardPlan& plan) override { attend_backward_on_host(c.backward, plan); }
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(ATTENTION_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace attention
