#include "runner.hpp"
#include "variants.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <vector>

namespace sgemv {
namespace {

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

 private:
  Problem problem_{};
  std::vector<float> initial_;  ///< y
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

}  // namespace sgemv
