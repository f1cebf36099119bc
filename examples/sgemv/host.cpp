#include "machine.hpp"
#include "variants.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

namespace sgemv {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class HostMachine final : public Machine {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] std::string toolkit() const override { return "none"; }

  void load(const Problem& p) override { problem_ = p; }

  void run(std::string_view variant) override {
    std::fill_n(problem_.y, problem_.m, std::numeric_limits<float>::quiet_NaN());
    with_kernel(variant, problem_, [&](const auto& kernel) { dma::host::launch(kernel, grid_of(problem_), problem_); });
  }

  [[nodiscard]] double time(std::string_view variant) override {
    return seconds_of([&] { run(variant); });
  }

  [[nodiscard]] double copy_rate() override {
    constexpr std::size_t bytes = 64 << 20;
    const std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes);
    std::vector<double> seconds(5);
    for (double& second : seconds) {
      second = seconds_of([&] { std::memcpy(to.data(), from.data(), bytes); });
    }
    std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
    return 2.0 * bytes / seconds[2];
  }

 private:
  Problem problem_{};
};

}  // namespace

Machine& host_machine() {
  static HostMachine machine;
  return machine;
}

#if !defined(SGEMV_HAS_DEVICE)
Machine* device_machine(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace sgemv
