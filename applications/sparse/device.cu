#include "../../examples/gpu.hpp"
#include "launch.cuh"
#include "multiply.hpp"
#include "runner.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace sparse {
namespace {

/// A matrix and its plan on the GPU.
struct Uploaded {
  Uploaded(const Matrix& m, const Plan& plan, int columns)
      : offsets(m.offsets),
        columns_of(m.columns),
        values(m.values),
        starts(plan.starts),
        split(plan.split),
        heads(head_elements(plan, columns)),
        a{{m.rows, m.cols, m.nonzeros(), offsets.data(), columns_of.data(), values.data()},
          plan.lanes,
          plan.is_scattered,
          starts.data(),
          plan.chunks(),
          split.data(),
          static_cast<int>(plan.split.size()),
          heads.data()} {}

  gpu::Array<int> offsets, columns_of;
  gpu::Array<float> values;
  gpu::Array<ChunkStart> starts;
  gpu::Array<SplitRow> split;
  gpu::Array<float> heads;
  PlannedMatrix a;
};

class DeviceRunner final : public Runner {
 public:
  DeviceRunner() {
    gpu::check(cudaGetDeviceProperties(&properties_, 0));
    gpu::check(cudaStreamCreate(&stream_));
  }
  ~DeviceRunner() override { cudaStreamDestroy(stream_); }

  [[nodiscard]] std::string name() const override { return properties_.name; }

  [[nodiscard]] std::vector<float> run(const Product& product) override {
    const Uploaded matrix(product.a, product.plan, product.columns);
    const gpu::Array<float> b(product.b);
    const gpu::Array<float> c(static_cast<std::size_t>(product.a.rows) * static_cast<std::size_t>(product.columns));
    c.set_bytes(0xff);
    multiply_once(matrix.a, product.columns, b.data(), c.data());
    gpu::check(cudaStreamSynchronize(stream_));
    return c.values();
  }

  [[nodiscard]] double time(const Product& product) override {
    const Uploaded first(product.a, product.plan, product.columns);
    const Uploaded second(product.a, product.plan, product.columns);
    const gpu::Array<float> b(product.b);
    const gpu::Array<float> c(static_cast<std::size_t>(product.a.rows) * static_cast<std::size_t>(product.columns));
    constexpr int pairs = 4;
    const double seconds = gpu::median_seconds(stream_, [&] {
      for (int i = 0; i < pairs; ++i) {
        multiply_once(first.a, product.columns, b.data(), c.data());
        multiply_once(second.a, product.columns, b.data(), c.data());
      }
    });
    return seconds / (2 * pairs);
  }

 private:
  void multiply_once(const PlannedMatrix& a, int columns, const float* b, float* c) const {
    const GpuLauncher launch(stream_);
    if (columns == 1) {
      multiply(launch, a, Vectors{1, b, 0, c});
    } else {
      multiply(launch, a, Panels{1, b, columns, 0, c, columns}, columns);
    }
  }

  cudaDeviceProp properties_{};
  cudaStream_t stream_{};
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace sparse
