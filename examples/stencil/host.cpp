#include "halo_only.hpp"
#include "runner.hpp"
#include "tuning.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace stencil {
namespace {

constexpr int ctas = 3;

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T, int Radius, class Epilogue>
void launch_march(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue) {
  with_march<T, Radius, Epilogue>(u, ctas, [&](auto kernel, const Plan& plan) {
    using Kernel = decltype(kernel);
    const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
    dma::PaceCounter counter{};
    dma::host::launch(kernel, {plan.ctas}, map, u, star, plan.work, &counter, epilogue);
  });
}

class HostWave final : public Wave {
 public:
  HostWave(const Medium& medium, const Star<float, radius>& laplacian)
      : medium_(medium),
        laplacian_(laplacian),
        now_(static_cast<std::size_t>(Field<float>::padded(medium.nx) * medium.ny * medium.nz) / Vec<float>::width),
        before_(now_) {}

  void step(float source) override {
    const Field<const float> now = field(now_);
    float* const before = before_.front().v;
    launch_march(now, laplacian_, StepWave<float>{now.data, before, medium_.upper, medium_.lower, medium_.interface});
    before[now.at(medium_.source_x, medium_.source_y, medium_.source_z)] += source;
    std::swap(now_, before_);
  }

  void read_slice(int y, std::vector<float>& to) override {
    const Field<const float> now = field(now_);
    to.clear();
    for (int z = 0; z < now.nz; ++z) {
      const float* const row = now.data + now.at(0, y, z);
      to.insert(to.end(), row, row + now.nx);
    }
  }

 private:
  [[nodiscard]] Field<const float> field(const std::vector<Vec<float>>& memory) const {
    return {memory.front().v, medium_.nx, medium_.ny, medium_.nz, Field<float>::padded(medium_.nx)};
  }

  Medium medium_;
  Star<float, radius> laplacian_;
  std::vector<Vec<float>> now_;
  std::vector<Vec<float>> before_;
};

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] bool has(std::string_view kernel) const override {
    return kernel != "reference" && kernel != "cached";  // CUDA without the library
  }

  void load(const Field<const float>& u, const Star<float, radius>& star, const Field<float>& out) override {
    u_ = u;
    star_ = star;
    out_ = out;
  }

  void run(std::string_view kernel) override {
    for (int z = 0; z < out_.nz; ++z) {
      for (int y = 0; y < out_.ny; ++y) {
        std::fill_n(out_.data + out_.at(0, y, z), out_.nx, std::numeric_limits<float>::quiet_NaN());
      }
    }
    const StoreSum<float> store{out_.data};
    if (kernel == "march") {
      launch_march(u_, star_, store);
    } else {
      with_paper_kernel<float, radius, StoreSum<float>>(
          kernel, [&](const auto& body) { dma::host::launch(body, paper_grid(u_), u_, star_, store); });
    }
  }

  [[nodiscard]] double time(std::string_view kernel) override {
    return seconds_of([&] { run(kernel); });
  }

  [[nodiscard]] double copy_rate() override {
    const auto bytes = static_cast<std::size_t>(u_.plane_pitch() * u_.nz) * sizeof(float);
    const double seconds = seconds_of([&] { std::memcpy(out_.data, u_.data, bytes); });
    return 2.0 * static_cast<double>(bytes) / seconds;
  }

  void march(const Field<const float>& u, const std::vector<float>& coefficients, const Field<float>& out) override {
    march_any(u, coefficients, out);
  }
  void march(const Field<const double>& u, const std::vector<double>& coefficients, const Field<double>& out) override {
    march_any(u, coefficients, out);
  }

  [[nodiscard]] std::unique_ptr<Wave> wave(const Medium& medium, const Star<float, radius>& laplacian) override {
    return std::make_unique<HostWave>(medium, laplacian);
  }

 private:
  template <class T>
  void march_any(const Field<const T>& u, const std::vector<T>& coefficients, const Field<T>& out) {
    with_star(coefficients, [&](const auto& star) { launch_march(u, star, StoreSum<T>{out.data}); });
  }

  Field<const float> u_{};
  Star<float, radius> star_{};
  Field<float> out_{};
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

#if !defined(STENCIL_HAS_DEVICE)
Runner* device_runner(std::string& reason) {
  reason = "built without CUDA";
  return nullptr;
}
#endif

}  // namespace stencil
