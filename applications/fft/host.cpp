#include "emulator.hpp"
#include "kernels.hpp"
#include "runner.hpp"

namespace fft {
namespace {

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] int sms() const override { return 2; }
  void run(const Plan& plan, const Complex* in, Complex* out, Complex* work) override {
    fft::run(plan, in, out, work,
             [](const PlannedPass& pass, const PassProblem& problem) { return launches(pass, problem, Emulator{}); });
  }
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(FFT_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace fft
