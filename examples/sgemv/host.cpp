#include "runner.hpp"
#include "variants.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace sgemv {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }

  void load(const Problem& p) override {
    problem_ = p;
    initial_.assign(p.y, p.y + elements_of(p.outputs(), p.incy));
  }

  void run(std::string_view variant) override {
    std::copy(initial_.begin(), initial_.end(), problem_.y);
    const WorkspaceSize size = workspace_of(variant, problem_);
    std::vector<double> partial(size.partial_sums);
    std::vector<dma::ArrivalCounter> arrivals(size.counters);
    const Workspace workspace{partial.data(), arrivals.data()};
    with_kernel(variant, problem_, [&](const auto& kernel, const Plan& plan) {
      dma::host::launch(kernel, plan.grid(), problem_, workspace);
    });
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
  std::vector<float> initial_;  ///< y
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(SGEMV_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace sgemv
