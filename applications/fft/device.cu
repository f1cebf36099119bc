#include "../../examples/gpu.hpp"
#include "runner.hpp"

#include "execute.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <cuda_runtime.h>

namespace fft {
namespace {

using gpu::check;

[[nodiscard]] gpu::Array<Complex> array_of(long long points) {
  return gpu::Array<Complex>(static_cast<std::size_t>(points));
}

class DeviceRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return gpu_.properties.name; }
  [[nodiscard]] int sms() const override { return gpu_.properties.multiProcessorCount; }

  void run(const Plan& plan, const Complex* in, Complex* out, Complex*) override {
    const bool is_in_place = in == out;
    const gpu::Array<Complex> from = array_of(plan.in_points());
    const gpu::Array<Complex> to = array_of(is_in_place ? 0 : plan.out_points());
    const gpu::Array<Complex> work = array_of(plan.work_points());
    const gpu::Array<Complex>& result = is_in_place ? from : to;
    check(cudaMemcpy(from.data(), in, from.bytes(), cudaMemcpyHostToDevice));
    // The bytes between the results stay the caller's.
    check(cudaMemcpy(result.data(), out, result.bytes(), cudaMemcpyHostToDevice));
    execute(plan, from.data(), result.data(), work.data(), gpu_.stream);
    check(cudaStreamSynchronize(gpu_.stream));
    check(cudaMemcpy(out, result.data(), result.bytes(), cudaMemcpyDeviceToHost));
  }

  [[nodiscard]] double time(const Plan& plan) override {
    const gpu::Array<Complex> work = array_of(plan.work_points());
    return seconds_a_window(plan,
                            [&](const Complex* in, Complex* out) { execute(plan, in, out, work.data(), gpu_.stream); });
  }
  [[nodiscard]] double time_of_copy(const Plan& plan) override {
    const auto bytes = static_cast<std::size_t>(std::min(plan.in_points(), plan.out_points())) * sizeof(Complex);
    return seconds_a_window(plan, [&](const Complex* in, Complex* out) {
      check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, gpu_.stream));
    });
  }

 private:
  /// Seconds of `work(in, out)`, of windows so many that none is in the L2 when its turn comes.
  template <class Work>
  [[nodiscard]] double seconds_a_window(const Plan& plan, const Work& work) const {
    const long long points = std::max(plan.in_points(), plan.out_points());
    const long long points_in_l2 = gpu_.properties.l2CacheSize / static_cast<int>(sizeof(Complex));
    const long long windows = std::max(2LL, 2 * points_in_l2 / points);
    const gpu::Array<Complex> in = array_of(windows * points);
    const gpu::Array<Complex> out = array_of(windows * points);
    in.set_bytes(0);
    return gpu::median_seconds(gpu_.stream,
                               [&] {
                                 for (long long i = 0; i < windows; ++i) {
                                   work(in.data() + i * points, out.data() + i * points);
                                 }
                               }) /
           static_cast<double>(windows);
  }

  gpu::Device gpu_;
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace fft
