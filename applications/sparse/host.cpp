#include "multiply.hpp"
#include "runner.hpp"

#include <dma/host/launch.hpp>

#include <string>
#include <vector>

namespace sparse {
namespace {

struct HostLauncher {
  static constexpr int sms = 1;

  template <class Kernel, class... Args>
  void operator()(const Kernel& kernel, dma::Index3 grid, const Args&... args) const {
    dma::host::launch(kernel, grid, args...);
  }
};

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }

  [[nodiscard]] std::vector<float> run(const Product& product) override {
    const Matrix& m = product.a;
    const Plan& plan = product.plan;
    std::vector<float> c(static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(product.columns));
    std::vector<float> heads(head_elements(plan, product.columns));
    const PlannedMatrix a{{m.rows, m.cols, m.nonzeros(), m.offsets.data(), m.columns.data(), m.values.data()},
                          plan.lanes,
                          plan.is_scattered,
                          plan.starts.data(),
                          plan.chunks(),
                          plan.split.data(),
                          static_cast<int>(plan.split.size()),
                          heads.data()};
    if (product.columns == 1) {
      multiply(HostLauncher{}, a, Vectors{1, product.b.data(), 0, c.data()});
    } else {
      multiply(HostLauncher{}, a, Panels{1, product.b.data(), product.columns, 0, c.data(), product.columns},
               product.columns);
    }
    return c;
  }
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(SPARSE_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace sparse
