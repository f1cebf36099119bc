#include "../../examples/gpu.hpp"
#include "execute.hpp"
#include "runner.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace gemm {
namespace {

using gpu::check;

class DeviceRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return gpu_.properties.name; }
  [[nodiscard]] int sms() const override { return gpu_.properties.multiProcessorCount; }
  void run(const Problem<BFloat16>& p, const Plan& plan) override { run_on_copies(p, plan); }
  void run(const Problem<Half>& p, const Plan& plan) override { run_on_copies(p, plan); }

  [[nodiscard]] double time() override {
    const int launches = std::max(copies_, 8);
    return gpu::median_seconds(gpu_.stream,
                               [&] {
                                 for (int i = 0; i < launches; ++i) {
                                   again_(i % copies_);
                                 }
                               }) /
           launches;
  }

 private:
  /// Elements of a matrix from its first to its last row's distance.
  [[nodiscard]] static std::size_t elements(int rows, long long distance) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(distance);
  }
  template <class Element>
  void run_on_copies(const Problem<Element>& p, const Plan& plan) {
    const std::size_t a = elements(p.m, p.lda), b = elements(p.n, p.ldb), c = elements(p.m, p.ldc);
    const std::size_t all = (a + b + c) * sizeof(Element);
    copies_ = static_cast<int>(
        std::clamp<std::size_t>(3 * static_cast<std::size_t>(gpu_.properties.l2CacheSize) / all, 1, 64));
    arrays_ = gpu::Array<unsigned char>((all + p.n * sizeof(Element)) * static_cast<std::size_t>(copies_));
    auto* const first = reinterpret_cast<Element*>(arrays_.data());
    auto* const bias = first + (a + b + c) * static_cast<std::size_t>(copies_);
    const auto problem_at = [=](int copy) {
      Problem<Element> own = p;
      Element* const at = first + (a + b + c) * static_cast<std::size_t>(copy);
      own.a = at;
      own.b = at + a;
      own.c = at + a + b;
      own.bias = p.bias != nullptr ? bias : nullptr;
      return own;
    };
    for (int copy = 0; copy < copies_; ++copy) {
      const Problem<Element> own = problem_at(copy);
      put(own.a, p.a, a);
      put(own.b, p.b, b);
      put(own.c, p.c, c);
    }
    if (p.bias != nullptr) {
      put(bias, p.bias, static_cast<std::size_t>(p.n));
    }
    sums_ = gpu::Array<dma::Vector<float>>(sums_of(plan));
    arrivals_ = gpu::Array<dma::ArrivalCounter>(counters_of(plan));
    arrivals_.set_bytes(0);
    const Workspace workspace{sums_.data(), arrivals_.data()};
    again_ = [=, this](int copy) { multiply(problem_at(copy), plan, workspace, gpu_.stream); };
    again_(0);
    check(cudaStreamSynchronize(gpu_.stream));
    check(cudaMemcpy(p.c, problem_at(0).c, c * sizeof(Element), cudaMemcpyDeviceToHost));
  }
  template <class Element>
  static void put(const Element* to, const Element* from, std::size_t count) {
    check(cudaMemcpy(const_cast<Element*>(to), from, count * sizeof(Element), cudaMemcpyHostToDevice));
  }

  gpu::Device gpu_;
  int copies_ = 1;
  gpu::Array<unsigned char> arrays_;
  gpu::Array<dma::Vector<float>> sums_;
  gpu::Array<dma::ArrivalCounter> arrivals_;
  std::function<void(int copy)> again_;
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace gemm
